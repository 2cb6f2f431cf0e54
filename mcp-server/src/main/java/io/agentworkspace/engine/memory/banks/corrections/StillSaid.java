package io.agentworkspace.engine.memory.banks.corrections;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.memory.facts.Replaced;
import io.agentworkspace.engine.model.bank.Memory;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.tool.Call;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.UUID;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Finds memories that still say what another one replaces, in the banks that the caller may write. It holds no transaction. */
public final class StillSaid {
    private static final int MOST = 10;
    private static final int CHARACTERS = 160;

    /** How much of a replaced sentence a memory must have. */
    private static final double LEAST = 0.6;

    private final ReplacedTextQueries queries;
    private final BiFunction<Call, String, List<Memory>> changeable;

    /** @param changeable finds memories by words of a text, in the banks that the caller may write */
    public StillSaid(Db db, BiFunction<Call, String, List<Memory>> changeable) {
        this.queries = new ReplacedTextQueries(db);
        this.changeable = changeable;
    }

    /** A memory that still says what was replaced. */
    public record Copy(
            @Doc("Its id.") String id,
            @Doc("Its bank.") String bank,

            @Doc("Its name, if it has one.") @Nullable String name,

            @Doc("The first 160 characters of its text.") String text,

            @Doc("How much of the replaced sentence it has, from 0 to 1.")
            double score) {}

    /**
     * What was found.
     *
     * @param isSearched false if the engine was too busy to look
     */
    public record Copies(List<Copy> found, boolean isSearched) {
        /** Nothing is replaced. */
        public static final Copies NONE = new Copies(List.of(), true);
    }

    /**
     * Returns the memories that say most of what is replaced, without those that are replaced.
     *
     * @param bank the bank of the replaced memories, which the caller may read
     */
    public Copies of(Call call, long bank, List<UUID> replaced, String text) {
        try {
            return new Copies(found(call, queries.texts(call, bank, replaced), replaced, text), true);
        } catch (Problem e) {
            if (e.failure() == Failure.UNAVAILABLE || e.failure() == Failure.RATE_LIMITED) {
                return new Copies(List.of(), false);
            }
            throw e;
        }
    }

    private List<Copy> found(Call call, List<String> olds, List<UUID> replaced, String text) {
        var copies = new HashMap<String, Copy>();
        for (var old : olds) {
            var change = Replaced.of(old, text);
            for (var memory : changeable.apply(call, old)) {
                var score = Math.round(change.saidBy(memory.text()) * 1_000) / 1_000.0;
                if (score >= LEAST && !replaced.contains(UUID.fromString(memory.id()))) {
                    copies.merge(
                            memory.id(),
                            new Copy(
                                    memory.id(),
                                    memory.bank(),
                                    memory.name(),
                                    Excerpt.cut(memory.text(), CHARACTERS),
                                    score),
                            (one, other) -> one.score() >= other.score() ? one : other);
                }
            }
        }
        return copies.values().stream()
                .sorted(Comparator.comparingDouble(Copy::score)
                        .reversed()
                        .thenComparing(Copy::bank)
                        .thenComparing(Copy::id))
                .limit(MOST)
                .toList();
    }
}

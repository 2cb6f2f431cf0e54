package io.agentworkspace.engine.memory.banks.corrections;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.scheduling.Cancellation;
import io.agentworkspace.engine.memory.facts.Claim;
import io.agentworkspace.engine.memory.facts.Replaced;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.bank.Memory;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.MemoryName;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.tool.Call;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Finds memories that still say what another one replaces, in the banks that the caller may write. It holds no transaction. */
public final class StillSaid {
    private static final int MOST = 10;
    private static final int CHARACTERS = 160;

    /** How much of a replaced sentence a memory must have. */
    private static final double LEAST = 0.6;

    /** After this time it looks for no further text, and returns what it found. */
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private static final String BUSY =
            "the engine was too busy to look for all memories that still say what was replaced:"
                    + " look for them with MB_Search";

    private final ReplacedTextQueries queries;
    private final WritableSearch writable;
    private final Clock clock;

    public StillSaid(Db db, WritableSearch writable, Clock clock) {
        this.queries = new ReplacedTextQueries(db);
        this.writable = writable;
        this.clock = clock;
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
     * @param isComplete false if the engine was too busy to look at all
     */
    public record Copies(List<Copy> found, boolean isComplete) {
        /** Nothing is replaced. */
        public static final Copies NONE = new Copies(List.of(), true);

        /** Returns the same without a memory that has just been stored. */
        public Copies without(String id) {
            return new Copies(
                    found.stream().filter(copy -> !copy.id().equals(id)).toList(), isComplete);
        }

        /** Returns what to do about them. */
        public Optional<String> note() {
            if (found.isEmpty()) {
                return isComplete ? Optional.empty() : Optional.of(BUSY);
            }
            var isOne = found.size() == 1;
            return Optional.of(
                    "%d other %s what was replaced: read %s, and send what is wrong in supersedes of MB_Store, several ids of a bank at once"
                            .formatted(
                                    found.size(),
                                    isOne ? "memory still says" : "memories still say",
                                    isOne ? "it" : "them"));
        }
    }

    /**
     * What replaces.
     *
     * @param bank the bank of the replaced memories, which the caller may read
     * @param appendedTo the memory to which the text is appended
     */
    public record Correction(
            Name bankName,
            long bank,
            List<UUID> replaced,
            String text,
            @Nullable MemoryName appendedTo) {}

    /**
     * Returns the memories that say most of what is replaced, without those that are replaced. Who may not read elsewhere gets only
     * those of the same bank.
     */
    public Copies of(Call call, Correction correction) {
        var olds = queries.texts(call, correction.bank(), correction.replaced());
        var before = correction.appendedTo() == null
                ? ""
                : queries.named(call, correction.bank(), correction.appendedTo())
                                .orElse("") + "\n";
        var only = Capability.BANK_READ.isIn(call.caller().capabilities()) ? null : correction.bankName();
        var found = new HashMap<String, Copy>();
        var isComplete = true;
        try {
            writable.run(call, only, search -> look(olds, before + correction.text(), search, found));
        } catch (Problem e) {
            if (e.failure() != Failure.UNAVAILABLE && e.failure() != Failure.RATE_LIMITED) {
                throw e;
            }
            isComplete = false;
        }
        Cancellation.checkCurrent();
        return new Copies(best(found, correction.replaced()), isComplete);
    }

    private void look(List<String> olds, String text, Function<String, List<Memory>> search, Map<String, Copy> found) {
        var end = clock.instant().plus(LIMIT);
        var now = Claim.of(text);
        var read = new HashMap<String, List<Claim>>();
        for (var i = 0; i < olds.size(); i++) {
            if (i > 0 && clock.instant().isAfter(end)) {
                throw Problem.unavailable();
            }
            var change = Replaced.of(Claim.of(olds.get(i)), now);
            for (var query : change.queries()) {
                search.apply(query).forEach(memory -> add(memory, change, read, found));
            }
        }
    }

    /** @param read what each memory says, which several searches may find */
    private static void add(Memory memory, Replaced change, Map<String, List<Claim>> read, Map<String, Copy> found) {
        Cancellation.checkCurrent();
        var claims = read.computeIfAbsent(memory.id(), _ -> Claim.of(memory.text()));
        var score = Math.round(change.saidBy(claims) * 1_000) / 1_000.0;
        if (score >= LEAST) {
            found.merge(
                    memory.id(),
                    new Copy(memory.id(), memory.bank(), memory.name(), Excerpt.cut(memory.text(), CHARACTERS), score),
                    (one, other) -> one.score() >= other.score() ? one : other);
        }
    }

    private static List<Copy> best(Map<String, Copy> found, List<UUID> replaced) {
        return found.values().stream()
                .filter(copy -> !replaced.contains(UUID.fromString(copy.id())))
                .sorted(Comparator.comparingDouble(Copy::score)
                        .reversed()
                        .thenComparing(Copy::bank)
                        .thenComparing(Copy::id))
                .limit(MOST)
                .toList();
    }
}

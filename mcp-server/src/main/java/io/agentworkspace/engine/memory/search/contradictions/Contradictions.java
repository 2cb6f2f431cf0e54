package io.agentworkspace.engine.memory.search.contradictions;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.scheduling.Cancellation;
import io.agentworkspace.engine.kernel.scheduling.HeavyWork;
import io.agentworkspace.engine.memory.facts.Claim;
import io.agentworkspace.engine.memory.facts.Difference;
import io.agentworkspace.engine.memory.search.contradictions.ContradictionQueries.Compared;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.tool.Call;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds memories of a bank that differ in a value. Only claims of the same subject and time are compared, so the work grows with the memories. */
public final class Contradictions {
    private static final int MOST = 50;

    /** Of so many claims about one subject each is compared with the others. */
    private static final int OF_ONE_SUBJECT = 20;

    private static final int CHARACTERS = 300;

    private final ContradictionQueries queries;

    private final Clock clock;

    public Contradictions(Db db, Clock clock) {
        this.clock = clock;
        this.queries = new ContradictionQueries(db);
    }

    /** One of two memories that differ. */
    public record Side(
            @Doc("Its id.") String id,

            @Doc("Its name, if it has one.") @Nullable String name,

            @Doc("The first 300 characters of its text.") String text,
            @Doc("What it says.") String value,
            @Doc("When this revision was stored.") Instant updatedAt) {}

    /** Two memories that differ in a value. */
    public record Contradiction(
            @Doc("The words that both values are of.") String subject,

            @Doc("The memory that was changed last.") Side newer,

            @Doc("The other one.") Side older) {}

    /** The report on a bank. */
    public record Report(
            @Doc("At most 50 pairs, those with the newest memories first.")
            List<Contradiction> pairs,

            @Doc(
                    "How many memories were compared: the newest ones, at most 5,000 with 1 MB of text; fewer if 50 pairs were found, or it took 30 seconds.")
            long compared,

            @Doc("true if not all of them were compared, so that there may be more pairs.")
            boolean more) {}

    /** A claim, and the memory that makes it. */
    private record Made(Compared by, Claim claim) {}

    /** What is compared with each other. */
    private record Subject(Set<String> words, Set<String> when, Claim.Mood mood) {}

    /**
     * @param bank one that the caller may read
     * @param end when it must have ended; then it reports what it found
     */
    public Report of(Call call, long bank, Instant end) {
        var memories = queries.newest(call, bank);
        var made = new HashMap<Subject, List<Made>>();
        var seen = new HashSet<Set<String>>();
        var pairs = new ArrayList<Contradiction>();
        var compared = 0;
        while (compared < memories.size()
                && pairs.size() <= MOST
                && !clock.instant().isAfter(end)) {
            Cancellation.checkCurrent();
            HeavyWork.pass();
            add(memories.get(compared), made, seen, pairs);
            compared++;
        }
        var more = compared < memories.size() || pairs.size() > MOST;
        return new Report(pairs.stream().limit(MOST).toList(), compared, more);
    }

    private static void add(
            Compared memory, Map<Subject, List<Made>> made, Set<Set<String>> seen, List<Contradiction> pairs) {
        for (var claim : Claim.of(memory.text())) {
            var others = made.computeIfAbsent(
                    new Subject(claim.subject(), claim.when(), claim.mood()), _ -> new ArrayList<>());
            for (var other : others) {
                if (!other.by().id().equals(memory.id())) {
                    Difference.between(List.of(other.claim()), List.of(claim))
                            .filter(_ -> seen.add(Set.of(other.by().id(), memory.id())))
                            .ifPresent(difference -> pairs.add(pair(difference, other.by(), memory)));
                }
            }
            if (others.size() < OF_ONE_SUBJECT) {
                others.add(new Made(memory, claim));
            }
        }
    }

    private static Contradiction pair(Difference difference, Compared first, Compared second) {
        var one = side(first, difference.first());
        var other = side(second, difference.second());
        return first.updatedAt().isBefore(second.updatedAt())
                ? new Contradiction(difference.subject(), other, one)
                : new Contradiction(difference.subject(), one, other);
    }

    private static Side side(Compared memory, String value) {
        return new Side(memory.id(), memory.name(), Excerpt.cut(memory.text(), CHARACTERS), value, memory.updatedAt());
    }
}

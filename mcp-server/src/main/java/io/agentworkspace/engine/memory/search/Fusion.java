package io.agentworkspace.engine.memory.search;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/**
 * The order of what was found by words and by meaning: the sum of both figures. Meaning counts more, the more the best
 * memory stands out among the nearest: where all are about equally near, as in a conversation, words decide. Newer and
 * pinned memories come first among those that are about equal.
 */
final class Fusion {
    /** The place among the nearest by meaning with which the best is compared. */
    static final int COMPARED = 17;

    /** How much meaning counts in any case, and where the best stands out by 1. */
    private static final double BASE = 0.1;

    private static final double STANDING_OUT = 38;

    private static final double RECENT = 0.02;
    private static final double PINNED = 0.02;
    private static final Duration HALF_LIFE = Duration.ofDays(30);

    /** How much meaning counts for questions in English, and in other languages written alike. */
    static final double ENGLISH = 1;

    static final double OTHER = 0.08;

    private Fusion() {}

    /**
     * Something that was found.
     *
     * @param coverage about which share of the query's words it has, more than 1 if it repeats them
     * @param breadth the same, but each word counts once
     * @param vectorRank its rank by meaning, from 1; 0 if it was not found by meaning
     * @param likeness how like it is by meaning, up to 1
     */
    record Ranked<T>(
            T found,
            double coverage,
            double breadth,
            int vectorRank,
            double likeness,
            Instant updatedAt,
            boolean isPinned) {
        double value(double meaning, Near near, Instant now) {
            var words = Math.pow(coverage, 1.5) * Math.sqrt(breadth);
            var value = words + meaning * near.value(likeness);
            var age = Math.max(0, Duration.between(updatedAt, now).toMillis());
            var recent = RECENT * Math.pow(2, -(double) age / HALF_LIFE.toMillis());
            return value * (1 + recent + (isPinned ? PINNED : 0));
        }
    }

    /**
     * What is nearest by meaning.
     *
     * @param best the likeness of the nearest
     * @param compared that of one which is probably no answer; where there are few, of the farthest
     */
    private record Near(double best, double compared) {
        static <T> Near of(List<Ranked<T>> found) {
            var likenesses = found.stream()
                    .filter(each -> each.vectorRank() > 0)
                    .map(Ranked::likeness)
                    .sorted(Comparator.reverseOrder())
                    .limit(COMPARED)
                    .toList();
            if (likenesses.isEmpty()) {
                return new Near(0, 0);
            }
            return new Near(likenesses.getFirst(), likenesses.getLast());
        }

        double value(double likeness) {
            var standingOut = Math.max(0, best - compared);
            return STANDING_OUT * standingOut * standingOut * Math.max(0, likeness - compared)
                    + BASE * Math.max(0, likeness);
        }
    }

    /** @param meaning how much meaning counts, where it counts 1 in English */
    static <T> List<T> ordered(List<Ranked<T>> found, double meaning, Instant now) {
        var near = Near.of(found);
        return found.stream()
                .sorted(Comparator.comparingDouble((Ranked<T> each) -> -each.value(meaning, near, now)))
                .map(Ranked::found)
                .toList();
    }
}

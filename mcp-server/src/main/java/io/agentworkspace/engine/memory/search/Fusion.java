package io.agentworkspace.engine.memory.search;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/**
 * The order of what was found by words and by meaning: each gets a share for its rank in either list (reciprocal rank
 * fusion). A share counts less if few words of the query were found, or if the meaning is not very like. Newer and
 * pinned memories come first among those that are about equal.
 */
final class Fusion {
    private static final double FLATNESS = 10;
    private static final double RECENT = 0.02;
    private static final double PINNED = 0.02;
    private static final Duration HALF_LIFE = Duration.ofDays(30);

    /** How much a place by meaning counts for questions in English, and in other languages written alike. */
    static final double ENGLISH = 0.7;

    static final double OTHER = 0.1;

    private Fusion() {}

    /**
     * Something that was found.
     *
     * @param textRank its rank by words, from 1; 0 if it was not found by words
     * @param coverage about which share of the query's words it has, from 0 to 1
     * @param vectorRank its rank by meaning
     * @param likeness how like it is by meaning, from 0 to 1
     */
    record Ranked<T>(
            T found,
            int textRank,
            double coverage,
            int vectorRank,
            double likeness,
            Instant updatedAt,
            boolean isPinned) {
        double value(double meaning, Instant now) {
            var value = coverage * coverage * share(textRank) + meaning * Math.max(0, likeness) * share(vectorRank);
            var age = Math.max(0, Duration.between(updatedAt, now).toMillis());
            var recent = RECENT * Math.pow(2, -(double) age / HALF_LIFE.toMillis());
            return value * (1 + recent + (isPinned ? PINNED : 0));
        }

        private static double share(int rank) {
            return rank == 0 ? 0 : 1 / (FLATNESS + rank);
        }
    }

    /** @param meaning how much a place by meaning counts, where one by words counts 1 */
    static <T> List<T> ordered(List<Ranked<T>> found, double meaning, Instant now) {
        return found.stream()
                .sorted(Comparator.comparingDouble((Ranked<T> each) -> -each.value(meaning, now)))
                .map(Ranked::found)
                .toList();
    }
}

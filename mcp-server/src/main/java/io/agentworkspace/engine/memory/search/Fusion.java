package io.agentworkspace.engine.memory.search;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/**
 * The order of what was found by words and by meaning: by the share of the query's words that a memory has, squared, plus how like its
 * meaning is. Only memories found by words alone are ordered by their ranks. Newer and pinned memories come first among those that are
 * about equal.
 */
final class Fusion {
    private static final double FLATNESS = 10;
    private static final double RECENT = 0.02;
    private static final double PINNED = 0.02;
    private static final Duration HALF_LIFE = Duration.ofDays(30);

    /** How much the likeness of meaning counts for questions in English, and in other languages written alike. */
    static final double ENGLISH = 1;

    static final double OTHER = 0.2;

    private Fusion() {}

    /**
     * Something that was found.
     *
     * @param textRank its rank by words, from 1; 0 if it was not found by words
     * @param coverage about which share of the query's words it has; more than 1 if it repeats them
     * @param likeness how like it is by meaning, from 0 to 1
     */
    record Ranked<T>(T found, int textRank, double coverage, double likeness, Instant updatedAt, boolean isPinned) {
        double value(double meaning, Instant now) {
            var byWords = coverage * coverage;
            var value = meaning == 0
                    ? textRank == 0 ? 0 : byWords / (FLATNESS + textRank)
                    : byWords + meaning * Math.max(0, likeness);
            var age = Math.max(0, Duration.between(updatedAt, now).toMillis());
            var recent = RECENT * Math.pow(2, -(double) age / HALF_LIFE.toMillis());
            return value * (1 + recent + (isPinned ? PINNED : 0));
        }
    }

    /** @param meaning how much the likeness of meaning counts; 0 for a search by words */
    static <T> List<T> ordered(List<Ranked<T>> found, double meaning, Instant now) {
        return found.stream()
                .sorted(Comparator.comparingDouble((Ranked<T> each) -> -each.value(meaning, now)))
                .map(Ranked::found)
                .toList();
    }
}

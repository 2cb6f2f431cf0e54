package io.agentworkspace.engine.memory.search;

/**
 * How well a memory answers a query, from 0 to 1: it has most of the query's words, or it means the same. Either is
 * enough, and both are more.
 */
final class Score {
    private static final double BY_WORDS = 0.35;
    private static final double BY_MEANING = 0.3;

    private static final double WORDS = 0.6;
    private static final double WORDS_STEEPNESS = 10;
    private static final double MEANING = 0.36;
    private static final double MEANING_STEEPNESS = 14;

    private Score() {}

    /** Returns the score that a hit must have to be an answer. */
    static double threshold(Searcher.Mode mode) {
        return mode == Searcher.Mode.TEXT ? BY_WORDS : BY_MEANING;
    }

    static double of(Searcher.SearchResult found, Searcher.SearchCandidate candidate, Highlights highlights) {
        var support = found.query().groups().isEmpty() ? 1 : highlights.support();
        if (found.mode() == Searcher.Mode.TEXT || candidate.likeness() < 0) {
            return support;
        }
        var byWords = found.mode() == Searcher.Mode.VECTOR ? 0 : share(support, WORDS, WORDS_STEEPNESS);
        return 1 - (1 - byWords) * (1 - share(candidate.likeness(), MEANING, MEANING_STEEPNESS));
    }

    private static double share(double value, double middle, double steepness) {
        return 1 / (1 + Math.exp(steepness * (middle - value)));
    }
}

package io.agentworkspace.engine.memory.search;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An estimate of the probability that a memory answers a query, from 0 to 1: it has the query's words, or it means the
 * same. Either is enough, and both are more. Each of the two is a logistic model of the {@link Evidence}. Their constants
 * were fitted once, on the evidence that this class logs for our notes and for XQuAD in English and German. {@code ./engine
 * bench search --fit} fits them again to given sets, and measures that fit.
 */
final class Score {
    private static final Logger LOG = LoggerFactory.getLogger(Score.class);

    /** The score that a hit must have to be an answer. */
    static final double THRESHOLD = 0.15;

    private static final double BY_WORDS = -5.4;
    private static final double WORDS = 3.9;
    private static final double RARE = 3.9;
    private static final double ORDER = 1.9;
    private static final double WORDS_LEAD = 5.7;
    private static final double MOST_WORDS_LEAD = 0.4;

    private static final double BY_MEANING = -3.9;
    private static final double LIKENESS = 7.7;
    private static final double LIKENESS_LEAD = 11.7;
    private static final double MOST_LIKENESS_LEAD = 0.2;
    private static final double FEWER_WORDS = 2.8;
    private static final double MOST_FEWER_WORDS = 0.5;

    /** Chosen, since the sets have hardly any names, tags and identifiers. */
    private static final double NAME = 1;

    private static final double TAG = 1;
    private static final double LITERAL = 2;

    private Score() {}

    /**
     * @param id the memory, for the log
     * @param wordsLead by how much its share of the query's words exceeds that of the best of the others found
     * @param likenessLead the same of its likeness
     */
    static double of(String id, Evidence evidence, double wordsLead, double likenessLead) {
        LOG.trace("{} {} {} {}", id, evidence, wordsLead, likenessLead);
        if (evidence.isOnlyRestricted()) {
            return 1;
        }
        var labels = NAME * evidence.name() + TAG * evidence.tag() + LITERAL * (evidence.literal() - 0.5);
        var byWords = probability(BY_WORDS
                + WORDS * evidence.words()
                + RARE * evidence.rare()
                + ORDER * evidence.order()
                + WORDS_LEAD * limited(wordsLead, MOST_WORDS_LEAD)
                + labels);
        var byMeaning = evidence.likeness() < 0
                ? 0
                : probability(BY_MEANING
                        + LIKENESS * evidence.likeness()
                        + LIKENESS_LEAD * limited(likenessLead, MOST_LIKENESS_LEAD)
                        + FEWER_WORDS * Math.min(0, limited(wordsLead, MOST_FEWER_WORDS))
                        + labels);
        return rounded(1 - (1 - byWords) * (1 - byMeaning));
    }

    private static double limited(double value, double most) {
        return Math.clamp(value, -most, most);
    }

    private static double probability(double sum) {
        return 1 / (1 + Math.exp(-sum));
    }

    private static double rounded(double score) {
        return Math.round(score * 1_000) / 1_000.0;
    }
}

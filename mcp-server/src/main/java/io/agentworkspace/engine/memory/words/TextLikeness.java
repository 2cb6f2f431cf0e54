package io.agentworkspace.engine.memory.words;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The words of a text, to see whether another one is nearly the same. Words with digits, such as numbers, times and
 * ids, are compared apart: texts that differ in them say different things in the same form.
 *
 * @param pairs the neighbouring words, without those with digits
 * @param numbers the words with digits, in order
 */
public record TextLikeness(Set<String> pairs, List<String> numbers) {
    /** The share of pairs of words that two texts have in common if they are nearly the same. */
    private static final double SAME = 0.75;

    /** A text with fewer words has no form of its own. */
    private static final int SHORTEST_FORM = 4;

    /** @param words those of the text, in order */
    public static TextLikeness of(List<String> words) {
        var pairs = new HashSet<String>();
        var numbers = new ArrayList<String>();
        var last = "";
        for (var word : words) {
            if (word.chars().anyMatch(Character::isDigit)) {
                numbers.add(word);
            } else {
                pairs.add(last + " " + word);
                last = word;
            }
        }
        return new TextLikeness(pairs, numbers);
    }

    /** Returns whether the texts are nearly the same. */
    public boolean isSame(TextLikeness other) {
        return numbers.equals(other.numbers) && to(other) >= SAME;
    }

    /** Returns whether the texts differ in hardly more than numbers, like the lines of a log. */
    public boolean hasFormOf(TextLikeness other) {
        return Math.min(pairs.size(), other.pairs.size()) >= SHORTEST_FORM && to(other) >= SAME;
    }

    /** Returns the share of their pairs of words that both texts have. */
    public double to(TextLikeness other) {
        var common = pairs.stream().filter(other.pairs::contains).count();
        var all = pairs.size() + other.pairs.size() - common;
        return all == 0 ? 1 : (double) common / all;
    }
}

package io.agentworkspace.engine.kernel.text;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

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

    /**
     * How many numbers a sketch has, and of how many hashes each is made. Of two texts that share three quarters of their pairs,
     * 99 % have a number in common; of those that share half 66 %, of those that share a twentieth 0.1 %.
     */
    private static final int BANDS = 8;

    private static final int ROWS = 3;

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

    /**
     * Returns the MinHash sketch (Broder 1997, in bands) by which an index finds texts that are nearly the same; empty for a
     * text without words. If all words have digits, the sketch is of these.
     *
     * @param bank sketches of different banks have nothing in common
     */
    public List<Long> sketch(long bank) {
        var parts = pairs.isEmpty() ? Set.copyOf(numbers) : pairs;
        if (parts.isEmpty()) {
            return List.of();
        }
        var hashes = parts.stream().mapToLong(TextLikeness::hash).toArray();
        return IntStream.range(0, BANDS)
                .mapToObj(band -> {
                    var number = mixed(bank * BANDS + band);
                    for (var row = 0; row < ROWS; row++) {
                        var seed = mixed(band * ROWS + row + 1);
                        number = mixed(number ^ smallest(hashes, seed));
                    }
                    return number;
                })
                .toList();
    }

    private static long smallest(long[] hashes, long seed) {
        var smallest = Long.MAX_VALUE;
        for (var hash : hashes) {
            smallest = Math.min(smallest, mixed(hash ^ seed));
        }
        return smallest;
    }

    private static long hash(String text) {
        var hash = 0L;
        for (var i = 0; i < text.length(); i++) {
            hash = mixed(hash ^ text.charAt(i));
        }
        return hash;
    }

    /** The finalizer of SplitMix64: each bit of the result depends on each bit of the value. */
    private static long mixed(long value) {
        var z = value + 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    /** Returns the share of their pairs of words that both texts have. */
    public double to(TextLikeness other) {
        var common = pairs.stream().filter(other.pairs::contains).count();
        var all = pairs.size() + other.pairs.size() - common;
        return all > 0 ? (double) common / all : numbers.equals(other.numbers) ? 1 : 0;
    }
}

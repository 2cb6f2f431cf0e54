package io.agentworkspace.engine.model.problem;

import io.agentworkspace.engine.model.text.Excerpt;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.apache.commons.text.similarity.JaroWinklerSimilarity;
import org.apache.commons.text.similarity.LevenshteinDistance;

/** Names similar to a given one: the suggestions in a note on an unknown name. */
public final class Near {
    private static final double ALIKE = 0.8;

    private Near() {}

    /**
     * Returns the candidates most similar to the first 64 characters, best first. The list is empty if nothing is
     * similar enough.
     */
    public static List<String> nearest(String name, Collection<String> candidates, int limit) {
        record Scored(String name, String key, double score) {}
        var similarity = new JaroWinklerSimilarity();
        // No valid name is longer, and the cost is the product of both lengths.
        var target = Name.key(Excerpt.cut(name, Name.MAX));
        var typos = Math.max(1, target.length() / 4);
        var distance = new LevenshteinDistance(typos);
        return candidates.stream()
                .map(candidate -> {
                    var key = Name.key(candidate);
                    return new Scored(candidate, key, similarity.apply(key, target));
                })
                // -1 means more typos than that.
                .filter(scored -> scored.score() >= ALIKE
                        || distance.apply(scored.key(), target) >= 0
                        || isTransposed(scored.key(), target))
                .sorted(Comparator.comparingDouble(Scored::score).reversed().thenComparing(Scored::name))
                .limit(limit)
                .map(Scored::name)
                .toList();
    }

    /** Returns whether the words differ only in two transposed neighbouring letters: "Aad" for "Ada". */
    public static boolean isTransposed(String one, String other) {
        if (one.length() != other.length()) {
            return false;
        }
        var at = 0;
        while (at < one.length() && one.charAt(at) == other.charAt(at)) {
            at++;
        }
        return at + 1 < one.length()
                && one.charAt(at) == other.charAt(at + 1)
                && one.charAt(at + 1) == other.charAt(at)
                && one.substring(at + 2).equals(other.substring(at + 2));
    }
}

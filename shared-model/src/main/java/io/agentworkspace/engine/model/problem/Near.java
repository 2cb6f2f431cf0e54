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

    /** The candidates most similar to the first 64 characters, best first; none if nothing is similar enough. */
    public static List<String> nearest(String name, Collection<String> candidates, int limit) {
        record Scored(String name, double score, int distance) {}
        var similarity = new JaroWinklerSimilarity();
        // No name is longer, and the cost is the product of both lengths.
        var wanted = Name.key(Excerpt.cut(name, Name.MAX));
        var typos = Math.max(1, wanted.length() / 4);
        var distance = new LevenshteinDistance(typos);
        return candidates.stream()
                .map(candidate -> new Scored(
                        candidate,
                        similarity.apply(Name.key(candidate), wanted),
                        distance.apply(Name.key(candidate), wanted)))
                // -1: more typos than that.
                .filter(scored -> scored.score() >= ALIKE
                        || scored.distance() >= 0
                        || isTransposed(Name.key(scored.name()), wanted))
                .sorted(Comparator.comparingDouble(Scored::score).reversed().thenComparing(Scored::name))
                .limit(limit)
                .map(Scored::name)
                .toList();
    }

    /** Whether only two neighbouring letters are transposed: "Aad" for "Ada". */
    private static boolean isTransposed(String one, String other) {
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

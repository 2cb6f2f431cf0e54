package io.agentworkspace.engine.model;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.apache.commons.text.similarity.JaroWinklerSimilarity;
import org.apache.commons.text.similarity.LevenshteinDistance;

/** Names that look like a given one: what a note offers when a name is not known. */
public final class Near {
    private static final double ALIKE = 0.8;

    private Near() {}

    /** The most alike of the candidates to the first 64 characters, best first; none when nothing is alike enough to be meant. */
    public static List<String> nearest(String name, Collection<String> candidates, int limit) {
        record Scored(String name, double score, int distance) {}
        var similarity = new JaroWinklerSimilarity();
        // No name is longer, and the work grows with the product of both lengths.
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

    /** Whether only two neighbouring letters have changed places: "Aad" for "Ada". */
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

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

    /** The most alike of the candidates, best first; none when nothing is alike enough to be meant. */
    public static List<String> nearest(String name, Collection<String> candidates, int limit) {
        record Scored(String name, double score, int distance) {}
        var similarity = new JaroWinklerSimilarity();
        var wanted = Name.key(name);
        var typos = Math.max(1, wanted.length() / 4);
        var distance = new LevenshteinDistance(typos);
        return candidates.stream()
                .map(candidate -> new Scored(
                        candidate,
                        similarity.apply(Name.key(candidate), wanted),
                        distance.apply(Name.key(candidate), wanted)))
                // -1: more typos than that.
                .filter(scored -> scored.score() >= ALIKE || scored.distance() >= 0)
                .sorted(Comparator.comparingDouble(Scored::score).reversed().thenComparing(Scored::name))
                .limit(limit)
                .map(Scored::name)
                .toList();
    }
}

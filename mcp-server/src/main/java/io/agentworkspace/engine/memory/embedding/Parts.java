package io.agentworkspace.engine.memory.embedding;

import java.util.ArrayList;
import java.util.List;

/** Cuts a long text into parts that overlap a little, all of about the same length. */
final class Parts {
    /** Of a text that has more, the rest is found by words only. */
    static final int MOST = 64;

    private static final int OVERLAP = 16;

    private Parts() {}

    /** At least one part, each of at most so many tokens. */
    static List<List<Integer>> of(List<Integer> tokens, int most) {
        if (tokens.size() <= most) {
            return List.of(tokens);
        }
        var count = Math.min(MOST, Math.ceilDiv(tokens.size() - OVERLAP, most - OVERLAP));
        var length = Math.min(most, Math.ceilDiv(tokens.size() + (count - 1) * OVERLAP, count));
        var parts = new ArrayList<List<Integer>>();
        for (var i = 0; i < count; i++) {
            var start = i * (length - OVERLAP);
            parts.add(tokens.subList(start, Math.min(tokens.size(), start + length)));
        }
        return parts;
    }
}

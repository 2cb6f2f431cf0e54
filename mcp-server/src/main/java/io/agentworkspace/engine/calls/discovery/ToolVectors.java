package io.agentworkspace.engine.calls.discovery;

import io.agentworkspace.engine.memory.embedding.Embedder;
import io.agentworkspace.engine.memory.embedding.Vectors;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.List;

/**
 * The vectors of what is said about a tool.
 *
 * @param passages of each passage
 * @param names of what callers call it
 * @param whole of all of it
 */
record ToolVectors(List<byte[]> passages, byte[] names, byte[] whole) {
    static ToolVectors of(Tool<?, ?> tool, Embedder embedder) {
        return new ToolVectors(
                ToolTexts.passages(tool).stream().map(embedder::passages).toList(),
                embedder.passages(ToolTexts.names(tool)),
                embedder.passages(ToolTexts.whole(tool)));
    }

    /** Returns how like a question the nearest passage, the names and the whole are, up to 1 for each. */
    double likeness(float[] question) {
        var nearest = passages.stream()
                .mapToDouble(passage -> likeness(question, passage))
                .max()
                .orElse(0);
        return nearest + likeness(question, names) + likeness(question, whole);
    }

    private static double likeness(float[] question, byte[] vectors) {
        return Vectors.likeness(question, vectors, 0, vectors.length);
    }
}

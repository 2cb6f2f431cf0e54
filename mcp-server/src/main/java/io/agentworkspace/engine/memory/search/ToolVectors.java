package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.memory.embedding.Embedder;
import io.agentworkspace.engine.memory.embedding.Vectors;
import java.util.List;

/** The vectors of what is said about a tool, one or more for each passage. */
record ToolVectors(List<byte[]> passages) {
    static ToolVectors of(List<String> passages, Embedder embedder) {
        return new ToolVectors(passages.stream().map(embedder::passages).toList());
    }

    /** Returns how like the nearest passage is to a question, up to 1. */
    double likeness(float[] question) {
        return passages.stream()
                .mapToDouble(passage -> Vectors.likeness(question, passage, 0, passage.length))
                .max()
                .orElse(0);
    }
}

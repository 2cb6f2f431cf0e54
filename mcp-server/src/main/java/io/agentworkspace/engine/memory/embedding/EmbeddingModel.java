package io.agentworkspace.engine.memory.embedding;

import java.util.List;

/** Makes vectors of texts, such that texts of like meaning have like vectors. They have the length 1. */
interface EmbeddingModel extends AutoCloseable {
    /** The vector of a question. */
    float[] query(String text);

    /** The vectors of a text that is to be found, one for each part of it. */
    List<float[]> passages(String text);

    @Override
    void close();
}

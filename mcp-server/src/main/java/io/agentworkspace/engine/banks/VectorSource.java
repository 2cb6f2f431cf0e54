package io.agentworkspace.engine.banks;

import io.agentworkspace.engine.memory.embedding.Embedder;
import io.agentworkspace.engine.memory.embedding.EmbeddingQueue;
import io.agentworkspace.engine.memory.embedding.EmbeddingStore;
import org.jspecify.annotations.Nullable;

/** Where a memory that is being stored gets its vectors: at once where that is quick, else from the queue soon after. */
public record VectorSource(Embedder embedder, EmbeddingQueue queue) {
    /** Vectors, and the model that they are of. */
    record Embedded(String model, byte[] vectors) {}

    /** Null if they come later. */
    @Nullable
    Embedded atOnce(MemoryStore.MemoryDraft draft) {
        var name = draft.name() == null ? null : draft.name().text();
        var vectors = draft.append() ? null : embedder.atOnce(EmbeddingStore.embedded(name, draft.text()));
        if (vectors == null) {
            queue.wake();
            return null;
        }
        return new Embedded(embedder.id(), vectors);
    }
}

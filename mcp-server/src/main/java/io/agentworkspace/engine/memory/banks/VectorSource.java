package io.agentworkspace.engine.memory.banks;

import io.agentworkspace.engine.memory.embedding.Embedder;
import io.agentworkspace.engine.memory.embedding.EmbeddingQueue;
import io.agentworkspace.engine.memory.embedding.EmbeddingStore;
import org.jspecify.annotations.Nullable;

/** Where a memory that is being stored gets its vectors: at once where that is quick, else from the queue soon after. */
public record VectorSource(Embedder embedder, EmbeddingQueue queue) {
    /** Vectors, and the model that they are of. */
    record Embedded(String model, byte[] vectors) {}

    /** Returns whether the draft probably gets its vectors at once. */
    boolean isFreeFor(MemoryStore.MemoryDraft draft) {
        return !draft.append() && embedder.isFreeFor(text(draft));
    }

    private static String text(MemoryStore.MemoryDraft draft) {
        return EmbeddingStore.embedded(
                draft.name() == null ? null : draft.name().text(), draft.text());
    }

    /** Null if they come later. */
    @Nullable
    Embedded atOnce(MemoryStore.MemoryDraft draft) {
        var vectors = draft.append() ? null : embedder.atOnce(text(draft));
        if (vectors == null) {
            queue.wake();
            return null;
        }
        return new Embedded(embedder.id(), vectors);
    }
}

package io.agentworkspace.engine.memory.embedding;

import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * What makes the vectors of memories and questions.
 *
 * @param endpoint an embeddings endpoint; null for the model in this process
 * @param key for the endpoint
 * @param model of the endpoint
 */
public record EmbeddingConfig(
        boolean isOn,
        @Nullable URI endpoint,
        @Nullable String key,
        @Nullable String model) {}

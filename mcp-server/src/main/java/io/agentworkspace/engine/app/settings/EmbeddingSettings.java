package io.agentworkspace.engine.app.settings;

import io.agentworkspace.engine.memory.embedding.EmbeddingConfig;
import java.net.URI;
import java.util.Map;

/** Reads what makes the vectors of memories and questions. */
final class EmbeddingSettings {
    private static final String OFF = "off";
    private static final String BUILTIN = "builtin";

    static final Setting<String> EMBEDDING = Setting.of(
            "ENGINE_EMBEDDING",
            BUILTIN,
            "how to find memories by meaning: builtin, off, or the URL of an OpenAI-compatible embeddings endpoint",
            "builtin, off or an http or https URL",
            EmbeddingSettings::checked);
    static final Setting<String> KEY = Setting.of(
                    "ENGINE_EMBEDDING_KEY", null, "API key for the embeddings endpoint", "a text", text -> text)
            .isSecret();
    static final Setting<String> MODEL = Setting.of(
            "ENGINE_EMBEDDING_MODEL",
            "text-embedding-3-small",
            "model to request at the embeddings endpoint",
            "a text",
            text -> text);

    private EmbeddingSettings() {}

    private static String checked(String text) {
        if (text.equals(OFF) || text.equals(BUILTIN)) {
            return text;
        }
        var scheme = URI.create(text).getScheme();
        if (!"http".equals(scheme) && !"https".equals(scheme)) {
            throw new IllegalArgumentException(text);
        }
        return text;
    }

    static EmbeddingConfig read(Map<String, String> values) {
        var chosen = EMBEDDING.read(values);
        var isEndpoint = !chosen.equals(OFF) && !chosen.equals(BUILTIN);
        return new EmbeddingConfig(
                !chosen.equals(OFF),
                isEndpoint ? URI.create(chosen) : null,
                KEY.find(values),
                isEndpoint ? MODEL.read(values) : null);
    }
}

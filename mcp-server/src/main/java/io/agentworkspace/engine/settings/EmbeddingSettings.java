package io.agentworkspace.engine.settings;

import java.net.URI;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What makes the vectors of memories and questions.
 *
 * @param endpoint an embeddings endpoint; null for the model in this process
 * @param key for the endpoint
 * @param model of the endpoint
 */
public record EmbeddingSettings(
        boolean isOn,
        @Nullable URI endpoint,
        @Nullable String key,
        @Nullable String model) {

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

    static EmbeddingSettings read(Map<String, String> values) {
        var chosen = EMBEDDING.read(values);
        var isEndpoint = !chosen.equals(OFF) && !chosen.equals(BUILTIN);
        return new EmbeddingSettings(
                !chosen.equals(OFF),
                isEndpoint ? URI.create(chosen) : null,
                KEY.find(values),
                isEndpoint ? MODEL.read(values) : null);
    }
}

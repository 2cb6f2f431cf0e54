package io.agentworkspace.engine.memory.embedding;

import io.agentworkspace.engine.model.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A model behind an OpenAI-compatible embeddings endpoint. */
final class RemoteModel implements EmbeddingModel {
    private static final Duration CONNECT = Duration.ofSeconds(3);
    private static final Duration ANSWER = Duration.ofSeconds(20);
    private static final int PART_CHARACTERS = 1_500;
    private static final int OVERLAP = 100;

    private final URI address;
    private final @Nullable String key;
    private final String model;
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(CONNECT)
            .build();

    private record EmbeddingResponse(List<Item> data) {}

    private record Item(int index, float[] embedding) {}

    RemoteModel(URI endpoint, @Nullable String key, String model) {
        this.address = endpoint.getPath().endsWith("/embeddings")
                ? endpoint
                : URI.create(endpoint.toString().replaceAll("/+$", "") + "/embeddings");
        this.key = key;
        this.model = model;
    }

    @Override
    public float[] query(String text) {
        return vectors(List.of(text)).getFirst();
    }

    @Override
    public List<float[]> passages(String text) {
        var parts = new ArrayList<String>();
        var start = 0;
        do {
            parts.add(text.substring(start, Math.min(text.length(), start + PART_CHARACTERS)));
            start += PART_CHARACTERS - OVERLAP;
        } while (start + OVERLAP < text.length() && parts.size() < Parts.MOST);
        return vectors(parts);
    }

    private List<float[]> vectors(List<String> texts) {
        var body = Json.text(Map.of("model", model, "input", texts, "encoding_format", "float"));
        var request = HttpRequest.newBuilder(address)
                .timeout(ANSWER)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body));
        if (key != null) {
            request.header("Authorization", "Bearer " + key);
        }
        try {
            var response = client.send(request.build(), BodyHandlers.ofString());
            if (response.statusCode() != 200) {
                throw new IllegalStateException("the embeddings endpoint answered %d".formatted(response.statusCode()));
            }
            var items = Json.readValue(response.body(), EmbeddingResponse.class).data();
            if (items.size() != texts.size()) {
                throw new IllegalStateException("the embeddings endpoint answered %d vectors for %d texts"
                        .formatted(items.size(), texts.size()));
            }
            return items.stream()
                    .sorted(java.util.Comparator.comparingInt(Item::index))
                    .map(item -> Vectors.normalized(item.embedding()))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("the embeddings endpoint cannot be reached", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted at the embeddings endpoint", e);
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}

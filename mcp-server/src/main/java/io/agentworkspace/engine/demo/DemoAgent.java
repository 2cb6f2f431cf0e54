package io.agentworkspace.engine.demo;

import io.agentworkspace.engine.model.json.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** An agent of the demo: an ordinary MCP client with its own key. */
final class DemoAgent {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static volatile @Nullable HttpClient client;

    private final URI endpoint;
    private final String name;
    private final String key;

    DemoAgent(URI endpoint, String name, String key) {
        this.endpoint = endpoint;
        this.name = name;
        this.key = key;
    }

    private static HttpClient client() {
        if (client == null) {
            client = HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(PATIENCE)
                    .build();
        }
        return Objects.requireNonNull(client);
    }

    /**
     * Calls a tool.
     *
     * @return the response, even if it is a refusal
     */
    JsonNode call(String tool, ObjectNode arguments) throws IOException, InterruptedException {
        var message = Json.object()
                .put("jsonrpc", "2.0")
                .put("id", UUID.randomUUID().toString())
                .put("method", "tools/call");
        message.putObject("params").put("name", tool).set("arguments", arguments);
        var request = HttpRequest.newBuilder(endpoint)
                .timeout(PATIENCE)
                .header("Content-Type", "application/json")
                .header("Accept", "application/json")
                .header("X-API-Key", key)
                .header("User-Agent", "demo-" + name)
                .POST(HttpRequest.BodyPublishers.ofByteArray(Json.bytes(message)))
                .build();
        var response = client().send(request, HttpResponse.BodyHandlers.ofByteArray());
        return Json.readObject(response.body()).at("/result/structuredContent");
    }
}

package io.agentworkspace.engine.mcp.endpoint;

import io.agentworkspace.engine.model.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A client of the MCP endpoint that sends exactly the messages of a test. Single quotes in JSON stand for double quotes.
 */
public final class RawMcpClient {
    public static final String ALL = "{'elicitation': {}, 'sampling': {}, 'roots': {}}";

    private static final String BOTH = "application/json, text/event-stream";

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final AtomicInteger ids = new AtomicInteger();
    private final String url;
    private final String key;

    /** @param url of the server, or of one of its toolsets */
    public RawMcpClient(String url, String key) {
        this.url = url;
        this.key = key;
    }

    public static ObjectNode json(String text) {
        return Json.readObject(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    public static JsonNode json(HttpResponse<String> response) {
        return Json.read(response.body().getBytes(StandardCharsets.UTF_8));
    }

    /** Returns a valid request of 2026-07-28. */
    public ObjectNode request(String method, String params, String capabilities) {
        var request = Json.object()
                .put("jsonrpc", "2.0")
                .put("id", ids.incrementAndGet())
                .put("method", method);
        var input = json(params);
        input.withObjectProperty("_meta")
                .put("io.modelcontextprotocol/protocolVersion", "2026-07-28")
                .set("io.modelcontextprotocol/clientCapabilities", json(capabilities));
        request.set("params", input);
        return request;
    }

    /** Returns the headers that repeat parts of a request. */
    public static List<String> mirrored(ObjectNode request) {
        var headers = new ArrayList<>(List.of(
                "MCP-Protocol-Version",
                "2026-07-28",
                "Mcp-Method",
                request.path("method").asString("")));
        Stream.of("name", "uri", "taskId")
                .map(field -> request.path("params").path(field).asString(""))
                .filter(name -> !name.isEmpty())
                .findFirst()
                .ifPresent(name -> Collections.addAll(headers, "Mcp-Name", name));
        return headers;
    }

    public HttpResponse<String> send(ObjectNode request, List<String> headers) {
        return post(Json.text(request), headers, BodyHandlers.ofString(StandardCharsets.UTF_8));
    }

    /** Returns the response to a request of 2026-07-28, from JSON or from a stream. */
    public JsonNode modern(String method, String params) {
        return modern(method, params, ALL);
    }

    public JsonNode modern(String method, String params, String capabilities, String... headers) {
        var request = request(method, params, capabilities);
        var all = new ArrayList<>(mirrored(request));
        Collections.addAll(all, headers);
        return last(send(request, all));
    }

    /** Returns the response of a server without sessions to a request of an older revision. */
    public JsonNode bare(String method, String params) {
        var request = Json.object()
                .put("jsonrpc", "2.0")
                .put("id", ids.incrementAndGet())
                .put("method", method);
        request.set("params", json(params));
        return last(send(request, List.of()));
    }

    /** Returns the stream that responds to a request of 2026-07-28. */
    public Events events(String method, String params) {
        return events(method, params, ALL);
    }

    public Events events(String method, String params, String capabilities) {
        var request = request(method, params, capabilities);
        return new Events(post(Json.text(request), mirrored(request), BodyHandlers.ofInputStream()));
    }

    /** Begins a session. */
    public Session session(String version, String capabilities) {
        var body = """
                {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "%s", "capabilities": %s,
                 "clientInfo": {"name": "test", "version": "1"}}}""".formatted(version, capabilities.replace('\'', '"'));
        var response = post(body, List.of(), BodyHandlers.ofString(StandardCharsets.UTF_8));
        var id = response.headers().firstValue("Mcp-Session-Id").orElseThrow();
        return new Session(
                this, id, last(response).at("/result/protocolVersion").asString(""));
    }

    /** A session, which can continue through another peer. */
    public record Session(RawMcpClient peer, String id, String version) {
        public Session through(RawMcpClient other) {
            return new Session(other, id, version);
        }

        public HttpResponse<String> post(String body) {
            return peer.post(body.replace('\'', '"'), headers(), BodyHandlers.ofString(StandardCharsets.UTF_8));
        }

        public JsonNode call(String method, String params) {
            return last(post(body(method, params)));
        }

        public Events events(String method, String params) {
            return start(body(method, params));
        }

        public Events start(String body) {
            return new Events(peer.post(body.replace('\'', '"'), headers(), BodyHandlers.ofInputStream()));
        }

        public String body(String method, String params) {
            return "{'jsonrpc': '2.0', 'id': %d, 'method': '%s', 'params': %s}"
                    .formatted(peer.ids.incrementAndGet(), method, params);
        }

        /** Opens the session's stream. */
        public Events listen() {
            return listen("text/event-stream");
        }

        /** @param accept null to send no such header */
        public Events listen(@Nullable String accept) {
            var request = peer.builder(headers()).GET();
            return new Events(peer.exchange(
                    accept == null ? request : request.header("Accept", accept), BodyHandlers.ofInputStream()));
        }

        public HttpResponse<String> end() {
            return peer.exchange(peer.builder(headers()).DELETE(), BodyHandlers.ofString());
        }

        private List<String> headers() {
            return List.of("Mcp-Session-Id", id, "MCP-Protocol-Version", version);
        }
    }

    public <T> HttpResponse<T> post(String body, List<String> headers, BodyHandler<T> handler) {
        var request = builder(headers)
                .header("Accept", BOTH)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body));
        return exchange(request, handler);
    }

    HttpRequest.Builder builder(List<String> headers) {
        var request = HttpRequest.newBuilder(URI.create(url))
                .timeout(Duration.ofMinutes(2))
                .header("X-Api-Key", key);
        return headers.isEmpty() ? request : request.headers(headers.toArray(String[]::new));
    }

    private <T> HttpResponse<T> exchange(HttpRequest.Builder request, BodyHandler<T> handler) {
        try {
            return http.send(request.build(), handler);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Returns the last message of a response: the JSON body, or the last event of the stream. */
    public static JsonNode last(HttpResponse<String> response) {
        var type = response.headers().firstValue("Content-Type").orElse("");
        if (!type.startsWith("text/event-stream")) {
            return json(response);
        }
        var data = response.body()
                .lines()
                .filter(line -> line.startsWith("data: "))
                .toList();
        return Json.read(data.getLast().substring("data: ".length()).getBytes(StandardCharsets.UTF_8));
    }
}

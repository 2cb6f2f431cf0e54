package io.agentworkspace.engine.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.EngineProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Streams opened by the largest requests, in an engine with 256 MB of heap. The process exits if it is exhausted. */
@Tag("slow")
class OpenStreamsTest {
    private static final int HEADERS = 16 * 1024;

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final List<Socket> sockets = Collections.synchronizedList(new ArrayList<>());

    @TempDir
    private Path directory;

    private EngineProcess engine;
    private String owner;

    @BeforeEach
    void start() throws Exception {
        engine = EngineProcess.start(directory, Map.of("JDK_JAVA_OPTIONS", "-Xmx256m -XX:+ExitOnOutOfMemoryError"));
        owner = engine.key();
    }

    @AfterEach
    void stop() throws IOException {
        for (var socket : sockets) {
            socket.close();
        }
        engine.close();
    }

    private HttpResponse<String> send(String key, String method, String path, String body) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(engine.url() + path))
                .method(method, BodyPublishers.ofString(body))
                .header("X-Api-Key", key)
                .header("Content-Type", "application/json");
        return http.send(request.build(), BodyHandlers.ofString());
    }

    private static JsonNode json(String text) {
        return Json.read(text.getBytes(StandardCharsets.UTF_8));
    }

    private String key(String name) throws Exception {
        var made = send(owner, "POST", "/api/keys", "{\"name\":\"%s\",\"capabilities\":[\"*\"]}".formatted(name));
        return json(made.body()).get("api_key").asString();
    }

    /** Returns a request with as many header fields as are allowed. */
    private static String largest(String begin, String body) {
        var length = body.isEmpty()
                ? ""
                : "Content-Type: application/json\r\nContent-Length: %d\r\n".formatted(body.length());
        var head = begin + "\r\nHost: localhost\r\n" + length;
        var field = "a:\r\n";
        return head + field.repeat((HEADERS - head.length() - 100) / field.length()) + "\r\n" + body;
    }

    /** Opens this many streams. */
    private void openAll(int count, String request) {
        IntStream.range(0, count).parallel().forEach(_ -> {
            try {
                assertThat(open(request)).startsWith("HTTP/1.1 200 ");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private String open(String request) throws IOException {
        var at = URI.create(engine.url());
        var socket = new Socket();
        sockets.add(socket);
        socket.setReceiveBufferSize(4_096);
        socket.connect(new InetSocketAddress(at.getHost(), at.getPort()));
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        return new String(socket.getInputStream().readNBytes(13), StandardCharsets.US_ASCII);
    }

    private void theOwnerIsServed() throws Exception {
        for (var i = 0; i < 20; i++) {
            var response = send(owner, "GET", "/api/keys", "");
            assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        }
        assertThat(send(owner, "GET", "/api/health/ready", "").statusCode()).isEqualTo(200);
    }

    /** Together the requests would fill more than the heap, if the streams kept them. */
    @Test
    void streamsKeepNothingOfTheirRequests() throws Exception {
        openAll(350, largest("GET /api/stream HTTP/1.1\r\nX-Api-Key: " + key("live"), ""));
        openAll(350, listen(key("listen")));
        theOwnerIsServed();
    }

    private static String listen(String key) {
        var body = """
                {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}""";
        var head = """
                POST /mcp HTTP/1.1
                X-Api-Key: %s
                Accept: application/json, text/event-stream
                MCP-Protocol-Version: 2026-07-28
                Mcp-Method: subscriptions/listen""".formatted(key);
        return largest(head.replace("\n", "\r\n"), body);
    }
}

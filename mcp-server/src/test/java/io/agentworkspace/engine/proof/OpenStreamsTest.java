package io.agentworkspace.engine.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.EngineProcess;
import java.io.IOException;
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
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Everything that stays open, at its limit and opened by the largest request, in an engine with 256 MB of heap. The
 * process exits if its memory is exhausted.
 */
@Tag("slow")
class OpenStreamsTest {
    /** The most that one user may have. */
    private static final int MOST = 3_000;

    private static final int HEADERS = 16 * 1024;

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final List<Socket> sockets = new ArrayList<>();

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

    private HttpResponse<String> send(String key, String method, String path, String body, String... headers)
            throws Exception {
        var request = HttpRequest.newBuilder(URI.create(engine.url() + path))
                .method(method, BodyPublishers.ofString(body))
                .header("X-Api-Key", key)
                .header("Content-Type", "application/json");
        if (headers.length > 0) {
            request.headers(headers);
        }
        return http.send(request.build(), BodyHandlers.ofString());
    }

    private static tools.jackson.databind.JsonNode json(String text) {
        return Json.read(text.getBytes(StandardCharsets.UTF_8));
    }

    private String key(String name) throws Exception {
        var made = send(owner, "POST", "/api/keys", "{\"name\":\"%s\",\"capabilities\":[\"*\"]}".formatted(name));
        return json(made.body()).get("api_key").asString();
    }

    /** Returns a request with as many header fields as are allowed. */
    private static String largest(String begin, String body) {
        var length = body.isEmpty() ? "" : "Content-Type: application/json\r\nContent-Length: %d\r\n".formatted(body.length());
        var head = begin + "\r\nHost: localhost\r\n" + length;
        var field = "a:\r\n";
        return head + field.repeat((HEADERS - head.length() - 100) / field.length()) + "\r\n" + body;
    }

    /** Opens streams until one is refused, and returns how many are open. */
    private int openAll(String request, int most) throws IOException {
        for (var i = 0; i < most; i++) {
            var status = open(request);
            if (!status.startsWith("HTTP/1.1 200 ")) {
                assertThat(status).startsWith("HTTP/1.1 429 ");
                return i;
            }
        }
        return most;
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

    @Test
    void measured() throws Exception {
        System.out.println("before " + live());
        var live = key("live");
        var n = openAll(largest("GET /api/stream HTTP/1.1\r\nX-Api-Key: " + live, ""), 1000);
        System.out.println("live " + n + " " + live());
        var listen = listen(List.of());
        n = openAll(listen.apply(live), 1000);
        System.out.println("listen " + n + " " + live());
        theOwnerIsServed();
    }

    private static java.util.function.UnaryOperator<String> listen(List<String> uris) {
        var body = """
                {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":[%s]},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"""
                .formatted(uris.stream().map("\"%s\""::formatted).collect(Collectors.joining(",")));
        return key -> largest(
                "POST /mcp HTTP/1.1\r\nX-Api-Key: " + key
                        + "\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen",
                body);
    }

    private String live() throws Exception {
        var p = new ProcessBuilder(System.getProperty("java.home") + "/bin/jcmd", Long.toString(engine.pid()), "GC.class_histogram").start();
        var lines = new String(p.getInputStream().readAllBytes()).lines().toList();
        return String.join("\n", lines.subList(0, 25)) + "\n" + lines.getLast();
    }
}

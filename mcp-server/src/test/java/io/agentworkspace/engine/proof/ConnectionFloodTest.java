package io.agentworkspace.engine.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.EngineProcess;
import io.agentworkspace.engine.testing.HangLimit;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A stranger opens 1,500 connections with unfinished headers to an engine with a small heap. The headers of one
 * take about half a megabyte: those of 400 would fill the heap, so the engine must free those of closed connections at
 * once. Probes and a caller with a key are served all the time.
 */
@Tag("slow")
@Tag("crash")
class ConnectionFloodTest {
    private static final int CONNECTIONS = 1_500;
    private static final int OPEN_AT_ONCE = 1_000;
    private static final int PROBE_EVERY = 250;
    private static final String LIVE = "/api/health/live";

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final String key = new TestTenant().key(ClientApi.REST, "ann", Role.OWNER, List.of("*"));

    @TempDir
    Path dataDir;

    private static byte[] unfinished(String before, String line) {
        var headers = line.repeat(16_000 / line.length());
        return (before + "GET /api/health HTTP/1.1\r\nHost: localhost\r\n" + headers)
                .getBytes(StandardCharsets.US_ASCII);
    }

    @Test
    void theEngineGoesOn() throws Exception {
        var settings = Map.of(
                "ENGINE_DATABASE_URL",
                TestDatabase.url(),
                "ENGINE_SECRETS_KEY",
                TestDatabase.SECRETS_KEY,
                "ENGINE_EMBEDDING",
                "off",
                "JAVA_TOOL_OPTIONS",
                "-Xmx256m");
        try (var engine = EngineProcess.start(dataDir, settings)) {
            var whole = "GET /api/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";
            flood(engine, unfinished("", "a:\r\n"));
            flood(engine, unfinished(whole, "b:1\r\n"));
            flood(
                    engine,
                    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n%s\r\n"
                            .formatted("b:1\r\n".repeat(3_000))
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(engine.stop()).isZero();
        }
        assertThat(Files.readString(dataDir.resolve("engine.log"))).doesNotContain("OutOfMemory");
    }

    private void flood(EngineProcess engine, byte[] bytes) throws Exception {
        var at = URI.create(engine.url());
        var open = new ArrayDeque<SocketChannel>();
        try {
            for (var i = 0; i < CONNECTIONS; i++) {
                open.add(connection(at, bytes));
                if (open.size() > OPEN_AT_ONCE) {
                    open.removeFirst().close();
                }
                if (i % PROBE_EVERY == PROBE_EVERY - 1) {
                    assertThat(probe(at)).startsWith("HTTP/1.1 200 ");
                    assertThat(call(at)).isEqualTo(200);
                }
            }
        } finally {
            for (var connection : open) {
                connection.close();
            }
        }
    }

    private static SocketChannel connection(URI at, byte[] bytes) throws IOException {
        var connection = SocketChannel.open();
        try {
            connection.connect(new InetSocketAddress(at.getHost(), at.getPort()));
            connection.configureBlocking(false);
            connection.write(ByteBuffer.wrap(bytes));
        } catch (IOException e) {
            connection.close(); // The engine closed it.
        }
        return connection;
    }

    private static String probe(URI at) throws IOException {
        try (var socket = new Socket(at.getHost(), at.getPort())) {
            socket.setSoTimeout((int) HangLimit.TIME.toMillis());
            socket.getOutputStream()
                    .write("GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                            .formatted(LIVE)
                            .getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private int call(URI at) throws Exception {
        var request = HttpRequest.newBuilder(at.resolve("/api/account"))
                .header("X-Api-Key", key)
                .timeout(HangLimit.TIME)
                .build();
        return CLIENT.send(request, BodyHandlers.ofString()).statusCode();
    }
}

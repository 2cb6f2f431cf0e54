package io.agentworkspace.engine.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.EngineProcess;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An engine with 256 MB of heap, attacked with a valid key. The process exits if its memory is exhausted. */
@Tag("slow")
@Tag("crash")
class MemoryTest {
    private static final int BODY = 1 << 20;
    private static final String COMMANDS = "/demo/v1/Engine/tps";
    private static final Duration LONG = Duration.ofMinutes(2);

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final List<Socket> sockets = new ArrayList<>();

    @TempDir
    private static Path directory;

    private static EngineProcess engine;

    private final TestTenant tenant = new TestTenant();
    private final String attacker = tenant.key(ClientApi.REST, "attacker", Role.MEMBER, List.of("*"));
    private final String neighbour = tenant.key(ClientApi.REST, "ann", Role.MEMBER, List.of("*"));

    @BeforeAll
    static void start() {
        engine = EngineProcess.start(
                directory,
                Map.of(
                        "ENGINE_DATABASE_URL",
                        TestDatabase.url(),
                        "ENGINE_SECRETS_KEY",
                        TestDatabase.SECRETS_KEY,
                        "ENGINE_EMBEDDING",
                        "off",
                        "JDK_JAVA_OPTIONS",
                        "-Xmx256m -XX:+ExitOnOutOfMemoryError"));
    }

    @AfterAll
    static void stop() {
        engine.close();
    }

    @AfterEach
    void disconnect() throws IOException {
        for (var socket : sockets) {
            socket.close();
        }
    }

    private HttpResponse<String> send(String key, String method, String path, String body) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(engine.url() + path))
                .method(method, BodyPublishers.ofString(body))
                .header("X-Api-Key", key)
                .header("Content-Type", "application/json")
                .timeout(LONG)
                .build();
        return http.send(request, BodyHandlers.ofString());
    }

    private static tools.jackson.databind.JsonNode json(HttpResponse<String> response) {
        return Json.read(response.body().getBytes(StandardCharsets.UTF_8));
    }

    private void done(String service, String arguments) throws Exception {
        var body = "{\"service\":\"%s\"%s"
                .formatted(
                        service,
                        arguments.equals("{}")
                                ? "}"
                                : "," + arguments.replace('\'', '"').substring(1));
        var response = send(attacker, "POST", COMMANDS, body);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    }

    private Socket connect(String head) throws IOException {
        var at = URI.create(engine.url());
        var socket = new Socket();
        sockets.add(socket);
        socket.setReceiveBufferSize(4_096);
        socket.connect(new InetSocketAddress(at.getHost(), at.getPort()));
        socket.setSoTimeout((int) LONG.toMillis());
        socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private void theNeighbourIsServed() throws Exception {
        for (var i = 0; i < 20; i++) {
            var response = send(neighbour, "POST", COMMANDS, "{\"service\":\"AP_List\"}");
            assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        }
        assertThat(send(neighbour, "GET", "/api/health/ready", "").statusCode()).isEqualTo(200);
    }

    private static boolean isRefused(HttpResponse<String> response) {
        return response.statusCode() == 429
                && response.headers().firstValue("Retry-After").isPresent();
    }

    @Test
    void bodiesWhoseLastByteIsHeldBackAreRefusedAndOthersAreServed() throws Exception {
        var bytes = " ".repeat(BODY - 1).getBytes(StandardCharsets.US_ASCII);
        var refused = new AtomicInteger();
        var ended = new CountDownLatch(1_400);
        for (var i = 0; i < 1_400; i++) {
            var socket =
                    connect("POST %s HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: %s\r\nContent-Type: application/json\r\n"
                                    .formatted(COMMANDS, attacker)
                            + "Content-Length: " + BODY + "\r\n\r\n");
            Thread.ofVirtual().start(() -> {
                try {
                    socket.getOutputStream().write(bytes);
                    var answer = new String(socket.getInputStream().readNBytes(1_000), StandardCharsets.UTF_8);
                    if (answer.startsWith("HTTP/1.1 429 ") && answer.contains("Retry-After: ")) {
                        refused.incrementAndGet();
                    }
                } catch (IOException e) {
                    // The server has closed the connection.
                }
                ended.countDown();
            });
        }
        // All connections look up their key at once, so the database may be too busy at first.
        await().until(() ->
                send(neighbour, "POST", COMMANDS, "{\"service\":\"AP_List\"}").statusCode() == 200);
        ended.await(); // Accepted requests are refused too if their body does not arrive in time.
        assertThat(refused.get()).isPositive();
        theNeighbourIsServed();
        done("AP_List", "{}");
    }

    /** Stores memories with the longest texts. The first one is long in JSON, too. */
    private void storeMemories(int count) throws Exception {
        done("MB_Create", "{'vx':{'name':'Log','description':'d'}}");
        TestDatabase.db()
                .sql("""
                INSERT INTO memory (tenant_id, bank_id, id, text, tags, author_id, contributors, derived_from, created_at, updated_at)
                SELECT b.tenant_id, b.id, gen_random_uuid(), repeat(CASE i WHEN 1 THEN chr(1) ELSE 'x' END, 60000), '{}', b.owner_id, '{}',
                       '{}', now(), now()
                  FROM bank b, generate_series(1, :count) i
                 WHERE b.tenant_id = :tenant AND b.name = 'Log'
                """)
                .set("tenant", tenant.id(ClientApi.REST))
                .set("count", count)
                .run();
    }

    @Test
    void aBatchOfReadsOfLongMemoriesHasOneBudget() throws Exception {
        storeMemories(200);
        var mcp = URI.create(engine.url() + "/mcp");
        var begin = HttpRequest.newBuilder(mcp)
                .header("X-Api-Key", attacker)
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream")
                .timeout(LONG);
        var handshake = http.send(begin.POST(BodyPublishers.ofString("""
                                {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"attacker","version":"1"}}}""")).build(), BodyHandlers.ofString());
        assertThat(handshake.statusCode()).as(handshake.body()).isEqualTo(200);
        var read = """
                {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"MB_Read","arguments":{"target":{"bank":"Log"},"page":{"limit":200}}}}""";
        var batch = begin.header(
                        "Mcp-Session-Id",
                        handshake.headers().firstValue("Mcp-Session-Id").orElseThrow())
                .POST(BodyPublishers.ofString(
                        IntStream.range(1, 51).mapToObj(read::formatted).collect(Collectors.joining(",", "[", "]"))))
                .build();
        var waiting = IntStream.range(0, 20)
                .mapToObj(_ -> http.sendAsync(batch, BodyHandlers.ofString()))
                .toList();
        theNeighbourIsServed();
        var answered = 0;
        for (var answer : waiting) {
            var response = answer.join();
            if (response.statusCode() == 200) {
                answered++;
                assertThat(response.body().length()).isLessThanOrEqualTo(BODY);
                assertThat(json(response).size()).isEqualTo(50);
                assertThat(response.body()).contains("next_cursor", "\"code\":");
            } else {
                assertThat(isRefused(response)).as(response.body()).isTrue();
            }
        }
        assertThat(answered).isPositive();
        theNeighbourIsServed();
    }

    @Test
    void answersThatNobodyReadsFillTheShareOfTheirKeyAlone() throws Exception {
        storeMemories(16);
        var body = "{\"service\":\"MB_Read\",\"target\":{\"bank\":\"Log\"},\"page\":{\"limit\":200}}";
        var request = "POST %s HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: %s\r\nContent-Type: application/json\r\n"
                        .formatted(COMMANDS, attacker)
                + "Content-Length: " + body.length() + "\r\n\r\n" + body;
        IntStream.range(0, 40).forEach(_ -> {
            try {
                connect(request.repeat(20));
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        await().until(() -> {
            connect(request.repeat(20)); // Replaces connections that the server has closed.
            return isRefused(send(attacker, "POST", COMMANDS, "{\"service\":\"AP_List\"}"));
        });
        theNeighbourIsServed();
        // A client that reads nothing for half a minute is disconnected, and its memory is released.
        await().atMost(Duration.ofMinutes(5)).until(() -> sockets.stream().allMatch(MemoryTest::isHungUpOn));
        var served = send(attacker, "POST", COMMANDS, "{\"service\":\"AP_List\"}");
        assertThat(served.statusCode()).as(served.body()).isEqualTo(200);
    }

    private static boolean isHungUpOn(Socket socket) {
        try {
            socket.getOutputStream().write('\n');
            return false;
        } catch (IOException e) {
            return true;
        }
    }
}

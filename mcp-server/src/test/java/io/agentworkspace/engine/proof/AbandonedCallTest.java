package io.agentworkspace.engine.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.app.App;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.CommandAddress;
import io.agentworkspace.engine.testing.HangLimit;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import io.agentworkspace.engine.testing.WaitingCall;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A call that waits in the database while its client closes the connection. */
@Tag("race")
class AbandonedCallTest {
    private static final String TOKEN = "a-token-of-a-scraper-1234";
    private static App app;

    private final TestTenant tenant = new TestTenant();
    private final String key = tenant.key(ClientApi.REST, "maria", Role.MEMBER, List.of("*"));

    @BeforeAll
    static void start() {
        app = TestServer.start(Map.of("ENGINE_METRICS_TOKEN", TOKEN, "ENGINE_METRICS_LISTEN", "127.0.0.1:0"));
    }

    @AfterAll
    static void stop() {
        app.close();
    }

    @ParameterizedTest
    @EnumSource(CommandAddress.class)
    void itIsRolledBackAndItsIdempotencyKeyIsFree(CommandAddress way) {
        create("Ada");
        create("Bob");
        var before = cancelled();
        WaitingCall.whileHeld(() -> lock("Ada"), waiting -> {
            send(update(way, "Ada"), socket -> await().until(() -> waiting.getAsLong() == 1));
            await().until(() -> cancelled() == before + 1);
            await().until(() -> waiting.getAsLong() == 0);
            var again = way.call(app.baseUrl(), key, "AP_Update", arguments("Bob"), Map.of("Idempotency-Key", "once"));
            assertThat(again.error()).as(again.toString()).isEmpty();
            assertThat(again.replayed()).isFalse();
        });
    }

    @Test
    void aClientThatSendsItsNextRequestEarlyGetsBothResponses() {
        create("Ada");
        create("Bob");
        var before = cancelled();
        var next = "GET /api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        send("", early -> {
            WaitingCall.whileHeld(this::lockBoth, waiting -> {
                write(early, update(CommandAddress.ALIAS, "Ada"));
                await().until(() -> waiting.getAsLong() == 1);
                write(early, next);
                // It is checked together with another call, whose client has gone.
                send(update(CommandAddress.MCP, "Bob").replace("once", "twice"), _ -> {});
                await().until(() -> cancelled() == before + 1);
            });
            assertThat(read(early).split("HTTP/1.1 ", -1)).hasSize(3);
        });
    }

    private void create(String agent) {
        CommandAddress.ALIAS.call(app.baseUrl(), key, "AP_Create", """
                {"vx":{"name":"%s","description":"d"}}""".formatted(agent), Map.of());
    }

    private void lock(String agent) {
        assertThat(TestDatabase.db()
                        .sql("SELECT 1 FROM agent WHERE tenant_id = :tenant AND name = :name FOR UPDATE")
                        .set("tenant", tenant.id(ClientApi.REST))
                        .set("name", agent)
                        .one(_ -> true))
                .isPresent();
    }

    private void lockBoth() {
        lock("Ada");
        lock("Bob");
    }

    private static String arguments(String agent) {
        return """
                {"target":{"agent":"%1$s"},"vx":{"name":"%1$s","description":"changed"}}""".formatted(agent);
    }

    private String update(CommandAddress way, String agent) {
        var body = way.body("AP_Update", arguments(agent));
        return "POST %s HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: %s\r\nContent-Type: application/json\r\nIdempotency-Key: once\r\nContent-Length: %d\r\n\r\n%s"
                .formatted(way.path("AP_Update"), key, body.length(), body);
    }

    /** What happens while the connection is open. */
    @FunctionalInterface
    private interface Meanwhile {
        void with(Socket socket);
    }

    private static void send(String request, Meanwhile meanwhile) {
        var at = URI.create(app.baseUrl());
        try (var socket = new Socket(at.getHost(), at.getPort())) {
            socket.setSoTimeout((int) HangLimit.TIME.toMillis());
            write(socket, request);
            meanwhile.with(socket);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void write(Socket socket, String text) {
        try {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Socket socket) {
        try {
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long cancelled() {
        var metrics = "http://127.0.0.1:" + app.metricsPort().orElseThrow() + "/metrics";
        try (var client = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(URI.create(metrics)).build();
            var series = "engine_http_requests_cancelled_total ";
            return client.send(request, BodyHandlers.ofString())
                    .body()
                    .lines()
                    .filter(line -> line.startsWith(series))
                    .mapToLong(line -> (long) Double.parseDouble(line.substring(series.length())))
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}

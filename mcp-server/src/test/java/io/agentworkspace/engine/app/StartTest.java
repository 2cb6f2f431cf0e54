package io.agentworkspace.engine.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.kernel.db.embedded.LoopbackPort;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.EngineProcess;
import io.agentworkspace.engine.testing.NetworkLine;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an engine responds while it starts: while it waits for its database, upgrades the schema, and right after. */
@Tag("slow")
class StartTest {
    @TempDir
    private static Path folder;

    /** Returns the raw response; empty if nobody listens yet. */
    private static String get(int port, String request) {
        try (var socket = new Socket("127.0.0.1", port)) {
            socket.getOutputStream()
                    .write((request + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    private static void assertNotReady(int port, String status) {
        await().until(() -> get(port, "GET /api/health/ready").contains("\"status\":\"" + status + "\""));
        assertThat(get(port, "GET /api/health/ready"))
                .startsWith("HTTP/1.1 503 ")
                .contains("Connection: close", "Retry-After: 1", "\"contract_version\":", "\"version\":", "\"time\":");
        assertThat(get(port, "GET /api/health/live"))
                .startsWith("HTTP/1.1 200 ")
                .contains("nosniff")
                .endsWith("{\"status\":\"ok\"}");
        assertThat(get(port, "GET /api/health")).startsWith("HTTP/1.1 200 ").contains(status);
        assertThat(get(port, "HEAD /api/health/ready")).startsWith("HTTP/1.1 503 ");
        for (var path : List.of("GET /mcp", "GET /api/config", "POST " + ClientApi.path("AP_List"))) {
            assertThat(get(port, path))
                    .matches("(?s)HTTP/1.1 50[03] .*")
                    .contains("Retry-After: 1", "the engine is " + status + "; try again shortly");
        }
    }

    private static CompletableFuture<Replica> start(int port, String database) {
        return CompletableFuture.supplyAsync(
                () -> Replica.start(Map.of("ENGINE_PORT", Integer.toString(port), "ENGINE_DATABASE_URL", database)),
                Thread.ofPlatform()::start);
    }

    @Test
    void itWaitsForADatabaseThatIsNotThereYet() {
        var port = LoopbackPort.free();
        var database = URI.create(TestDatabase.url().substring("jdbc:".length()));
        try (var line = new NetworkLine(database.getPort())) {
            line.cut();
            var started =
                    start(port, TestDatabase.url().replace(":" + database.getPort() + "/", ":" + line.port() + "/"));
            assertNotReady(port, "starting");
            assertThat(started).isNotDone();
            line.mend();
            try (var _ = started.join()) {
                assertThat(get(port, "GET /api/health/ready")).startsWith("HTTP/1.1 200 ");
            }
        }
    }

    @Test
    void aStopEndsTheWait() throws Exception {
        var port = LoopbackPort.free();
        var absent = "jdbc:postgresql://127.0.0.1:%d/absent?user=a&password=b".formatted(LoopbackPort.free());
        var engine = EngineProcess.spawn("--port", Integer.toString(port), "--database-url", absent);
        assertNotReady(port, "starting");
        engine.toHandle().destroy();
        assertThat(engine.errorReader().lines())
                .noneMatch(line -> line.startsWith("engine: ") || line.contains("did not stop cleanly"));
        assertThat(engine.waitFor()).isZero();
    }

    @Test
    void itIsAliveWhileTheSchemaIsUpgraded() throws Exception {
        var port = LoopbackPort.free();
        TestDatabase.empty("upgraded").close();
        try (var holder = DriverManager.getConnection(TestDatabase.url("upgraded"));
                var statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            statement.execute("CREATE TABLE tenant (id bigint)"); // The first migration waits for the end of this.
            var started = start(port, TestDatabase.url("upgraded"));
            assertNotReady(port, "upgrading");
            assertThat(started).isNotDone();
            holder.rollback();
            try (var _ = started.join()) {
                assertThat(get(port, "GET /api/health/ready")).startsWith("HTTP/1.1 200 ");
            }
        }
    }

    /**
     * Each connects and calls at the same time, with the keys of many users. On a slow machine the last ones wait longer than a
     * call's patience, while others are served.
     */
    @Test
    void manyConnectionsAtOnceAreServedRightAfterIt() {
        var tenant = new TestTenant();
        var keys = IntStream.range(0, 30)
                .mapToObj(i -> tenant.key(ClientApi.REST, "user " + i, Role.MEMBER, List.of("*")))
                .toList();
        try (var engine = EngineProcess.start(
                folder,
                Map.of("ENGINE_DATABASE_URL", TestDatabase.url(), "ENGINE_SECRETS_KEY", TestDatabase.SECRETS_KEY))) {
            var port = URI.create(engine.url()).getPort();
            var statuses = Concurrently.of(500, i -> called(port, keys.get(i % keys.size())));
            assertThat(statuses).containsOnly("");
        }
    }

    private static String called(int port, String key) {
        try (var socket = new Socket("127.0.0.1", port)) {
            socket.getOutputStream()
                    .write(
                            "POST %s HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: %s\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
                                    .formatted(ClientApi.path("AP_List"), key)
                                    .getBytes(StandardCharsets.US_ASCII));
            var response = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return response.startsWith("HTTP/1.1 200 ") ? "" : response.replaceFirst("(?s).*\"note\"", "");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

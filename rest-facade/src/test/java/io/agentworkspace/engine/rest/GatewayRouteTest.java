package io.agentworkspace.engine.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.DatabaseState;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

class GatewayRouteTest {
    private static TestServer server;

    @BeforeAll
    static void start() throws Exception {
        server = new TestServer();
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    @Test
    void healthTellsHowItIs() throws Exception {
        assertThat(Json.text(server.send(server.anonymously("/api/health")).json()))
                .isEqualTo("""
                        {"status":"ok","contract_version":"2026-05-25","version":"0.1.0","time":"2026-05-25T12:00:00.000Z","database":"reachable"}""");
        assertThat(server.get("/api/health/ready").status()).isEqualTo(200);
        assertThat(server.get("/api/health/live").at("/status")).isEqualTo("ok");
    }

    @Test
    void withoutItsDatabaseItIsAliveButNotReady() throws Exception {
        server.database.set(DatabaseState.UNREACHABLE);
        try {
            var ready = server.get("/api/health/ready");
            assertThat(ready.status()).isEqualTo(503);
            assertThat(ready.at("/status")).isEqualTo("degraded");
            assertThat(ready.at("/database")).isEqualTo("unreachable");
            assertThat(ready.header("Retry-After")).isEqualTo("1");
            assertThat(server.get("/api/health").status()).isEqualTo(200);
            assertThat(server.get("/api/health").at("/status")).isEqualTo("degraded");
            assertThat(server.get("/api/health").at("/database")).isEqualTo("unreachable");
            assertThat(server.get("/api/health/live").status()).isEqualTo(200);
        } finally {
            server.database.set(DatabaseState.REACHABLE);
        }
    }

    @ParameterizedTest
    @CsvSource({"FULL, full", "READ_ONLY, read_only"})
    void aDatabaseThatTakesNoChangesIsToldAndStillServed(DatabaseState state, String word) throws Exception {
        server.database.set(state);
        try {
            for (var path : List.of("/api/health", "/api/health/ready")) {
                var got = server.get(path);
                assertThat(got.status()).isEqualTo(200);
                assertThat(got.at("/status")).isEqualTo("degraded");
                assertThat(got.at("/database")).isEqualTo(word);
            }
        } finally {
            server.database.set(DatabaseState.REACHABLE);
        }
    }

    @Test
    void theConfigurationNamesAddressesAndLimits() throws Exception {
        var got = server.send(server.anonymously("/api/config"));

        assertThat(got.at("/mcp_endpoint")).isEqualTo("http://mcp.engine.test/mcp");
        assertThat(got.at("/command_route")).isEqualTo("/demo/v1/Engine/tps");
        assertThat(got.at("/limits/max_body_bytes")).isEqualTo("1048576");
        assertThat(got.at("/limits/content_characters")).isEqualTo("64000");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/api", "/api/nothing", "/demo/v1/Engine", "/demo/v1/Engine/tpsx"})
    void whereThereIsNothingIsAProblem(String path) throws Exception {
        var got = server.get(path);

        assertThat(got.problem()).isEqualTo("404 not_found");
        assertThat(got.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(got.at("/detail"))
                .isEqualTo("there is nothing at %s; the routes are listed at /api/openapi.json".formatted(path));
    }

    @Test
    void anotherMethodIsRefusedWithThoseAllowed() throws Exception {
        var got = server.send(server.to("/api/health").POST(BodyPublishers.noBody()));

        assertThat(got.problem()).isEqualTo("405 method_not_allowed");
        assertThat(got.header("Allow")).contains("GET");
    }

    @Test
    void headIsGetWithoutTheBody() throws Exception {
        var got = server.send(server.to("/api/health").method("HEAD", BodyPublishers.noBody()));

        assertThat(got.status()).isEqualTo(200);
        assertThat(got.response().body()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/health?%zz", "/api/keys?labels=<>", "/api/keys?labels=%"})
    void aQueryThatMustBeEncodedIsAProblem(String path) throws Exception {
        assertThat(raw(path, "localhost", "X-Api-Key: member"))
                .startsWith("HTTP/1.1 400")
                .contains("bad_request");
    }

    @Test
    void aBadQueryOnACommandRouteIsAnEnvelope() throws Exception {
        assertThat(raw("/demo/v1/Engine/tps?%zz", "localhost", "X-Api-Key: member"))
                .startsWith("HTTP/1.1 400")
                .contains("invalid_field", "\"internal_code\":1004");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Accept: text/html",
                "Accept: nonsense",
                "Accept: a/b;q=zz",
                "Accept-Language: ;;;",
                "Content-Type: a/b/c",
                "If-None-Match: ,;=\"",
                "If-Modified-Since: yesterday"
            })
    void oddHeadersDoNoHarm(String header) throws Exception {
        assertThat(raw("/api/health", "my_engine:8080", header))
                .startsWith("HTTP/1.1 200")
                .contains("reachable");
        assertThat(raw("/api/openapi.json", "[::1]:8080", header))
                .startsWith("HTTP/1.1 200")
                .contains("openapi");
    }

    private static String raw(String path, String host, String header) throws Exception {
        try (var socket = new Socket("127.0.0.1", server.port())) {
            socket.setSoTimeout(60_000);
            var request =
                    "GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\nConnection: close\r\n\r\n".formatted(path, host, header);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void aDefectIsLoggedUnderItsRequestId() throws Exception {
        var log = (Logger) LoggerFactory.getLogger(FailureMapper.class);
        var lines = new ListAppender<ILoggingEvent>();
        lines.start();
        log.addAppender(lines);
        try {
            server.post("/demo/v1/Engine/tps/agent/chat", "{\"content\":\"crash\"}");
        } finally {
            log.detachAppender(lines);
        }
        assertThat(lines.list).singleElement().satisfies(line -> {
            assertThat(line.getFormattedMessage()).contains("req-1", "POST", "/agent/chat");
            assertThat(line.getThrowableProxy().getMessage()).contains("secret");
        });
    }
}

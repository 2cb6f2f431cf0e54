package io.agentworkspace.engine.web.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.kernel.http.RequestRate;
import java.net.URI;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostAndOriginTest {
    private static final CallerLimit UNLIMITED = new CallerLimit(RequestRate.OFF, Clock.systemUTC());

    private static SampleServer server;

    @BeforeAll
    static void start() {
        server = new SampleServer();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                "localhost:8080",
                "LOCALHOST",
                "localhost.",
                "127.0.0.1",
                "127.0.0.1:1",
                "10.20.30.40:80",
                "[::1]",
                "[::1]:8080",
                "[2001:db8::17]",
                "engine.example",
                "ENGINE.example:443",
                "alias.example:9"
            })
    void ownHostsAreAnswered(String host) {
        assertThat(statusFor("/api/health", "Host: " + host)).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example",
                "evil.example:8080",
                "localhost.evil.example",
                "127.0.0.1.nip.io",
                "engine.example.evil.example",
                "xengine.example",
                "2130706433",
                "0x7f.1",
                "127.1",
                "1.2.3.4.5",
                "256.1.1.1"
            })
    void otherHostsAreRefused(String host) {
        assertThat(statusFor("/api/health", "Host: " + host)).isEqualTo(403);
    }

    @Test
    void aForeignHostInTheRequestLineIsRefusedToo() {
        assertThat(statusFor("http://evil.example/api/health", "Host: evil.example"))
                .isEqualTo(403);
        assertThat(statusFor("http://localhost/api/health", "Host: localhost")).isEqualTo(200);
        assertThat(statusFor("http://evil.example/api/health", "Host: localhost"))
                .isIn(400, 403);
        assertThat(statusFor("http://localhost/api/health", "Host: evil.example"))
                .isIn(400, 403);
    }

    @Test
    void aRequestWithoutHostIsNotForUs() {
        assertThat(status(server.raw("GET /api/health HTTP/1.1\r\nConnection: close\r\n\r\n")))
                .isEqualTo(400);
        assertThat(status(server.raw("GET /api/health HTTP/1.0\r\n\r\n"))).isEqualTo(200);
    }

    @Test
    void ownOriginsAreAnsweredAndMayReadTheAnswer() {
        for (var origin : List.of(
                "https://engine.example",
                "https://app.example",
                "http://127.0.0.1:" + server.port(),
                "http://localhost:" + server.port(),
                "http://[::1]:" + server.port())) {
            var response = server.get("/api/health", "Origin", origin);
            assertThat(response.statusCode()).as(origin).isEqualTo(200);
            assertThat(response.headers().firstValue("Access-Control-Allow-Origin"))
                    .hasValue(origin);
            assertThat(response.headers().firstValue("Vary")).hasValue("Origin");
            assertThat(response.headers()
                            .firstValue("Access-Control-Expose-Headers")
                            .orElse(""))
                    .contains("X-Request-Id");
            assertThat(response.headers().firstValue("Access-Control-Allow-Credentials"))
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "https://evil.example",
                "http://engine.example",
                "https://engine.example:8443",
                "http://localhost:1",
                "http://localhost",
                "https://engine.example.evil.example",
                "https://app.example/",
                "file://",
                "x",
                "*"
            })
    void otherOriginsAreRefusedEvenWithAKey(String origin) {
        var response = server.get("/api/me", "Origin", origin, "X-Api-Key", server.key);
        assertThat(response.statusCode()).isEqualTo(403);
        assertThat(response.headers().firstValue("Access-Control-Allow-Origin")).isEmpty();
    }

    @Test
    void anEmptyOrTwofoldOriginIsRefused() {
        assertThat(statusFor("/api/me", "Host: localhost\r\nOrigin:")).isEqualTo(403);
        var twice = "Host: localhost\r\nOrigin: https://app.example\r\nOrigin: https://app.example";
        assertThat(statusFor("/api/me", twice)).isEqualTo(403);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/health", "/api/mcp/tools", "/mcp/server-card", "/.well-known/ai-catalog.json"})
    void whatIsPublicMayBeReadByEveryPage(String path) {
        for (var origin : List.of("https://evil.example", "null")) {
            var response = server.get(path, "Origin", origin);
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.headers().firstValue("Access-Control-Allow-Origin"))
                    .hasValue("*");
            assertThat(response.headers().firstValue("Access-Control-Allow-Credentials"))
                    .isEmpty();
        }
        var foreign = "Host: localhost\r\nOrigin: https://evil.example";
        assertThat(statusFor(path, foreign + "\r\nX-Api-Key: " + server.key)).isEqualTo(403);
        assertThat(statusFor(path, foreign + "\r\nAuthorization: Bearer " + server.key))
                .isEqualTo(403);
        assertThat(statusFor(path, "Host: evil.example\r\nOrigin: http://evil.example"))
                .isEqualTo(403);
        assertThat(status(server.raw("POST %s HTTP/1.1\r\n%s\r\nConnection: close\r\n\r\n".formatted(path, foreign))))
                .isEqualTo(403);
    }

    @Test
    void whatIsNotFoundAmongTheWellKnownIsNoMatterOfCredentials() {
        assertThat(statusFor("/.well-known/oauth-protected-resource", "Host: localhost"))
                .isEqualTo(404);
    }

    @Test
    void aForeignPageMayAskOnlyForWhatIsPublic() {
        var lines = " HTTP/1.1\r\nConnection: close\r\nHost: localhost\r\nOrigin: https://evil.example\r\n"
                + "Access-Control-Request-Method: ";
        assertThat(server.raw("OPTIONS /mcp/server-card" + lines + "GET\r\n\r\n"))
                .startsWith("HTTP/1.1 204")
                .contains("Access-Control-Allow-Origin: *", "Access-Control-Allow-Methods: GET\r\n")
                .doesNotContain("X-Api-Key");
        for (var request :
                List.of("/mcp" + lines + "GET", "/mcp/server-card" + lines + "POST", "/mcp" + lines + "POST")) {
            assertThat(status(server.raw("OPTIONS " + request + "\r\n\r\n")))
                    .as(request)
                    .isEqualTo(403);
        }
    }

    @Test
    void aPreflightNeedsNoCredentialButAnAllowedOrigin() {
        var lines = "Host: localhost\r\nAccess-Control-Request-Method: POST\r\nOrigin: ";
        var allowed =
                server.raw("OPTIONS /mcp HTTP/1.1\r\nConnection: close\r\n" + lines + "https://app.example\r\n\r\n");
        assertThat(status(allowed)).isEqualTo(204);
        assertThat(allowed)
                .contains("Access-Control-Allow-Origin: https://app.example")
                .contains("Access-Control-Allow-Methods: GET, POST, PATCH, DELETE")
                .containsPattern("Access-Control-Allow-Headers: .*X-Api-Key");
        var refused =
                server.raw("OPTIONS /mcp HTTP/1.1\r\nConnection: close\r\n" + lines + "https://evil.example\r\n\r\n");
        assertThat(status(refused)).isEqualTo(403);
        var noPreflight = "OPTIONS /api/me HTTP/1.1\r\nConnection: close\r\nHost: localhost\r\n\r\n";
        assertThat(status(server.raw(noPreflight))).isEqualTo(401);
    }

    @ParameterizedTest
    @ValueSource(strings = {"app.example", "https://app.example/path", "https://u@app.example", "https://a?b", ""})
    void whatIsNoOriginCannotBeAllowed(String origin) {
        assertThatThrownBy(() -> GateRules.of(List.of(), List.of(), List.of(origin), UNLIMITED, RequestRate.OFF))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void anOriginWithItsStandardPortIsTheSameOrigin() {
        var rules = GateRules.of(
                List.of(URI.create("https://A.example:443"), URI.create("http://b.example:80/")),
                List.of("C.example:8080"),
                List.of("https://d.example:443"),
                UNLIMITED,
                RequestRate.OFF);
        assertThat(rules.origins())
                .containsExactlyInAnyOrder("https://a.example", "http://b.example", "https://d.example");
        assertThat(rules.hosts()).containsExactlyInAnyOrder("a.example", "b.example", "c.example");
    }

    private static int statusFor(String target, String hostLine) {
        return status(server.raw("GET %s HTTP/1.1\r\n%s\r\nConnection: close\r\n\r\n".formatted(target, hostLine)));
    }

    private static int status(String response) {
        return Integer.parseInt(response.split(" ", 3)[1]);
    }
}

package io.agentworkspace.engine.web.server;

import static io.agentworkspace.engine.web.server.SampleServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.identity.credentials.SessionSecret;
import io.agentworkspace.engine.model.access.Role;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.security.SecureRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GateTest {
    private static final String COMMANDS = "/demo/v1/Engine/tps";

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
    @ValueSource(strings = {"a", "0192-abc_DEF.7", "0123456789012345678901234567890123456789012345678901234567890123"})
    void aPlainRequestIdIsKept(String id) {
        assertThat(requestId(server.get("/api/health", "X-Request-Id", id))).isEqualTo(id);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"with space", "a;b", "ü", "01234567890123456789012345678901234567890123456789012345678901234"})
    void anyOtherRequestIdIsReplaced(String id) {
        assertThat(requestId(server.get("/api/health", "X-Request-Id", id))).matches("[0-9]{15}");
    }

    @Test
    void aKeyIsNoRequestId() {
        assertThat(requestId(server.get("/api/health", "X-Request-Id", server.key)))
                .matches("[0-9]{15}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/api/health", "/api/me", "/api/nowhere", "/mcp", "/api/throws", "/api/fails", "/api/resets"})
    void everyAnswerHasTheSecurityHeaders(String path) {
        var response = server.get(path, "X-Api-Key", server.key);
        assertThat(header(response, "X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(header(response, "X-Frame-Options")).isEqualTo("DENY");
        assertThat(header(response, "Referrer-Policy")).isEqualTo("no-referrer");
        assertThat(header(response, "Cache-Control")).isEqualTo("no-store");
        assertThat(header(response, "Content-Security-Policy")).isEqualTo("default-src 'none'; frame-ancestors 'none'");
        assertThat(header(response, "X-Request-Id")).isNotEmpty();
        assertThat(response.headers().map()).doesNotContainKeys("server", "x-powered-by");
    }

    @Test
    void theKeysCallerReachesTheDoorByEitherHeader() {
        assertThat(json(server.get("/api/me", "x-api-key", server.key))
                        .get("caller")
                        .asString())
                .startsWith("key:");
        assertThat(server.get("/api/me", "Authorization", "Bearer " + server.key)
                        .statusCode())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/mcp/tools", "/api/mcp/tools/AP_Read"})
    void publicRoutesAnswerWithoutACredentialAndKnowOneThatCame(String path) {
        assertThat(json(server.get(path)).get("caller").asString()).isEqualTo("nobody");
        assertThat(json(server.get(path, "X-Api-Key", server.key)).get("caller").asString())
                .startsWith("key:");
        assertThat(server.get(path, "X-Api-Key", stranger()).statusCode()).isEqualTo(401);
    }

    @Test
    void healthIgnoresCredentials() {
        for (var key : new String[] {server.key, stranger(), "no key at all"}) {
            var health = server.get("/api/health", "X-Api-Key", key);
            assertThat(health.statusCode()).isEqualTo(200);
            assertThat(json(health).get("caller").asString()).isEqualTo("nobody");
        }
        assertThat(server.get("/api/health?api_key=" + server.key).statusCode()).isEqualTo(400);
    }

    @Test
    void anAmbiguousAddressIsToldWhatIsWrongWithIt() {
        assertThat(json(server.get("//demo/v1/Engine/tps")).get("detail").asString())
                .contains("empty segment ('//')");
        assertThat(json(server.get("/api//keys")).get("detail").asString()).contains("empty segment ('//')");
        assertThat(json(server.get("/api/keys/a%2Fb")).get("detail").asString()).contains("encoded slash (%2F)");
    }

    @Test
    void aPublicPathIsPublicForReadingOnly() {
        var response = server.send("/api/mcp/tools", request -> request.POST(BodyPublishers.noBody()));
        assertThat(response.statusCode()).isEqualTo(401);
    }

    @Test
    void healthAnswersAlsoWhenNobodyCanBeAuthenticated() {
        server.keys.away(true);
        try {
            assertThat(server.get("/api/health", "X-Api-Key", server.key).statusCode())
                    .isEqualTo(200);
            var cookie = SessionSecret.COOKIE + "="
                    + SessionSecret.generate(new SecureRandom()).reveal();
            assertThat(server.get("/api/health", "Cookie", cookie).statusCode()).isEqualTo(200);
            var untold = server.get("/api/auth/session", "Cookie", cookie);
            assertThat(untold.statusCode()).isEqualTo(503);
            assertThat(header(untold, "Retry-After")).isEqualTo("1");
            assertThat(server.get("/api/mcp/tools").statusCode()).isEqualTo(200);
            var refused = server.get("/api/me", "X-Api-Key", server.key);
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(header(refused, "Retry-After")).isEqualTo("1");
            assertThat(json(server.mcp("{}")).at("/error/code").asInt()).isEqualTo(-32603);
        } finally {
            server.keys.away(false);
        }
    }

    @Test
    void onlyARequestWithoutAnyCredentialIsChallenged() {
        var without = server.get("/api/me");
        assertThat(without.statusCode()).isEqualTo(401);
        assertThat(header(without, "WWW-Authenticate")).startsWith("Bearer");
        for (var response : new HttpResponse<?>[] {
            server.get("/api/me", "X-Api-Key", stranger()),
            server.get("/api/me", "X-Api-Key", "nonsense"),
            server.get("/api/me", "Authorization", "Basic YTpi"),
        }) {
            assertThat(response.statusCode()).isEqualTo(401);
            assertThat(response.headers().firstValue("WWW-Authenticate")).isEmpty();
        }
    }

    @Test
    void aMistypedKeyIsCalledSo() {
        var mistyped = server.key.substring(0, 51) + (server.key.endsWith("a") ? "b" : "a");
        assertThat(json(server.get("/api/me", "X-Api-Key", mistyped))
                        .get("detail")
                        .asString())
                .contains("mistyped key");
    }

    @Test
    void refusalsOutsideTheCommandRoutesAreProblemDocuments() {
        var response = server.get("/api/me", "X-Request-Id", "r-1");
        assertThat(header(response, "Content-Type")).isEqualTo("application/problem+json");
        var problem = json(response);
        assertThat(problem.get("status").asInt()).isEqualTo(401);
        assertThat(problem.get("error").asString()).isEqualTo("unauthenticated");
        assertThat(problem.get("request_id").asString()).isEqualTo("r-1");
    }

    @ParameterizedTest
    @ValueSource(strings = {COMMANDS, COMMANDS + "/agent/create"})
    void refusalsOnCommandRoutesAreEnvelopes(String path) {
        var response = server.get(path, "X-Request-Id", "r-2", "Origin", "https://evil.example");
        assertThat(response.statusCode()).isEqualTo(401);
        var envelope = json(response);
        assertThat(envelope.at("/header/request_id").asString()).isEqualTo("r-2");
        assertThat(envelope.at("/status/success").asBoolean()).isFalse();
        assertThat(envelope.at("/status/http_code").asInt()).isEqualTo(401);
        assertThat(envelope.at("/status/internal_code").asInt()).isEqualTo(2003);
        assertThat(json(server.get(path)).at("/status/internal_code").asInt()).isEqualTo(2001);
        var both = server.get(path, "X-Api-Key", server.key, "Authorization", "Bearer " + stranger());
        assertThat(both.statusCode()).isEqualTo(400);
        assertThat(json(both).at("/status/error").asString()).isEqualTo("invalid_field");
    }

    @Test
    void refusalsAtTheMcpDoorAreJsonRpcErrors() {
        var response = server.get("/mcp", "X-Request-Id", "r-3");
        assertThat(response.statusCode()).isEqualTo(401);
        var error = json(response);
        assertThat(error.get("jsonrpc").asString()).isEqualTo("2.0");
        assertThat(error.has("id")).isFalse();
        assertThat(error.at("/error/code").asInt()).isEqualTo(-32600);
        assertThat(error.at("/error/data/error").asString()).isEqualTo("unauthenticated");
        assertThat(error.at("/error/data/internal_code").asInt()).isEqualTo(2001);
        assertThat(error.at("/error/data/request_id").asString()).isEqualTo("r-3");
    }

    @Test
    void whatGoesWrongBehindTheGateIsAnsweredInThePathsStyleAndTellsNothing() {
        for (var path : new String[] {"/api/throws", "/api/fails"}) {
            var response = server.get(path, "X-Api-Key", server.key);
            assertThat(response.statusCode()).isEqualTo(500);
            assertThat(json(response).get("error").asString()).isEqualTo("internal");
            assertThat(response.body()).doesNotContain("secret", "IllegalState", "\tat ");
            assertThat(response.headers().firstValue("X-Half")).isEmpty();
        }
        var command = server.get(COMMANDS + "/agent/read", "X-Api-Key", server.key);
        assertThat(command.statusCode()).isEqualTo(500);
        assertThat(json(command).at("/status/internal_code").asInt()).isEqualTo(5001);
        var refused = server.get("/api/refuses", "X-Api-Key", server.key);
        assertThat(refused.statusCode()).isEqualTo(409);
        var written = server.get("/api/writes-error", "X-Api-Key", server.key);
        assertThat(written.statusCode()).isEqualTo(415);
        assertThat(written.body()).contains("unsupported_media_type").doesNotContain("secret");
    }

    @Test
    void anUnknownPathIsNotFoundForThoseWhoMayAsk() {
        assertThat(server.get("/api/nowhere").statusCode()).isEqualTo(401);
        assertThat(server.get("/api/nowhere", "X-Api-Key", server.key).statusCode())
                .isEqualTo(404);
    }

    @Test
    void aHeadRequestHasNoBody() {
        var response = server.send("/api/health", request -> request.method("HEAD", BodyPublishers.noBody()));
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEmpty();
    }

    @Test
    void aViewersKeyIsAsGoodAtTheGateAsAnyOther() {
        var viewer = server.keys.add(Role.VIEWER, "agent:read");
        assertThat(server.get("/api/me", "X-Api-Key", viewer).statusCode()).isEqualTo(200);
    }

    private static String stranger() {
        return ApiKey.generate(new SecureRandom()).reveal();
    }

    private static String requestId(HttpResponse<String> response) {
        return header(response, "X-Request-Id");
    }

    private static String header(HttpResponse<String> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }
}

package io.agentworkspace.engine.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest.BodyPublishers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class AuthRouteTest {
    private static final String SESSION = "/api/auth/session";

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
    void theDesksAnswersGoOutWithTheirHeaders() throws Exception {
        var read = server.get(SESSION);
        assertThat(read.status()).isEqualTo(200);
        assertThat(read.at("/signed_in")).isEqualTo("true");
        var start = server.send(server.to(SESSION).POST(BodyPublishers.noBody()));
        assertThat(start.status()).isEqualTo(201);
        assertThat(start.header("Set-Cookie")).isEqualTo("session=1; Path=/");
        assertThat(server.get("/.well-known/jwks.json").header("Cache-Control")).isEqualTo("public, max-age=60");
    }

    @Test
    void aRedirectGoesWhereTheDeskSays() throws Exception {
        var left = server.get("/api/auth/oauth/sample/start?surface=hub");
        assertThat(left.status()).isEqualTo(302);
        assertThat(left.header("Location")).isEqualTo("https://sample.example/?a=b");
        assertThat(left.response().headers().allValues("Set-Cookie")).containsExactly("one=1", "two=2");
        assertThat(left.response().body()).isEmpty();
        assertThat(server.get("/api/auth/oauth/sample/callback").problem()).isEqualTo("403 not_permitted");
        assertThat(server.get("/api/config").at("/sign_in/0")).isEqualTo("sample");
    }

    @Test
    void itsRefusalsAreProblemDocuments() throws Exception {
        var refused = server.send(server.to(SESSION).DELETE());
        assertThat(refused.problem()).isEqualTo("409 conflict");
        assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(server.send(server.to(SESSION).PUT(BodyPublishers.noBody())).problem())
                .isEqualTo("405 method_not_allowed");
    }

    @Test
    void aBodyIsNotNeededButMustBeWhatBodiesAre() throws Exception {
        assertThat(server.post("/api/auth/token", "{}").status()).isEqualTo(200);
        assertThat(server.post(SESSION, "[]").problem()).isEqualTo("400 malformed_json");
        assertThat(server.post(SESSION, "{\"a\":\"" + "x".repeat(1 << 20) + "\"}")
                        .problem())
                .isEqualTo("413 too_large");
        var form = server.to(SESSION)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString("a=b"));
        assertThat(server.send(form).problem()).isEqualTo("415 unsupported_media_type");
    }
}

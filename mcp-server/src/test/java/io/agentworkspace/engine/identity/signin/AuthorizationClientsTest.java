package io.agentworkspace.engine.identity.signin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.identity.signin.Browser.Got;
import io.agentworkspace.engine.model.json.Json;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The clients of the authorization server: registered ones, described ones, with a secret, and programs with a key. */
class AuthorizationClientsTest extends AuthorizationServerFixture {
    private static final AtomicInteger PRIVATE = new AtomicInteger();

    @Test
    void aClientWithASecretNeedsIt() {
        var body = """
                {"client_name":"Confidential","redirect_uris":["%s"],"token_endpoint_auth_method":"client_secret_basic"}""".formatted(BACK);
        CLOCK.advance(Duration.ofSeconds(2));
        var made = Browser.send(engine.url(), "POST", "/oauth/register", body);
        var id = made.at("/client_id");
        var secret = made.at("/client_secret");
        var code = parameters(allowed(browser, request("client_id=" + id))).get("code");
        var exchange = exchange(code, "client_id=" + id);
        assertThat(token(exchange).at("/error")).isEqualTo("invalid_client");
        assertThat(token(with(exchange, "client_secret=" + secret.replace('s', 't')))
                        .at("/error"))
                .isEqualTo("invalid_client");
        var wrong = token(with(exchange, "client_id="), "Authorization", basic(id, "wrong"));
        assertThat(wrong.status()).isEqualTo(401);
        assertThat(wrong.header(CHALLENGE)).startsWith("Basic");
        assertThat(token(with(exchange, "client_secret=" + secret), "Authorization", basic(id, secret))
                        .at("/error"))
                .isEqualTo("invalid_request");
        assertThat(token(with(exchange, "client_id="), "Authorization", basic(id, secret))
                        .status())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cursor://anysphere.cursor-mcp/oauth/callback",
                "vscode://vscode.microsoft-authentication/callback",
                "vscode-insiders://vscode.microsoft-authentication/callback",
                "windsurf://codeium.windsurf/callback",
                "kiro://kiro.mcp/callback",
                "raycast://oauth",
                "zed://mcp/oauth"
            })
    void anEditorsOwnAddressRegistersAndIsComparedExactly(String uri) {
        var id = registered(uri);
        var request = request("client_id=" + id + "&redirect_uri=" + uri);
        var question = browser.get("/oauth/question?" + encoded(request));
        assertThat(question.at("/receiver")).isEqualTo("app");
        assertThat(question.at("/returns_to")).startsWith(uri.substring(0, uri.indexOf(':')));
        assertThat(allowed(browser, request)).startsWith(uri + "?code=");
        for (var other : List.of(uri + "/", uri + "x", uri.replaceFirst("://", "://x"), uri.toUpperCase(Locale.ROOT))) {
            assertThat(authorize(with(request, "redirect_uri=" + other)).status())
                    .as(other)
                    .isEqualTo(400);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Claude (claude.ai)",
                "Claude （claude.ai）",
                "✓ Claude",
                "Claude \u2714\uFE0F verified by [engine]",
                "“Claude”",
                "Claude\u202E(ia.edualc)",
                "\u221A Claude \u2192 claude.ai | verified"
            })
    void aRegisteredNameNeverLooksVerified(String name) {
        var body = Json.object().put("client_name", name);
        body.putArray("redirect_uris").add(BACK);
        CLOCK.advance(Duration.ofSeconds(2));
        var made = Browser.send(engine.url(), "POST", "/oauth/register", Json.text(body));
        var question = browser.get("/oauth/question?" + encoded(request("client_id=" + made.at("/client_id"))))
                .json();
        assertThat(question.path("verified").asBoolean(true)).isFalse();
        assertThat(question.path("client").asString("")).contains("C").doesNotContainPattern("[^A-Za-z. ]");
    }

    /** Libraries that always write the header, or all fields, write what a public client does not have, too. */
    @Test
    void whatIsEmptyCountsAsLeftOut() {
        CLOCK.advance(Duration.ofSeconds(2));
        var made = Browser.send(engine.url(), "POST", "/oauth/register", """
                {"redirect_uris":["%s"],"client_name":null,"token_endpoint_auth_method":null,"grant_types":null,"response_types":null}""".formatted(BACK));
        assertThat(made.status()).as(made.toString()).isEqualTo(201);
        var id = made.at("/client_id");
        var code = parameters(allowed(browser, request("client_id=" + id))).get("code");
        var got = token(exchange(code, "client_id="), "Authorization", basic(id, ""));
        assertThat(got.status()).as(got.toString()).isEqualTo(200);
    }

    private static String basic(String id, String secret) {
        return "Basic " + Base64.getEncoder().encodeToString((id + ":" + secret).getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aProgramWithAKeyOfAnAgentGetsTokensByItself() {
        var rosa = withAgent("rosa", "Robot");
        var made = rosa.change("POST", "/api/keys", """
                {"name":"robot","agent":"Robot","capabilities":["agent:read","bank:read"]}""");
        var key = made.at("/api_key");
        var form = Map.of(
                "grant_type",
                "client_credentials",
                "client_id",
                key.substring(3, 15),
                "client_secret",
                key,
                "resource",
                "https://mcp.example/mcp");
        var got = token(form);
        assertThat(got.status()).as(got.toString()).isEqualTo(200);
        assertThat(got.json().has("refresh_token")).isFalse();
        assertThat(mcp(engine, got.at("/access_token"))).isEqualTo(200);
        assertThat(token(with(form, "scope=agent:read")).at("/scope")).isEqualTo("agent:read");
        assertThat(token(with(form, "scope=agent:write")).at("/error")).isEqualTo("invalid_scope");
        assertThat(token(with(form, "scope=openid agent:read")).at("/scope")).isEqualTo("agent:read");
        assertThat(token(with(form, "scope=openid")).at("/scope")).isEqualTo("agent:read bank:read");
        assertThat(token(with(form, "resource=")).status()).isEqualTo(200);
        assertThat(token(with(form, "resource=https://evil.example/mcp")).at("/error"))
                .isEqualTo("invalid_target");
        assertThat(token(with(form, "client_id=000000000000")).at("/error")).isEqualTo("invalid_client");
        assertThat(token(with(form, "client_secret=" + got.at("/access_token"))).at("/error"))
                .isEqualTo("invalid_client");
        assertThat(token(with(form, "client_id=" + client + "&client_secret=")).at("/error"))
                .isEqualTo("invalid_client");
        var free = AuthorizationServerFixture.key;
        assertThat(token(with(form, "client_id=%s&client_secret=%s".formatted(free.substring(3, 15), free)))
                        .at("/error"))
                .isEqualTo("unauthorized_client");
        rosa.change("POST", "/api/keys/" + key.substring(3, 15) + "/revoke", "{}");
        await().until(() -> mcp(other, got.at("/access_token")) == 401);
        assertThat(token(form).at("/error")).isEqualTo("invalid_client");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{'redirect_uris':[]}",
                "{'redirect_uris':'https://a.example/'}",
                "{'redirect_uris':['http://a.example/']}",
                "{'redirect_uris':['https://a.example/#x']}",
                "{'redirect_uris':['https://u:p@a.example/']}",
                "{'redirect_uris':['javascript:alert(1)']}",
                "{'redirect_uris':['data:text/html,x']}",
                "{'redirect_uris':['file:///etc/passwd']}",
                "{'redirect_uris':['myapp:/x']}",
                "{'redirect_uris':['https:///x']}",
                "{'redirect_uris':['https://a.example/','javascript:1']}",
                "{'redirect_uris':['https://a.example/'],'token_endpoint_auth_method':'private_key_jwt'}",
                "{'redirect_uris':['https://a.example/'],'grant_types':['password']}",
                "{'redirect_uris':['https://a.example/'],'response_types':['token']}"
            })
    void aWrongRegistrationIsRefused(String body) {
        CLOCK.advance(Duration.ofSeconds(2));
        var got = Browser.send(engine.url(), "POST", "/oauth/register", body.replace('\'', '"'));
        assertThat(got.status()).as(got.toString()).isEqualTo(400);
        assertThat(got.at("/error")).isIn("invalid_redirect_uri", "invalid_client_metadata");
    }

    @Test
    void registrationsAreLimitedByAddress() {
        var body = "{\"redirect_uris\":[\"https://a.example/\"]}";
        Got last = null;
        for (var i = 0; i < 25 && (last == null || last.status() == 201); i++) {
            last = Browser.send(other.url(), "POST", "/oauth/register", body);
        }
        assertThat(last.status()).isEqualTo(429);
        assertThat(last.header("Retry-After")).isNotEmpty();
    }

    @Test
    void aClientCanBeTheAddressOfItsDescription() {
        var at = "http://127.0.0.1:%d/client.json"
                .formatted(documents.getAddress().getPort());
        serve(
                "/client.json",
                200,
                "{\"client_id\":\"%s\",\"client_name\":\"Docs\",\"redirect_uris\":[\"%s\"]}".formatted(at, BACK));
        serve(
                "/other.json",
                200,
                "{\"client_id\":\"%s\",\"client_name\":\"Docs\",\"redirect_uris\":[\"%s\"]}".formatted(at, BACK));
        serve("/moved.json", 302, "");
        serve("/text.json", 200, "<html>");
        serve("/long.json", 200, " ".repeat(20_000) + "{}");
        var request = request("client_id=" + at);
        assertThat(browser.get("/oauth/question?" + encoded(request)).at("/client"))
                .isEqualTo("Docs (127.0.0.1)");
        var code = parameters(allowed(browser, request)).get("code");
        assertThat(token(exchange(code, "client_id=" + at + "x")).at("/error")).isEqualTo("invalid_grant");
        assertThat(token(exchange(code, "client_id=" + at)).status()).isEqualTo(200);
        for (var wrong : List.of("other", "moved", "text", "long", "none")) {
            var got = authorize(request("client_id=" + at.replace("client.json", wrong + ".json")));
            assertThat(got.status()).as(wrong + got).isEqualTo(400);
        }
        var stranger =
                Browser.send(engine.url(), "GET", "/oauth/authorize?" + encoded(request("client_id=" + at + "y")), "");
        assertThat(stranger.status())
                .as("nothing is fetched before a user is signed in")
                .isEqualTo(200);
    }

    /** Whatever private networks upstream servers and webhooks may be in: both are allowed here, and one replica is as an operator starts it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://127.0.0.1:%d/private.json",
                "https://127.0.0.1:%d/private.json",
                "http://localhost:%d/private.json",
                "https://localhost:%d/private.json",
                "http://[::1]:%d/private.json"
            })
    void aDescriptionIsReadFromThePublicInternetOnly(String address) {
        var calls = new AtomicInteger();
        var path = "/private%d.json".formatted(PRIVATE.incrementAndGet());
        documents.createContext(path, exchange -> {
            calls.incrementAndGet();
            exchange.sendResponseHeaders(404, -1);
            exchange.close();
        });
        var at = address.formatted(documents.getAddress().getPort()).replace("/private.json", path);
        var got = Browser.signIn(other.url(), key).get("/oauth/authorize?" + encoded(request("client_id=" + at)));
        assertThat(got.status()).as(got.toString()).isEqualTo(400);
        assertThat(got.toString()).doesNotContain("ENGINE_");
        assertThat(calls).hasValue(0);
    }

    private static void serve(String path, int status, String body) {
        documents.createContext(path, exchange -> {
            exchange.getResponseHeaders().add("Location", "/client.json");
            var bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
    }
}

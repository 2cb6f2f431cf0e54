package io.agentworkspace.engine.identity.signin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.identity.signin.Browser.Got;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The authorization server, and what hostile clients, pages and programs try at it. */
class AuthorizationServerTest extends AuthorizationServerFixture {
    @Test
    void theMetadataNameTheRoutesAndWhatIsSupported() {
        for (var path : List.of("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration")) {
            var got = Browser.send(engine.url(), "GET", path, "");
            assertThat(got.at("/issuer")).isEqualTo("https://engine.example");
            assertThat(got.at("/token_endpoint")).isEqualTo("https://engine.example/oauth/token");
            assertThat(got.json().path("code_challenge_methods_supported").toString())
                    .isEqualTo("[\"S256\"]");
            assertThat(got.header("Cache-Control")).contains("max-age");
        }
        var resource = Browser.send(engine.url(), "GET", "/.well-known/oauth-protected-resource/mcp", "");
        assertThat(resource.json().path("authorization_servers").toString()).isEqualTo("[\"https://engine.example\"]");
        var refused = Browser.send(engine.url(), "POST", "/mcp", "{}");
        assertThat(refused.header(CHALLENGE)).contains("resource_metadata=", "scope=\"agent:read agent:write");
    }

    @ParameterizedTest
    @CsvSource({
        "/mcp, 200",
        "/mcp/readonly, 200",
        "/mcp/x/bank, 200",
        "/mcp/x/work/readonly, 200",
        "/mcp/x/nothing, 404",
        "/mcp/x, 404",
        "/mcp/y/bank, 404"
    })
    void eachPathOfTheEndpointHasMetadata(String path, int status) {
        var got = Browser.send(engine.url(), "GET", "/.well-known/oauth-protected-resource" + path, "");
        assertThat(got.status()).as(got.toString()).isEqualTo(status);
        if (status == 200) {
            assertThat(got.at("/resource")).isEqualTo("https://mcp.example" + path);
        } else {
            assertThat(got.note()).contains("no MCP endpoint at " + path, "work");
        }
    }

    @Test
    void aProviderInTheSettingsOrNoServerIsAsBefore() {
        try (var without = Replica.start(Map.of("ENGINE_AUTHORIZATION", "none"))) {
            assertThat(Browser.send(without.url(), "GET", "/.well-known/oauth-authorization-server", "")
                            .status())
                    .isEqualTo(404);
            assertThat(Browser.send(without.url(), "POST", "/oauth/register", "{}")
                            .status())
                    .isEqualTo(404);
            assertThat(Browser.send(without.url(), "POST", "/mcp", "{}").header(CHALLENGE))
                    .doesNotContain("resource_metadata");
        }
    }

    /** What the browser is sent back with; nothing for a page that sends it nowhere. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            client_id=                                          |
            client_id=client_unknown00000                       |
            client_id=javascript:alert(1)                       |
            client_id=http://169.254.169.254/latest/meta-data   |
            client_id=http://10.0.0.1/client.json               |
            client_id=https://localhost.localdomain/../a        |
            client_id=https://client.example                    |
            redirect_uri=                                       |
            redirect_uri=https://client.example/callback/       |
            redirect_uri=https://client.example/Callback        |
            redirect_uri=https://client.example/callback?a=b    |
            redirect_uri=https://client.example/callback#a      |
            redirect_uri=https://client.example:444/callback    |
            redirect_uri=https://client.example.evil.example/callback |
            redirect_uri=https://client.example@evil.example/callback |
            redirect_uri=https://evil.example/callback          |
            redirect_uri=http://client.example/callback         |
            redirect_uri=//client.example/callback              |
            redirect_uri=http://127.0.0.1:8123/other            |
            redirect_uri=http://127.0.0.2:8123/cb               |
            redirect_uri=http://localhost:8123/cb               |
            redirect_uri=https://127.0.0.1:8123/cb              |
            redirect_uri=http://127.0.0.1:8123@evil.example/cb  |
            redirect_uri=javascript:alert(1)                    |
            redirect_uri=com.example.app:/other                 |
            response_type=                                      | invalid_request
            response_type=token                                 | unsupported_response_type
            response_type=code id_token                         | unsupported_response_type
            response_mode=fragment                              | invalid_request
            request=eyJ                                         | request_not_supported
            request_uri=https://client.example/request          | request_not_supported
            code_challenge=                                     | invalid_request
            code_challenge=short                                | invalid_request
            code_challenge_method=                              | invalid_request
            code_challenge_method=plain                         | invalid_request
            code_challenge_method=s256                          | invalid_request
            resource=https://evil.example/mcp                   | invalid_target
            resource=https://mcp.example                        | invalid_target
            resource=https://mcp.example/mcp2                   | invalid_target
            resource=https://mcp.example.evil.example/mcp       | invalid_target
            resource=https://mcp.example/mcp/x/nothing          | invalid_target
            """)
    void aWrongRequestIsRefused(String change, String error) {
        issued(code()); // Only a client that the user has allowed before learns what was wrong.
        var got = authorize(request(change));
        if (error == null) {
            assertThat(got.status()).as(got.toString()).isEqualTo(400);
            assertThat(got.header("Location")).isEmpty();
        } else {
            assertThat(got.status()).isEqualTo(302);
            var back = parameters(got.header("Location"));
            assertThat(got.header("Location")).startsWith(BACK + "?");
            assertThat(back).containsEntry("error", error).containsEntry("state", "some state");
            assertThat(back).containsEntry("iss", "https://engine.example").doesNotContainKey("code");
            var decision =
                    decided(browser, request(change), "{'allow':true,'agent':'X','capabilities':['agent:read']}");
            assertThat(parameters(decision.at("/location")))
                    .containsEntry("error", error)
                    .doesNotContainKey("code");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"client_id", "redirect_uri", "state", "resource", "scope", "code_challenge"})
    void aParameterThatCameTwiceIsRefused(String name) {
        var got = browser.get("/oauth/authorize?" + encoded(request("")) + "&" + name + "=other");
        assertThat(got.status()).isIn(302, 400);
        assertThat(got.header("Location")).doesNotContain("code=");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redirect_uri=http://127.0.0.1:8123/cb",
                "redirect_uri=http://127.0.0.1/cb",
                "redirect_uri=com.example.app:/done",
                "resource=https://mcp.example/mcp/x/memory/readonly&resource=https://mcp.example/mcp/x/bank/readonly",
                "state="
            })
    void aRightRequestShowsThePageWhichNobodyMayFrame(String change) {
        var got = authorize(request(change));
        assertThat(got.status()).as(got.toString()).isEqualTo(200);
        assertThat(got.header("Content-Security-Policy")).contains("frame-ancestors 'none'", "form-action 'self'");
        var location = allowed(browser, request(change));
        assertThat(location).startsWith(request(change).get("redirect_uri"));
        assertThat(parameters(location)).containsKey("code").containsEntry("iss", "https://engine.example");
    }

    @Test
    void theQuestionNamesTheClientAndWhatTheUserCanGive() {
        var limited = signedIn("olga", "agent:read", "agent:write", "bank:read", "key:write");
        var got = limited.get("/oauth/question?" + encoded(request("scope=agent:read webhook:write")));
        assertThat(got.at("/client")).isEqualTo("Test client");
        assertThat(got.at("/returns_to")).isEqualTo("https://client.example");
        assertThat(got.json().path("capabilities").toString())
                .contains(
                        "{\"name\":\"agent:read\",\"requested\":true}", "{\"name\":\"bank:read\",\"requested\":false}")
                .doesNotContain("webhook");
    }

    @Test
    void onlyThePageOfASignedInPersonDecides() {
        var path = "/oauth/authorize?" + encoded(request(""));
        var decision = "{\"allow\":true,\"agent\":\"Evil\",\"capabilities\":[\"agent:read\"]}";
        assertThat(Browser.send(engine.url(), "POST", path, decision).status()).isEqualTo(401);
        assertThat(Browser.send(engine.url(), "POST", path, decision, "X-Api-Key", key)
                        .status())
                .isEqualTo(401);
        assertThat(browser.raw("POST", path, decision).status())
                .as("without the token")
                .isEqualTo(403);
        assertThat(browser.raw("POST", path, decision, "X-CSRF-Token", browser.csrf(), "Sec-Fetch-Site", "cross-site")
                        .status())
                .as("of another site")
                .isEqualTo(403);
        assertThat(Browser.send(engine.url(), "GET", "/oauth/question?" + encoded(request("")), "")
                        .status())
                .isEqualTo(401);
        assertThat(Browser.send(engine.url(), "GET", path, "").status())
                .as("a page to sign in")
                .isEqualTo(200);
    }

    @Test
    void nobodyGivesMoreThanTheyHave() {
        withAgent("paul", "Private");
        var limited = signedIn("nina", "agent:read", "agent:write", "key:write");
        for (var decision : List.of(
                "'agent':'Helper','capabilities':['webhook:write']",
                "'agent':'Helper','capabilities':['*']",
                "'agent':'Helper','capabilities':[]",
                "'agent':'Helper','capabilities':['agent:fly']",
                "'agent':'','capabilities':['agent:read']",
                "'agent':'a/b','capabilities':['agent:read']",
                "'agent':'Private','capabilities':['agent:read']")) {
            var got = decided(limited, request(""), "{'allow':true," + decision + "}");
            assertThat(got.status()).as(decision + got).isBetween(400, 499);
        }
        var without = decided(
                signedIn("tom", "agent:read"),
                request(""),
                "{'allow':true,'agent':'Toms','capabilities':['agent:read']}");
        assertThat(without.note()).contains("agent:write");
    }

    @Test
    void whoDeclinesSendsTheBrowserBackWithThat() {
        var back = parameters(decided(browser, request(""), "{'allow':false}").at("/location"));
        assertThat(back).containsEntry("error", "access_denied").containsEntry("state", "some state");
    }

    @Test
    void aTokenWorksAsItsAgentUntilItExpiresOrIsRevoked() {
        var got = issued(code());
        var token = got.at("/access_token");
        assertThat(token).startsWith("ea_");
        assertThat(got.at("/token_type")).isEqualTo("Bearer");
        assertThat(got.json().path("expires_in").asLong()).isEqualTo(3600);
        assertThat(got.at("/scope").split(" ")).containsExactlyInAnyOrder(WORDS.split(" "));
        assertThat(got.header("Cache-Control")).isEqualTo("no-store");
        assertThat(mcp(engine, token)).isEqualTo(200);
        assertThat(mcp(other, token)).isEqualTo(200);
        assertThat(ClientApi.MCP
                        .call(engine.url(), token, "AP_Whoami", Json.object())
                        .toString())
                .isNotEmpty();
        CLOCK.advance(Duration.ofMinutes(61));
        var expired = call(engine, token);
        assertThat(expired.status()).isEqualTo(401);
        assertThat(expired.header(CHALLENGE)).contains("error=\"invalid_token\"", "resource_metadata=");
        var again = token(refresh(got.at("/refresh_token"), ""));
        assertThat(mcp(other, again.at("/access_token"))).isEqualTo(200);
        assertThat(form(
                                engine,
                                "/oauth/revoke",
                                encoded(Map.of("client_id", client, "token", again.at("/access_token"))))
                        .status())
                .isEqualTo(200);
        await().until(() -> mcp(other, again.at("/access_token")) == 401);
        assertThat(token(refresh(again.at("/refresh_token"), "")).at("/error")).isEqualTo("invalid_grant");
    }

    /** Everything but the first line is refused; the code stays good for its own client. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            grant_type=                            | invalid_request
            grant_type=password                    | unsupported_grant_type
            grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer | unauthorized_client
            client_id=                             | invalid_client
            client_id=client_unknown00000          | invalid_client
            client_secret=wrong                    | invalid_client
            client_assertion=eyJ                   | invalid_client
            code=                                  | invalid_request
            code=ec_000000000000000000000000000000000000000000000000 | invalid_grant
            redirect_uri=                          | invalid_grant
            redirect_uri=https://client.example/other | invalid_grant
            redirect_uri=http://127.0.0.1/cb       | invalid_grant
            code_verifier=                         | invalid_request
            code_verifier=short                    | invalid_grant
            code_verifier=another-verifier-of-the-test-that-is-long-enough-012 | invalid_grant
            resource=https://evil.example/mcp      | invalid_target
            scope=agent:read webhook:write         | invalid_scope
            """)
    void aWrongExchangeIsRefused(String change, String error) {
        var code = code();
        var got = token(exchange(code, change));
        assertThat(got.at("/error")).as(got.toString()).isEqualTo(error);
        assertThat(got.at("/error_description")).isNotEmpty();
        assertThat(got.status()).isEqualTo(error.equals("invalid_client") ? 401 : 400);
        assertThat(issued(code).at("/access_token")).isNotEmpty();
    }

    @Test
    void aCodeOfAnotherClientOrKindIsRefused() {
        var code = code();
        var mixed = registered(BACK);
        assertThat(token(exchange(code, "client_id=" + mixed)).at("/error")).isEqualTo("invalid_grant");
        assertThat(token(refresh(code, "")).at("/error")).isEqualTo("invalid_grant");
        var issued = issued(code);
        assertThat(token(refresh(issued.at("/refresh_token"), "client_id=" + mixed))
                        .at("/error"))
                .isEqualTo("invalid_grant");
        assertThat(token(exchange(issued.at("/refresh_token"), "")).at("/error"))
                .isEqualTo("invalid_grant");
        assertThat(mcp(engine, issued.at("/access_token"))).isEqualTo(200);
        assertThat(mcp(engine, issued.at("/refresh_token"))).isEqualTo(401);
    }

    @Test
    void aCodeExpiresAfterAMinute() {
        var code = code();
        CLOCK.advance(Duration.ofSeconds(61));
        assertThat(token(exchange(code, "")).at("/error")).isEqualTo("invalid_grant");
    }

    @Test
    void aCodeThatIsUsedTwiceEndsEverythingThatCameOfIt() {
        var code = code();
        var first = issued(code);
        assertThat(token(exchange(code, "")).at("/error")).isEqualTo("invalid_grant");
        await().until(() -> mcp(other, first.at("/access_token")) == 401);
        assertThat(token(refresh(first.at("/refresh_token"), "")).at("/error")).isEqualTo("invalid_grant");
    }

    @Test
    void aRefreshTokenRotatesAndItsReuseEndsTheFamily() {
        var first = issued(code());
        var second = token(refresh(first.at("/refresh_token"), ""));
        assertThat(second.at("/refresh_token")).isNotEqualTo(first.at("/refresh_token"));
        await().until(() -> mcp(other, first.at("/access_token")) == 401);
        assertThat(mcp(engine, second.at("/access_token"))).isEqualTo(200);
        CLOCK.advance(Duration.ofSeconds(61));
        assertThat(token(refresh(first.at("/refresh_token"), "")).at("/error")).isEqualTo("invalid_grant");
        await().until(() -> mcp(other, second.at("/access_token")) == 401);
        assertThat(token(refresh(second.at("/refresh_token"), "")).at("/error")).isEqualTo("invalid_grant");
    }

    @Test
    void ofConcurrentExchangesOneSucceedsAndTheOthersEndIt() {
        var code = code();
        var body = encoded(exchange(code, ""));
        Callable<Got> here = () -> form(engine, "/oauth/token", body);
        Callable<Got> there = () -> form(other, "/oauth/token", body);
        var got = Concurrently.all(List.of(here, there, here, there));
        assertThat(got.stream().filter(one -> one.status() == 200)).hasSize(1);
        var token = got.stream().filter(one -> one.status() == 200).findFirst().map(one -> one.at("/access_token"));
        await().until(() -> mcp(engine, token.orElseThrow()) == 401);
    }

    @Test
    void accessEndsWithTheAgentTheKeyOrTheUser() {
        var agent = issued(code());
        browser.change(
                "POST", ClientApi.path("AP_Destroy"), "{\"target\":{\"agent\":\"%s\"}}".formatted(agentOf(agent)));
        await().until(() -> mcp(other, agent.at("/access_token")) == 401);
        assertThat(token(refresh(agent.at("/refresh_token"), "")).at("/error")).isEqualTo("invalid_grant");
        var key = issued(code());
        browser.change("POST", "/api/keys/" + key.at("/access_token").substring(3, 15) + "/revoke", "{}");
        await().until(() -> mcp(other, key.at("/access_token")) == 401);
        assertThat(token(refresh(key.at("/refresh_token"), "")).at("/error")).isEqualTo("invalid_grant");
    }

    private static String agentOf(Got issued) {
        return TestDatabase.db()
                .sql(
                        "SELECT a.name FROM api_key k JOIN agent a ON a.tenant_id = k.tenant_id AND a.id = k.agent_id WHERE k.id = :id")
                .set("id", issued.at("/access_token").substring(3, 15))
                .one(row -> row.text("name"))
                .orElseThrow();
    }

    @Test
    void accessEndsWhenTheCredentialOfWhoGaveItEnds() {
        var made = browser.change(
                "POST", "/api/keys", "{\"name\":\"short\",\"capabilities\":[\"*\"],\"expires_in_seconds\":600}");
        var limited = Browser.signIn(engine.url(), made.at("/api_key"));
        var got = issued(parameters(allowed(limited, request(""))).get("code"));
        assertThat(got.json().path("expires_in").asLong()).isBetween(500L, 600L);
        CLOCK.advance(Duration.ofMinutes(11));
        assertThat(mcp(engine, got.at("/access_token"))).isEqualTo(401);
        assertThat(token(refresh(got.at("/refresh_token"), "")).at("/error")).isEqualTo("invalid_grant");
    }

    @Test
    void aSecretIsStoredOnlyAsItsHash() {
        var got = issued(code());
        var rows = TestDatabase.db()
                .sql("SELECT string_agg(s::text, ' ') AS all_rows FROM oauth_secret s")
                .one(row -> row.text("all_rows"))
                .orElseThrow();
        assertThat(rows)
                .doesNotContain(got.at("/refresh_token"))
                .doesNotContain(got.at("/refresh_token").substring(3));
    }

    @Test
    void aBoundKeysSessionConnectsItsOwnAgentOnly() {
        var lena = withAgent("lena", "Lenas");
        var bound = lena.change(
                "POST",
                "/api/keys",
                "{\"name\":\"b\",\"agent\":\"Lenas\",\"capabilities\":[\"agent:read\",\"agent:write\",\"bank:read\",\"key:write\"]}");
        var own = Browser.signIn(engine.url(), bound.at("/api_key"));
        var got = issued(parameters(allowed(own, request(""))).get("code"));
        assertThat(agentOf(got)).isEqualTo("Lenas");
        lena.change("POST", "/api/keys/" + bound.at("/api_key").substring(3, 15) + "/revoke", "{}");
        await().until(() -> mcp(other, got.at("/access_token")) == 401);
        assertThat(token(refresh(got.at("/refresh_token"), "")).at("/error")).isEqualTo("invalid_grant");
    }

    @Test
    void anotherTenantsTokenOrKeyRevokesNothing() {
        var got = issued(code());
        var stranger = new TestTenant();
        var key = stranger.key(ClientApi.REST, "eve", Role.OWNER, List.of("*"));
        var form = Map.of("client_id", key.substring(3, 15), "client_secret", key, "token", got.at("/refresh_token"));
        assertThat(form(engine, "/oauth/revoke", encoded(form)).status()).isEqualTo(200);
        var mixed = Map.of("client_id", registered(BACK), "token", got.at("/access_token"));
        assertThat(form(engine, "/oauth/revoke", encoded(mixed)).status()).isEqualTo(200);
        assertThat(mcp(engine, got.at("/access_token"))).isEqualTo(200);
    }

    @Test
    void pagesOfOtherOriginsMayRegisterAndExchange() {
        var preflight = Browser.send(
                engine.url(),
                "OPTIONS",
                "/oauth/token",
                "",
                "Origin",
                "https://web.example",
                "Access-Control-Request-Method",
                "POST");
        assertThat(preflight.header("Access-Control-Allow-Methods")).isEqualTo("POST");
        assertThat(preflight.header("Access-Control-Allow-Origin")).isEqualTo("*");
        var got = form(engine, "/oauth/token", encoded(exchange(code(), "")), "Origin", "https://web.example");
        assertThat(got.status()).isEqualTo(200);
        assertThat(got.header("Access-Control-Allow-Origin")).isEqualTo("*");
    }
}

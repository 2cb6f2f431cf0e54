package io.agentworkspace.engine.identity.signin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Anybody can register an address. A link to the authorization server never leads a browser there by itself. */
class AuthorizationErrorsTest extends AuthorizationServerFixture {
    private static final List<String> FLAWS = List.of(
            "response_type=",
            "response_type=x",
            "response_type=token",
            "response_mode=fragment",
            "response_mode=form_post",
            "request=eyJ",
            "request_uri=https://client.example/request",
            "code_challenge=",
            "code_challenge=short",
            "code_challenge_method=",
            "code_challenge_method=plain",
            "resource=https://evil.example/mcp",
            "resource=https://mcp.example/mcp/x/nothing");

    /** Returns each flaw, and each two of them. */
    static List<String> flaws() {
        var all = new ArrayList<>(FLAWS);
        for (var one : FLAWS) {
            for (var other : FLAWS) {
                var isLater = FLAWS.indexOf(one) < FLAWS.indexOf(other);
                if (isLater && !one.substring(0, one.indexOf('=')).equals(other.substring(0, other.indexOf('=')))) {
                    all.add(one + "&" + other);
                }
            }
        }
        return all;
    }

    @ParameterizedTest
    @MethodSource("flaws")
    void aWrongRequestIsAPageForWhoeverHasNotAllowedTheClient(String flaw) {
        var unknown = Client.ID;
        for (var prompt : List.of("", "&prompt=none")) {
            var wrong = encoded(request("client_id=" + unknown + "&" + flaw + prompt));
            for (var path : List.of("/oauth/authorize?", "/authorize?")) {
                for (var got : List.of(
                        Browser.send(engine.url(), "GET", path + wrong, "", "Accept", "text/html"),
                        browser.get(path + wrong, "Accept", "text/html"),
                        Browser.send(engine.url(), "GET", path + wrong, "", "X-Api-Key", key))) {
                    assertThat(got.status()).as(got.toString()).isEqualTo(400);
                    assertThat(got.headers("Location")).isEmpty();
                    assertThat(got.toString()).doesNotContain("http-equiv");
                }
                for (var decision :
                        List.of("{'allow':false}", "{'allow':true,'agent':'X','capabilities':['agent:read']}")) {
                    var got = browser.change("POST", path + wrong, decision.replace('\'', '"'));
                    assertThat(got.status()).as(got.toString()).isEqualTo(400);
                    assertThat(got.toString()).doesNotContain(BACK);
                }
            }
        }
    }

    /** The client of this class, to which nobody gives access. */
    private static final class Client {
        static final String ID = registered(BACK);
    }

    @Test
    void whoHasAllowedTheClientIsSentBackWithTheError() {
        issued(code());
        var got = authorize(request("response_type=x"));
        assertThat(got.status()).as(got.toString()).isEqualTo(302);
        assertThat(parameters(got.header("Location")))
                .containsEntry("error", "unsupported_response_type")
                .containsEntry("state", "some state");
        var stranger = signedIn("somebody else", "*");
        assertThat(stranger.get("/oauth/authorize?" + encoded(request("response_type=x")))
                        .status())
                .isEqualTo(400);
        assertThat(Browser.send(engine.url(), "GET", "/oauth/authorize?" + encoded(request("response_type=x")), "")
                        .status())
                .isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(strings = {"openid profile offline_access", "mcp:tools", "agent:fly", "*", " ", ""})
    void unknownScopesAreLeftOutAndTheDefaultIsChosen(String scope) {
        var request = request("scope=" + scope);
        assertThat(authorize(request).status()).isEqualTo(200);
        var question = browser.get("/oauth/question?" + encoded(request))
                .json()
                .path("capabilities")
                .toString();
        assertThat(question)
                .contains(
                        "{\"name\":\"agent:read\",\"requested\":true}",
                        "{\"name\":\"bank:write\",\"requested\":true}",
                        "{\"name\":\"key:write\",\"requested\":false}");
        var code = parameters(allowed(browser, request)).get("code");
        var got = token(exchange(code, "scope=" + scope));
        assertThat(got.status()).as(got.toString()).isEqualTo(scope.equals("*") ? 400 : 200);
    }

    @Test
    void aKnownScopeAmongUnknownOnesIsWhatIsChosen() {
        var request = request("scope=openid bank:read agent:fly");
        var question = browser.get("/oauth/question?" + encoded(request))
                .json()
                .path("capabilities")
                .toString();
        assertThat(question)
                .contains(
                        "{\"name\":\"agent:read\",\"requested\":false}", "{\"name\":\"bank:read\",\"requested\":true}");
        var got = token(exchange(parameters(allowed(browser, request)).get("code"), "scope=openid bank:read"));
        assertThat(got.at("/scope").split(" ")).containsExactlyInAnyOrder(WORDS.split(" "));
        assertThat(token(refresh(got.at("/refresh_token"), "scope=offline_access"))
                        .status())
                .isEqualTo(200);
    }

    @Test
    void theRoutesHaveSecondAddresses() {
        var body = "{\"redirect_uris\":[\"%s\"]}".formatted(BACK);
        CLOCK.advance(java.time.Duration.ofSeconds(2));
        var made = Browser.send(engine.url(), "POST", "/register", body);
        assertThat(made.status()).as(made.toString()).isEqualTo(201);
        var request = request("client_id=" + made.at("/client_id"));
        var page = browser.get("/authorize?" + encoded(request));
        assertThat(page.status()).isEqualTo(200);
        assertThat(page.toString()).contains("authorize.js");
        var decided = browser.change(
                "POST",
                "/authorize?" + encoded(request),
                "{\"allow\":true,\"agent\":\"Second\",\"capabilities\":[\"agent:read\"]}");
        var code = parameters(decided.at("/location")).get("code");
        var got = form(engine, "/token", encoded(exchange(code, "client_id=" + made.at("/client_id"))));
        assertThat(got.status()).as(got.toString()).isEqualTo(200);
        assertThat(Browser.send(engine.url(), "GET", "/token", "").status()).isIn(401, 405);
        var metadata = Browser.send(engine.url(), "GET", "/.well-known/oauth-authorization-server", "");
        assertThat(metadata.at("/authorization_endpoint")).isEqualTo("https://engine.example/oauth/authorize");
    }
}

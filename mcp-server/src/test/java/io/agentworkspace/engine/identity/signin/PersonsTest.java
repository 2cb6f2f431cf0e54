package io.agentworkspace.engine.identity.signin;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.identity.signin.Browser.Got;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who counts as a person: whoever signed in at the page or at a provider, and nobody's program. */
class PersonsTest {
    private static final String URL = TestServer.url();

    private String key;

    @BeforeEach
    void start() {
        var tenant = new TestTenant();
        key = tenant.key(ClientApi.REST, "ann", Role.OWNER, List.of("*"));
        var made = Browser.send(
                URL, "POST", Browser.CREATE, "{\"vx\":{\"name\":\"Robot\",\"description\":\"d\"}}", "X-Api-Key", key);
        assertThat(made.status()).as(made.toString()).isEqualTo(200);
    }

    private static Browser session(String key, String... headers) {
        var all = new ArrayList<>(List.of(headers));
        all.addAll(List.of("X-Api-Key", key));
        var got = Browser.send(URL, "POST", Browser.SESSION, "", all.toArray(String[]::new));
        assertThat(got.status()).as(got.toString()).isEqualTo(201);
        return new Browser(URL, got.cookie(), got.at("/csrf_token"));
    }

    private static final String CHAT = "{\"target\":{\"agent\":\"Robot\"},\"content\":\"hello\"}";

    private static boolean isPerson(Got said) {
        assertThat(said.status()).as(said.toString()).isEqualTo(200);
        return said.toString().contains("\"person\":true");
    }

    private static boolean isPerson(Browser browser) {
        var cookie = isPerson(browser.change("POST", ClientApi.path("AP_Chat"), CHAT));
        var invoked = isPerson(browser.change("POST", "/api/mcp/tools/AP_Chat/invoke", CHAT));
        var token = isPerson(Browser.send(
                URL, "POST", ClientApi.path("AP_Chat"), CHAT, "Authorization", "Bearer " + browser.token()));
        assertThat(List.of(invoked, token)).as("the same everywhere").containsOnly(cookie);
        return cookie;
    }

    private String made(String fields) {
        var got = Browser.send(URL, "POST", "/api/keys", fields, "X-Api-Key", key);
        assertThat(got.at("/api_key")).as(got.toString()).isNotEmpty();
        return got.at("/api_key");
    }

    @Test
    void whoEntersAKeyAtThePageIsAPerson() {
        assertThat(isPerson(session(key, "Sec-Fetch-Site", "same-origin"))).isTrue();
        assertThat(isPerson(session(key, "Origin", URL)))
                .as("a browser without Sec-Fetch-Site")
                .isTrue();
    }

    @Test
    void whatAProgramDoesWithAKeyIsNoPersonsWork() {
        assertThat(isPerson(Browser.send(URL, "POST", ClientApi.path("AP_Chat"), CHAT, "X-Api-Key", key)))
                .isFalse();
        assertThat(isPerson(session(key))).isFalse();
        assertThat(isPerson(session(key, "Sec-Fetch-Site", "none"))).isFalse();
        assertThat(isPerson(session(key, "Sec-Fetch-Site", "cross-site"))).isFalse();
    }

    /** A program's own key is never a person's, whatever headers the program sends. */
    @Test
    void theSessionOfAProgramsKeyIsNoPersons() {
        var child = Browser.send(
                URL,
                "POST",
                "/api/keys",
                "{\"name\":\"child\",\"capabilities\":[\"*\"]}",
                "X-Api-Key",
                made("{\"name\":\"bound\",\"agent\":\"Robot\",\"capabilities\":[\"*\"]}"));
        for (var program : List.of(
                made("{\"name\":\"bound\",\"agent\":\"Robot\",\"capabilities\":[\"*\"]}"), child.at("/api_key"))) {
            var browser = session(program, "Sec-Fetch-Site", "same-origin", "Origin", URL);
            var said = browser.change("POST", ClientApi.path("AP_Chat"), "{\"to_user\":true,\"content\":\"hello\"}");
            assertThat(isPerson(said)).isFalse();
        }
    }
}

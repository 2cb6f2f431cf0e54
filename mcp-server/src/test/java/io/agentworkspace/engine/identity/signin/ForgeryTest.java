package io.agentworkspace.engine.identity.signin;

import static io.agentworkspace.engine.identity.signin.Browser.LIST;
import static io.agentworkspace.engine.identity.signin.Browser.SESSION;
import static io.agentworkspace.engine.identity.signin.Browser.TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that another site makes a browser send have no effect. */
class ForgeryTest {
    private static final String SELECT = ClientApi.path("AP_Select");
    private static final String ANY = "/demo/v1/Engine/tps";

    private static Replica engine;
    private static Browser browser;
    private static Browser other;

    @BeforeAll
    static void signIn() {
        engine = Replica.start(
                Map.of("ENGINE_BASE_URL", "https://engine.example", "ENGINE_ALLOWED_ORIGINS", "https://app.example"));
        var tenant = new TestTenant();
        browser = Browser.signIn(engine.url(), tenant.key(ClientApi.REST, "ann", Role.MEMBER, List.of("*")));
        other = Browser.signIn(engine.url(), tenant.key(ClientApi.REST, "bob", Role.MEMBER, List.of("*")));
    }

    @AfterAll
    static void stop() {
        engine.close();
    }

    private static String token(String which) {
        return switch (which) {
            case "own" -> browser.csrf();
            case "another's" -> other.csrf();
            case "cut" -> browser.csrf().substring(1);
            case "the cookie" -> browser.cookie();
            default -> which;
        };
    }

    /** The expected status of a change on each kind of route. A dash leaves the header out. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            own        | same-origin | -                      | 200
            own        | same-origin | https://engine.example | 200
            own        | -           | https://engine.example | 200
            own        | -           | HTTPS://ENGINE.EXAMPLE | 200
            own        | same-site   | https://engine.example | 200
            own        | -           | -                      | 403
            own        | cross-site  | -                      | 403
            own        | cross-site  | https://engine.example | 403
            own        | same-site   | -                      | 403
            own        | none        | -                      | 403
            own        | Same-Origin | -                      | 403
            own        | -           | null                   | 403
            own        | same-origin | null                   | 403
            own        | -           | https://evil.example   | 403
            own        | same-origin | https://evil.example   | 403
            own        | -           | http://engine.example  | 403
            own        | -           | https://app.example    | 403
            own        | same-site   | https://app.example    | 403
            -          | same-origin | https://engine.example | 403
            another's  | same-origin | https://engine.example | 403
            cut        | same-origin | https://engine.example | 403
            the cookie | same-origin | https://engine.example | 403
            undefined  | same-origin | https://engine.example | 403
            """)
    void aChangeNeedsTheTokenAndAPageOfOurs(String token, String site, String origin, int status) {
        var headers = new ArrayList<String>();
        if (!token.equals("-")) {
            headers.addAll(List.of("X-CSRF-Token", token(token)));
        }
        if (!site.equals("-")) {
            headers.addAll(List.of("Sec-Fetch-Site", site));
        }
        if (!origin.equals("-")) {
            headers.addAll(List.of("Origin", origin));
        }
        var sent = headers.toArray(String[]::new);
        var exchanged = browser.raw("POST", TOKEN, "", sent);
        assertThat(exchanged.status()).as(exchanged.toString()).isEqualTo(status);
        // Command routes have no 403: they use 401 with not_permitted.
        var command = browser.raw("POST", SELECT, "{}", sent);
        assertThat(command.status()).as(command.toString()).isEqualTo(status == 403 ? 401 : status);
        if (status == 403) {
            assertThat(exchanged.error()).isEqualTo("not_permitted");
            assertThat(command.error()).isEqualTo("not_permitted");
            assertThat(exchanged.toString()).doesNotContain(browser.csrf()).doesNotContain(browser.cookie());
            assertThat(browser.raw("DELETE", SESSION, "", sent).status()).isEqualTo(403);
        }
        assertThat(browser.get(SESSION).at("/signed_in")).isEqualTo("true");
    }

    @Test
    void theNoteSaysWhatToSend() {
        assertThat(browser.raw("POST", TOKEN, "").note()).contains("X-CSRF-Token", SESSION, "X-Api-Key");
        assertThat(browser.raw("POST", TOKEN, "", "X-CSRF-Token", browser.csrf())
                        .note())
                .contains("Sec-Fetch-Site", "Origin");
    }

    @Test
    void twoTokensAreNone() {
        var twice = browser.change("POST", TOKEN, "", "X-CSRF-Token", browser.csrf());
        assertThat(twice.status()).isEqualTo(403);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PUT", "PATCH", "DELETE", "POST", "PROPFIND"})
    void everyMethodThatMayChangeSomethingNeedsIt(String method) {
        assertThat(browser.raw(method, "/api/nothing", "").status()).isEqualTo(403);
        assertThat(browser.change(method, "/api/nothing", "").status()).isIn(404, 405);
    }

    /** As with GET, nothing changes, and no other page can read the response. */
    @Test
    void readingByPostNeedsNoToken() {
        assertThat(browser.raw("POST", LIST, "{}").status()).isEqualTo(200);
        assertThat(browser.raw("POST", ANY, "{\"service\":\"AP_List\"}").status())
                .isEqualTo(200);
        assertThat(browser.raw("POST", "/api/mcp/tools/AP_List/invoke", "{}").status())
                .isEqualTo(200);
    }

    /** For a tool that only reads without a certain field, the body determines what a call does. */
    @Test
    void aToolThatReadsWithoutAFieldNeedsTheTokenWithIt() {
        var paths = List.of("/demo/v1/Engine/tps/bank/permissions", "/api/mcp/tools/MB_Permissions/invoke", ANY);
        for (var path : paths) {
            var service = path.equals(ANY) ? "\"service\":\"MB_Permissions\"," : "";
            var report = "{%s\"target\":{\"bank\":\"none\"}}".formatted(service);
            var set = "{%s\"target\":{\"bank\":\"none\",\"agent\":\"a\"},\"vx\":{\"access\":\"read\"}}"
                    .formatted(service);
            assertThat(browser.raw("POST", path, report).error()).as(path).isEqualTo("not_found");
            assertThat(browser.raw("POST", path, set).error()).as(path).isEqualTo("not_permitted");
            assertThat(browser.raw("POST", path, set).note()).as(path).contains("X-CSRF-Token");
            assertThat(browser.change("POST", path, set).error()).as(path).isEqualTo("not_found");
        }
    }

    @Test
    void whatOnlyReadsNeedsNoTokenOnAPathWithAName() {
        var pairs = "{\"pairs\":[{\"query\":\"x\",\"expected\":[\"y\"]}]}";
        var view = "{\"command\":\"view\",\"path\":\"/memories\"}";
        var create = "{\"command\":\"create\",\"path\":\"/memories/a\",\"file_text\":\"x\"}";
        for (var name : List.of("none", "two%20words", "%C3%A4")) {
            var bank = "/api/banks/%s/".formatted(name);
            assertThat(browser.raw("POST", bank + "evaluate", pairs).error()).isEqualTo("not_found");
            assertThat(browser.raw("POST", bank + "files", view).error()).isEqualTo("not_found");
            assertThat(browser.raw("POST", bank + "files", create).error()).isEqualTo("not_permitted");
            assertThat(browser.change("POST", bank + "files", create).error()).isEqualTo("not_found");
        }
        for (var path : List.of("/api/banks/../evaluate", "/api/banks/%2e%2E/evaluate", "/api/banks/a%2Fb/evaluate")) {
            assertThat(browser.raw("POST", path, pairs).error()).as(path).isIn("not_permitted", "bad_request");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            /demo/v1/Engine/tps/agent/read         | {}
            /demo/v1/Engine/tps/agent/%6Cist       | {}
            /demo/v1/Engine/tps/agent/list;x=1     | {}
            /demo/v1/Engine/tps                    | {"service":"AP_Select"}
            /demo/v1/Engine/tps                    | {"service":"AP_Read"}
            /demo/v1/Engine/tps                    | {"service":"AP_Nothing"}
            /demo/v1/Engine/tps/                   | {"service":"AP_List"}
            /api/mcp/tools/AP_Select/invoke        | {}
            /demo/v1/Engine/tps/bank/permissions/  | {}
            """)
    void whatMarksOrMovesAndWhatIsSpelledOtherwiseDoes(String path, String body) {
        assertThat(browser.raw("POST", path, body).status()).isIn(400, 401, 403);
        assertThat(browser.raw("POST", path, body).error()).isIn("not_permitted", "bad_request");
    }

    @Test
    void readingAndBearersAndKeysDoWithout() {
        assertThat(browser.get("/api/mcp/tools").status()).isEqualTo(200);
        assertThat(Browser.bearer(engine.url(), browser.token()).error()).isEmpty();
    }

    @Test
    void noPageOfAnotherOriginMayReadWhoIsSignedIn() {
        assertThat(browser.get(SESSION, "Origin", "https://evil.example").status())
                .isEqualTo(403);
        var allowed = browser.get(SESSION, "Origin", "https://app.example");
        assertThat(allowed.headers("Access-Control-Allow-Credentials")).isEmpty();
    }
}

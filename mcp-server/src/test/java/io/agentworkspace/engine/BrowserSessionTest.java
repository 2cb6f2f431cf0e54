package io.agentworkspace.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.Chromium;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Steps;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A user's session in real Chromium, driven by {@code browser.mjs}: what the browser does with the cookie, and what it blocks.
 */
@Tag("slow")
class BrowserSessionTest {
    private static Steps steps;
    private static TestTenant tenant;

    private static String key;

    @BeforeAll
    static void play() {
        Chromium.require();
        tenant = new TestTenant();
        key = tenant.key(ClientApi.REST, "maria", Role.MEMBER, List.of("*"));
        steps = Chromium.play(Map.of("ENGINE_KEY", key), "browser.mjs", TestServer.url());
    }

    @AfterAll
    static void theKeyWasNeverShown() {
        assertThat(steps.toString()).doesNotContain(key == null ? "ek_" : key);
    }

    private static int status(String step) {
        return steps.only(step).get("status").asInt();
    }

    private static Set<String> agents() {
        var listed = ClientApi.REST
                .call(TestServer.url(), key, "AP_List", Json.object())
                .ok();
        return Set.copyOf(listed.texts("/profile", "name"));
    }

    @Test
    void theCookieHasEveryAttribute() {
        assertThat(steps.only("before").at("/body").toString()).isEqualTo("{\"signed_in\":false}");
        assertThat(status("signs in")).isBetween(200, 201);
        var cookie = steps.only("cookie").at("/cookies/0");
        assertThat(steps.only("cookie").get("cookies")).hasSize(1);
        assertThat(cookie.get("name").asString()).isEqualTo("__Host-engine_session");
        assertThat(cookie.get("path").asString()).isEqualTo("/");
        assertThat(cookie.get("httpOnly").asBoolean()).isTrue();
        assertThat(cookie.get("secure").asBoolean()).isTrue();
        assertThat(cookie.get("sameSite").asString()).isEqualTo("Lax");
        assertThat(steps.only("cookie").get("seenByScripts").asString()).isEmpty();
        var session = steps.only("is signed in").get("body");
        assertThat(session.get("signed_in").asBoolean()).isTrue();
        assertThat(session.get("user").asString()).isEqualTo("maria");
        assertThat(session.get("role").asString()).isEqualTo("member");
    }

    @Test
    void onlyThePageWithTheTokenChangesAnything() {
        assertThat(status("with the token")).isEqualTo(200);
        assertThat(status("without it")).isIn(401, 403);
        assertThat(status("with a wrong one")).isIn(401, 403);
        assertThat(agents()).containsExactly("Ada");
    }

    /** Responses that the browser hides from a page have status 0 there. */
    @Test
    void pagesFromElsewhereGetAndChangeNothing() {
        assertThat(status("read from elsewhere")).isIn(0, 403);
        assertThat(status("written from elsewhere")).isIn(0, 403);
        assertThat(status("form from elsewhere")).isGreaterThanOrEqualTo(400);
        assertThat(steps.only("read from elsewhere").toString()).doesNotContain("csrf_token");
    }

    @Test
    void signingOutTakesTheCookieAndKillsIt() {
        assertThat(status("signs out")).isBetween(200, 204);
        assertThat(steps.only("after").at("/body/signed_in").asBoolean()).isFalse();
        assertThat(steps.only("after").get("cookies")).isEmpty();
        assertThat(status("old cookie")).isIn(401, 403);
        assertThat(agents()).containsExactly("Ada");
    }
}

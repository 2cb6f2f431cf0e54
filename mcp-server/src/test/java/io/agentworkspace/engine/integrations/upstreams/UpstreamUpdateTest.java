package io.agentworkspace.engine.integrations.upstreams;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Changes of one server by two admins at once: a call asks the server first, and somebody changes it while the answer is awaited. */
class UpstreamUpdateTest {
    private static final String SECRET = "hush-hush";
    private static final String HEADER =
            "'credential':{'kind':'header','header':'X-Token','value':'%s'}".formatted(SECRET);

    private final TestTenant tenant = new TestTenant();
    private final ScriptedUpstream home = new ScriptedUpstream(true, ScriptedUpstream.ECHO);
    private final ScriptedUpstream other =
            new ScriptedUpstream(true, ScriptedUpstream.ECHO.replace("'echo'", "'other'"));

    @AfterEach
    void close() {
        home.close();
        other.close();
    }

    private TestCaller root(ClientApi api) {
        return TestCaller.of(api, tenant.key(api, "root", Role.OWNER, List.of("*")));
    }

    private static void install(TestCaller root, ScriptedUpstream at) {
        root.call("UP_Install", "{'name':'demo','url':'%s'}".formatted(at.url()))
                .ok();
    }

    private static String change(String fields) {
        return "{'name':'demo',%s}".formatted(fields);
    }

    private void hasNoSecret(ScriptedUpstream server) {
        assertThat(server.headers).noneMatch(each -> each.toString().contains(SECRET));
    }

    @ParameterizedTest
    @EnumSource(ClientApi.class)
    void aNewAddressNeverGetsTheCredentialThatWasStoredMeanwhile(ClientApi api) {
        var root = root(api);
        install(root, home);
        other.meanwhile.set(() -> root.call("UP_Update", change(HEADER)).ok());
        root.call("UP_Update", change("'url':'%s'".formatted(other.url())))
                .refused(3003, "while it was asked", "UP_Read");
        var now = root.call("UP_Read", "{'name':'demo'}").ok();
        assertThat(now.text("/upstream/url")).isEqualTo(home.url());
        assertThat(now.text("/upstream/credential/kind")).isEqualTo("header");
        root.call("UP_Refresh", "{'name':'demo'}").ok();
        hasNoSecret(other);
        assertThat(home.headers).anyMatch(each -> each.toString().contains(SECRET));
    }

    @ParameterizedTest
    @EnumSource(ClientApi.class)
    void whatACallDoesNotNameKeepsWhatOthersWrote(ClientApi api) {
        var root = root(api);
        install(root, home);
        var moved = change("'url':'%s',%s".formatted(other.url(), HEADER));
        home.meanwhile.set(() -> root.call("UP_Update", moved).ok());
        root.call("UP_Update", change("'timeout_ms':9000")).refused(3003, "while it was asked");
        var now = root.call("UP_Read", "{'name':'demo'}").ok();
        assertThat(now.text("/upstream/url")).isEqualTo(other.url());
        assertThat(now.number("/upstream/timeout_ms")).isEqualTo(30_000);
        now = root.call("UP_Update", change("'timeout_ms':9000")).ok();
        assertThat(now.text("/upstream/url")).isEqualTo(other.url());
        assertThat(now.text("/upstream/credential/header")).isEqualTo("X-Token");
        assertThat(other.headers.getLast().toString()).contains(SECRET);
        hasNoSecret(home);
        root.call("UP_Update", change("'credential':{'kind':'none'}")).ok();
        assertThat(other.headers.getLast().toString()).doesNotContain(SECRET);
    }

    @ParameterizedTest
    @EnumSource(ClientApi.class)
    void aServerOfTheSameNameThatWasInstalledMeanwhileIsAnother(ClientApi api) {
        var root = root(api);
        install(root, home);
        other.meanwhile.set(() -> {
            root.call("UP_Remove", "{'name':'demo'}").ok();
            root.call("UP_Install", change("'url':'%s',%s".formatted(home.url(), HEADER)))
                    .ok();
        });
        root.call("UP_Update", change("'url':'%s'".formatted(other.url()))).refused(3003, "while it was asked");
        root.call("UP_Refresh", "{'name':'demo'}").ok();
        hasNoSecret(other);
    }

    @ParameterizedTest
    @EnumSource(ClientApi.class)
    void aRefreshNeverWritesTheToolsOfAnotherServer(ClientApi api) {
        var root = root(api);
        install(root, home);
        home.meanwhile.set(() -> root.call("UP_Update", change("'url':'%s'".formatted(other.url())))
                .ok());
        root.call("UP_Refresh", "{'name':'demo'}").refused(3003, "while it was asked");
        assertThat(root.call("UP_Read", "{'name':'demo'}").ok().texts("/upstream/tools", "state"))
                .containsExactly("gone", "held");
    }

    /** The origin decides: scheme, host and port. */
    @Test
    void aCredentialStaysWithItsOrigin() {
        var root = root(ClientApi.REST);
        root.call("UP_Install", change("'url':'%s',%s".formatted(home.url(), HEADER)))
                .ok();
        for (var elsewhere : List.of(
                other.url(),
                home.url().replace("http:", "https:"),
                home.url().replace("127.0.0.1", "localhost"),
                home.url().replace("127.0.0.1", "127.0.0.2"),
                home.url().replace("127.0.0.1", "127.0.0.1.example.com"))) {
            root.call("UP_Update", change("'url':'%s'".formatted(elsewhere))).refused(1003, "credential");
        }
        root.call("UP_Update", change("'url':'%s/v2'".formatted(home.url()))).ok();
        hasNoSecret(other);
    }
}

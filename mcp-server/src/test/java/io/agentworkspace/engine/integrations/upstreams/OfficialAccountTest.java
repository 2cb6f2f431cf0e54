package io.agentworkspace.engine.integrations.upstreams;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.mcp.endpoint.Node;
import io.agentworkspace.engine.mcp.endpoint.RawMcpClient;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.Chromium;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An account at a server and an authorization server made with the official TypeScript SDK. */
@Tag("slow")
class OfficialAccountTest {
    private static final Path SCREENSHOTS = Path.of("target/screenshots").toAbsolutePath();

    @Test
    void anAccountIsConnectedAtTheExampleOfTheSdk() {
        Node.require();
        var key = new TestTenant().key(ClientApi.MCP, "root", Role.OWNER, List.of("*"));
        var root = TestCaller.of(ClientApi.MCP, key);
        var server = Node.start("account.mjs", Map.of());
        try {
            root.call(
                            "UP_Install",
                            "{'name':'sdk','url':'http://127.0.0.1:%d/mcp','credential':{'kind':'user_oauth'}}"
                                    .formatted(server.port()))
                    .ok();
            var browser = AccountBrowser.signIn(TestServer.url(), key);
            var consent = ClientApi.send(
                    HttpRequest.newBuilder(URI.create(browser.leave("sdk"))).build());
            assertThat(consent.statusCode()).as(new String(consent.body())).isEqualTo(302);
            var arrived =
                    browser.arrive(consent.headers().firstValue("Location").orElseThrow());
            assertThat(arrived.statusCode()).as(new String(arrived.body())).isEqualTo(302);
            root.call("UP_Refresh", "{'name':'sdk'}").ok();
            root.call("UP_Approve", "{'name':'sdk'}").ok();
            var answer = new RawMcpClient(TestServer.url() + "/mcp", key)
                    .modern("tools/call", "{'name':'sdk_whoami','arguments':{}}");
            assertThat(answer.at("/result/content/0/text").asString()).isEqualTo("mcp:tools registered");
        } finally {
            server.process().destroy();
        }
    }

    /** The page in real Chromium, driven by {@code console-account.mjs}: an admin installs the server, and a member follows the link of a call. */
    @Test
    void aPersonConnectsAnAccountAtThePage() {
        Node.require();
        Chromium.require();
        var tenant = new TestTenant();
        var root = tenant.key(ClientApi.REST, "root", Role.OWNER, List.of("*"));
        var mia = tenant.key(ClientApi.REST, "mia", Role.MEMBER, List.of("*"));
        var server = Node.start("account.mjs", Map.of());
        try {
            var steps = Chromium.play(
                    Map.of("ROOT_KEY", root, "MIA_KEY", mia),
                    "console-account.mjs",
                    TestServer.url(),
                    SCREENSHOTS.toString(),
                    "http://127.0.0.1:%d/mcp".formatted(server.port()));
            assertThat(steps.only("connected").path("address").asString()).endsWith("/console/upstreams/sdk/connect");
            for (var step : List.of("connected", "member")) {
                assertThat(steps.only(step).at("/answer/result/content/0/text").asString())
                        .isEqualTo("mcp:tools registered");
            }
            assertThat(steps.only("member").path("refused").toString()).contains("you have not connected an account");
            assertThat(steps.only("accounts").path("text").asString()).contains("mia", "root");
            assertThat(steps.only("ended").path("answer").toString()).contains("you have not connected an account");
            assertThat(steps.only("faults").path("faults")).isEmpty();
            assertThat(steps.of("a script ran")).isEmpty();
        } finally {
            server.process().destroy();
        }
    }
}

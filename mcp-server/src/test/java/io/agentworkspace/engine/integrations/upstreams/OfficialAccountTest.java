package io.agentworkspace.engine.integrations.upstreams;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.mcp.endpoint.Node;
import io.agentworkspace.engine.mcp.endpoint.RawMcpClient;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An account at a server and an authorization server made with the official TypeScript SDK. */
@Tag("slow")
class OfficialAccountTest {
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
}

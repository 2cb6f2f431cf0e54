package io.agentworkspace.engine.upstreams;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.mcp.Node;
import io.agentworkspace.engine.mcp.RawMcpClient;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Servers made with the official TypeScript SDKs, of both eras, give through the engine what they give. */
@Tag("slow")
class OfficialServersTest {
    @ParameterizedTest
    @CsvSource({"2026, 2026-07-28", "2025, 2025-11-25"})
    void eachToolGivesWhatItGivesDirectly(String era, String revision) {
        Node.require();
        var tenant = new TestTenant();
        var key = tenant.key(ClientApi.MCP, "root", Role.OWNER, List.of("*"));
        var root = TestCaller.of(ClientApi.MCP, key);
        var server = Node.start("upstream.mjs", Map.of("ERA", era));
        try {
            var made = root.call(
                            "UP_Install",
                            "{'name':'ts','url':'http://127.0.0.1:%d/mcp','approve':'all'}".formatted(server.port()))
                    .ok();
            assertThat(made.text("/upstream/last_error")).isEmpty();
            assertThat(made.text("/upstream/era")).isEqualTo(revision);
            assertThat(made.texts("/upstream/tools", "state"))
                    .containsOnly("approved")
                    .hasSize(3);
            var modern = new RawMcpClient(TestServer.url() + "/mcp", key);
            var session = modern.session("2025-11-25", "{}");
            var sum = "{'name':'ts_add','arguments':{'a':2,'b':40}}";
            for (var answer : List.of(modern.modern("tools/call", sum), session.call("tools/call", sum))) {
                assertThat(answer.at("/result/structuredContent").toString()).isEqualTo("{\"sum\":42}");
                assertThat(answer.at("/result/content/0/text").asString()).isEqualTo("42");
            }
            var failed = modern.modern("tools/call", "{'name':'ts_fail','arguments':{}}")
                    .path("result");
            assertThat(failed.path("isError").asBoolean()).isTrue();
            assertThat(failed.at("/content/0/text").asString()).isEqualTo("it failed");
            assertThat(modern.modern("tools/call", "{'name':'ts_picture','arguments':{}}")
                            .at("/result/content")
                            .toString())
                    .contains("image/png", "iVBORw0KGgo=", "resource_link", "https://example.com/a");
            assertThat(modern.modern("tools/call", "{'name':'ts_add','arguments':{'a':'x'}}")
                            .at("/result/isError")
                            .asBoolean())
                    .isTrue();
        } finally {
            server.process().destroy();
        }
    }
}

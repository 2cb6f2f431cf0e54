package io.agentworkspace.engine.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.http.SampleServer;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Over the sample tools AP_Read (reads), AP_Create, DM_Destroy and MB_Censor. */
class SelectionTest {
    private static SampleServer server;

    @BeforeAll
    static void start() {
        server = new SampleServer();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static Peer peer(String path) {
        return new Peer(server.url(path).toString(), server.key);
    }

    private static List<String> listed(String path, String... headers) {
        var tools = peer(path).modern("tools/list", "{}", "{}", headers).at("/result/tools");
        return tools.valueStream().map(tool -> tool.get("name").asString()).toList();
    }

    private static JsonNode call(String path, String params, String... headers) {
        return peer(path).modern("tools/call", params, Peer.ALL, headers);
    }

    @Test
    void headersNarrowTheList() {
        assertThat(listed("/mcp", "X-MCP-Toolsets", "agent, domain"))
                .containsExactly("AP_Read", "AP_Create", "DM_Destroy");
        assertThat(listed("/mcp", "X-MCP-Tools", "MB_Censor")).containsExactly("MB_Censor");
        assertThat(listed("/mcp", "X-MCP-Toolsets", "agent", "X-MCP-Tools", "MB_Censor"))
                .containsExactly("AP_Read", "AP_Create", "MB_Censor");
        assertThat(listed("/mcp", "X-MCP-Tools", "AP_Read,AP_Create", "X-MCP-Exclude-Tools", "AP_Create"))
                .containsExactly("AP_Read");
        assertThat(listed("/mcp", "X-MCP-Readonly", "true", "X-MCP-Tools", "AP_Create,AP_Read"))
                .containsExactly("AP_Read");
    }

    @Test
    void pathsDoTheSame() {
        assertThat(listed("/mcp/x/bank")).containsExactly("MB_Censor");
        assertThat(listed("/mcp/readonly")).containsExactly("AP_Read");
        assertThat(listed("/mcp/x/agent/readonly")).containsExactly("AP_Read");
        assertThat(server.get("/mcp/x/a/b/c", "X-Api-Key", server.key).statusCode())
                .isEqualTo(404);
    }

    @Test
    void whatIsRuledOutDoesNotRunEither() {
        var created = "{'name': 'AP_Create', 'arguments': {'vx': {'name': 'Ada'}}}";
        assertThat(call("/mcp/readonly", created).at("/error/code").asInt()).isEqualTo(-32602);
        assertThat(call("/mcp", created, "X-MCP-Exclude-Tools", "AP_Create").has("error"))
                .isTrue();
        assertThat(call("/mcp", created).has("result")).isTrue();
    }

    @Test
    void discoveryIsThreeToolsOverAllOthers() {
        assertThat(listed("/mcp/x/discovery")).containsExactly("find_tools", "describe_tool", "run_tool");
        var found = call("/mcp/x/discovery", "{'name': 'find_tools', 'arguments': {'query': 'AP_Read'}}");
        assertThat(found.at("/result/content/0/text").asString()).startsWith("AP_Read: ");
        var described = call("/mcp/x/discovery", "{'name': 'describe_tool', 'arguments': {'name': 'AP_Read'}}");
        assertThat(described.at("/result/structuredContent/inputSchema/type").asString())
                .isEqualTo("object");
        var run = "{'name': 'run_tool', 'arguments': {'name': 'AP_Read', 'arguments': {'target': {'agent': 'Ada'}}}}";
        assertThat(call("/mcp/x/discovery", run)
                        .at("/result/structuredContent/greeting")
                        .asString())
                .isEqualTo("hello Ada");
        var destroy = "{'name': 'run_tool', 'arguments': {'name': 'DM_Destroy'}}";
        assertThat(call("/mcp/x/discovery/readonly", destroy).at("/error/code").asInt())
                .isEqualTo(-32602);
        assertThat(call("/mcp", run).at("/error/code").asInt()).isEqualTo(-32602);
    }

    @Test
    void destroyingAsksThePersonWhereTheRequestSaysSo() {
        var destroy = "{'name': 'DM_Destroy', 'arguments': {}";
        assertThat(call("/mcp", destroy + "}")
                        .at("/result/structuredContent/greeting")
                        .asString())
                .isEqualTo("gone");
        var asked = call("/mcp", destroy + "}", "X-MCP-Confirm", "destructive").get("result");
        assertThat(asked.get("resultType").asString()).isEqualTo("input_required");
        assertThat(asked.at("/inputRequests/confirm/method").asString()).isEqualTo("elicitation/create");
        var answer = destroy + ", 'inputResponses': {'confirm': {'action': 'accept', 'content': {'destroy': %s}}}%s}";
        var state = ", 'requestState': '%s'".formatted(asked.get("requestState").asString());
        var confirmed = call("/mcp", answer.formatted("true", state), "X-MCP-Confirm", "destructive");
        assertThat(confirmed.at("/result/structuredContent/greeting").asString())
                .isEqualTo("gone");
        for (var params : List.of(answer.formatted("false", state), answer.formatted("true", ""))) {
            var refused = call("/mcp", params, "X-MCP-Confirm", "destructive").get("result");
            assertThat(refused.get("isError").asBoolean()).isTrue();
            assertThat(refused.at("/content/0/text").asString()).contains("did not confirm");
        }
        var unable = peer("/mcp").modern("tools/call", destroy + "}", "{}", "X-MCP-Confirm", "destructive");
        assertThat(unable.at("/error/code").asInt()).isEqualTo(-32021);
        assertThat(call("/mcp", "{'name': 'AP_Read'}", "X-MCP-Confirm", "destructive")
                        .at("/result/isError")
                        .isMissingNode())
                .isTrue();
    }
}

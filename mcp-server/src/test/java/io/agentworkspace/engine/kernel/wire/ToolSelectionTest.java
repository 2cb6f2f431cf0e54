package io.agentworkspace.engine.kernel.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.mcp.endpoint.RawMcpClient;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.web.server.SampleServer;
import io.agentworkspace.engine.wire.SendsAnything;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Uses the sample tools AP_Read (reads), AP_Create, DM_Destroy and MB_Censor. */
class ToolSelectionTest {
    private static SampleServer server;

    @BeforeAll
    static void start() {
        server = new SampleServer();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static RawMcpClient peer(String path) {
        return new RawMcpClient(server.url(path).toString(), server.key);
    }

    private static List<String> listed(String path, String... headers) {
        var tools = peer(path).modern("tools/list", "{}", "{}", headers).at("/result/tools");
        return tools.valueStream().map(tool -> tool.get("name").asString()).toList();
    }

    private static JsonNode call(String path, String params, String... headers) {
        return peer(path).modern("tools/call", params, RawMcpClient.ALL, headers);
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
        assertThat(listed("/mcp/readonly")).containsExactly("AP_Read", "find_tools", "describe_tool", "run_tool");
        assertThat(listed("/mcp/x/readonly")).containsExactly("AP_Read");
        assertThat(listed("/mcp/x/agent/readonly")).containsExactly("AP_Read");
        assertThat(server.get("/mcp/x/a/b/c", "X-Api-Key", server.key).statusCode())
                .isEqualTo(404);
    }

    /** Headers with a name, or none, and what they then list. */
    @Test
    void emptyRepeatedAndLooselyWrittenHeadersMeanWhatTheySay() {
        var all = listed("/mcp");
        for (var nothing : List.of("", " ", ",", " , ,")) {
            for (var header : List.of("X-MCP-Toolsets", "X-MCP-Tools", "X-MCP-Exclude-Tools", "X-MCP-Readonly")) {
                assertThat(listed("/mcp", header, nothing)).as(header + nothing).isEqualTo(all);
            }
        }
        assertThat(listed("/mcp", "X-MCP-Toolsets", " BANK ,\tAgent,,bank"))
                .containsExactly("AP_Read", "AP_Create", "MB_Censor");
        assertThat(listed("/mcp", "X-MCP-Toolsets", "default")).isEqualTo(all);
        assertThat(listed("/mcp", "X-MCP-Toolsets", "all"))
                .containsExactly("AP_Read", "AP_Create", "DM_Destroy", "MB_Censor");
        assertThat(listed("/mcp", "X-MCP-Toolsets", "all,readonly")).containsExactly("AP_Read");
        assertThat(listed("/mcp", "X-MCP-Toolsets", "readonly")).containsExactly("AP_Read");
        assertThat(listed("/mcp", "X-MCP-Toolsets", "bank", "X-MCP-Toolsets", "domain"))
                .containsExactly("DM_Destroy", "MB_Censor");
        assertThat(listed("/mcp", "X-MCP-Exclude-Tools", "AP_Create", "X-MCP-Exclude-Tools", "DM_Destroy,MB_Censor"))
                .containsExactly("AP_Read", "find_tools", "describe_tool", "run_tool");
        assertThat(listed("/mcp", "X-MCP-Readonly", "false", "X-MCP-Readonly", "true"))
                .containsExactly("AP_Read", "find_tools", "describe_tool", "run_tool");
        assertThat(listed("/mcp/x/Bank", "X-MCP-Toolsets", "agent")).containsExactly("MB_Censor");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            X-MCP-Toolsets      | agents             | the toolset 'agents', which is not here; did you mean agent? there are agent, domain, bank, default, work, all, readonly, discovery
            X-MCP-Toolsets      | bank, wiki         | the toolset 'wiki', which is not here; there are agent
            X-MCP-Tools         | ap_read            | the tool 'ap_read', which is not here; did you mean AP_Read? there are AP_Read, AP_Create
            X-MCP-Tools         | AP_Read AP_Create  | the tool 'AP_Read AP_Create'
            X-MCP-Exclude-Tools | AP_Read,DM_Destory | the tool 'DM_Destory', which is not here; did you mean DM_Destroy?
            X-MCP-Exclude-Tools | *                  | the tool '*', which is not here; there are""")
    void whatIsNotHereIsNamedInTheRefusal(String header, String value, String note) {
        var peer = peer("/mcp");
        var request = peer.request("tools/list", "{}", "{}");
        var modern = new ArrayList<>(RawMcpClient.mirrored(request));
        Collections.addAll(modern, header, value);
        var bare = RawMcpClient.json("{'jsonrpc': '2.0', 'id': 7, 'method': 'tools/list'}");
        for (var answer : List.of(peer.send(request, modern), peer.send(bare, List.of(header, value)))) {
            assertThat(answer.statusCode()).isEqualTo(400);
            var error = RawMcpClient.json(answer);
            assertThat(error.at("/error/code").asInt()).isEqualTo(-32602);
            assertThat(error.at("/error/message").asString())
                    .startsWith("the header " + header + " names ")
                    .contains(note);
            assertThat(error.at("/error/data/error").asString()).isEqualTo("invalid_field");
            assertThat(error.get("id").asInt()).isPositive();
        }
        var handshake =
                "{'jsonrpc': '2.0', 'id': 1, 'method': 'initialize', 'params': {'protocolVersion': '2025-11-25'}}";
        assertThat(peer.send(RawMcpClient.json(handshake), List.of(header, value))
                        .statusCode())
                .isEqualTo(400);
    }

    @Test
    void aLongValueIsNeverRepeatedWhole() {
        var peer = peer("/mcp");
        var bare = RawMcpClient.json("{'jsonrpc': '2.0', 'id': 7, 'method': 'tools/list'}");
        for (var header : List.of("X-MCP-Toolsets", "X-MCP-Tools", "X-MCP-Exclude-Tools")) {
            var answer = peer.send(bare, List.of(header, "x".repeat(10_000)));
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(answer.body()).hasSizeLessThan(1_000);
            var many = peer.send(bare, List.of(header, "AP_Read,".repeat(1_250)));
            assertThat(many.statusCode()).isEqualTo(header.equals("X-MCP-Toolsets") ? 400 : 200);
        }
    }

    @Test
    void aToolThatTheKeyMayNotUseIsNoMistypedName() {
        var reader = new RawMcpClient(server.url("/mcp").toString(), server.keys.add(Role.VIEWER, "agent:read"));
        var listed =
                reader.modern("tools/list", "{}", "{}", "X-MCP-Tools", "AP_Read,DM_Destroy", "X-MCP-Toolsets", "bank");
        assertThat(listed.at("/result/tools")).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/mcp/x/agents", "/mcp/x/agents/readonly", "/mcp/x/a-b", "/mcp/x/%2e%2e%20"})
    void aPathToAnUnknownToolsetIsNotFound(String path) {
        var answer =
                peer(path).send(RawMcpClient.json("{'jsonrpc': '2.0', 'id': 7, 'method': 'tools/list'}"), List.of());
        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(RawMcpClient.json(answer).at("/error/message").asString())
                .startsWith("the path names the toolset '")
                .contains("there are agent, domain, bank, default, work, all, readonly, discovery");
        assertThat(server.get(path, "X-Api-Key", server.key, "Mcp-Session-Id", "x")
                        .statusCode())
                .isEqualTo(404);
        assertThat(server.get(path).statusCode()).isEqualTo(401);
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
    void discoveryIsAFewToolsOverAllOthers() {
        assertThat(listed("/mcp/x/discovery")).containsExactly("find_tools", "describe_tool", "run_tool", "run_plan");
        var found = call("/mcp/x/discovery", "{'name': 'find_tools', 'arguments': {'query': 'AP_Read'}}");
        assertThat(found.at("/result/content/0/text").asString()).startsWith("AP_Read (");
        var described = call("/mcp/x/discovery", "{'name': 'describe_tool', 'arguments': {'name': 'AP_Read'}}");
        assertThat(described.at("/result/structuredContent/inputSchema/type").asString())
                .isEqualTo("object");
        var run = "{'name': 'run_tool', 'arguments': {'name': 'AP_Read', 'arguments': {'target': {'agent': 'Ada'}}}}";
        assertThat(call("/mcp/x/discovery", run)
                        .at("/result/structuredContent/greeting")
                        .asString())
                .isEqualTo("hello Ada");
        var destroy = "{'name': 'run_tool', 'arguments': {'name': 'DM_Destroy'}}";
        assertThat(call("/mcp/x/discovery/readonly", destroy)
                        .at("/result/structuredContent/status/note")
                        .asString())
                .startsWith("there is no tool 'DM_Destroy'");
        assertThat(call("/mcp", run).has("result")).isTrue();
        assertThat(call("/mcp/x/agent", run).at("/error/code").asInt()).isEqualTo(-32602);
    }

    @Test
    void argumentsOfTheToolToRunMayBeTextAndBelongInTheirPlace() {
        var text =
                "{'name': 'run_tool', 'arguments': {'name': 'AP_Read', 'arguments': '{\\'target\\': {\\'agent\\': \\'Ada\\'}}'}}";
        assertThat(call("/mcp", text).at("/result/structuredContent/greeting").asString())
                .isEqualTo("hello Ada");
        var beside = "{'name': 'run_tool', 'arguments': {'name': 'AP_Read', 'target': {'agent': 'Ada'}}}";
        assertThat(call("/mcp", beside)
                        .at("/result/structuredContent/status/note")
                        .asString())
                .isEqualTo("target is not a field of run_tool; put the arguments of the tool into 'arguments'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"find_tools query 1000", "describe_tool name 64", "run_tool name 64"})
    void theLimitsThatTheToolsOfDiscoveryDeclareHold(String limit) {
        var word = limit.split(" ");
        var most = Integer.parseInt(word[2]);
        var call = "{'name': '%s', 'arguments': {'%s': '%s'}}";
        assertThat(call("/mcp/x/discovery", call.formatted(word[0], word[1], "x".repeat(most)))
                        .toString())
                .doesNotContain("too_large");
        for (var length : List.of(most + 1, 1_000_000)) {
            var refused = call("/mcp/x/discovery", call.formatted(word[0], word[1], "x".repeat(length)));
            assertThat(refused.at("/result/isError").asBoolean()).isTrue();
            assertThat(refused.at("/result/structuredContent/status/error").asString())
                    .isEqualTo("too_large");
        }
    }

    @Test
    void aReadOnlySelectionSaysThatWhatItRunsReads() {
        for (var path : List.of("/mcp/readonly", "/mcp/x/discovery/readonly", "/mcp/x/discovery")) {
            var tools = peer(path).modern("tools/list", "{}").at("/result/tools");
            assertThat(tools.valueStream()
                            .filter(tool -> tool.get("name").asString().equals("run_tool")))
                    .as(path)
                    .allMatch(tool -> tool.at("/annotations/readOnlyHint").asBoolean() == path.endsWith("readonly"))
                    .allMatch(tool -> tool.at("/annotations/destructiveHint").asBoolean() != path.endsWith("readonly"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "find_tools {}",
                "find_tools {'query':5}",
                "find_tools {'words':'x'}",
                "describe_tool {}",
                "describe_tool {'name':null}",
                "describe_tool {'name':['AP_Read']}",
                "describe_tool {'name':'AP_Reed'}",
                "run_tool {}",
                "run_tool {'name':'nothing'}",
                "run_tool {'name':'run_tool'}",
                "run_tool {'name':'AP_Read','arguments':7}",
                "run_tool {'name':'AP_Read','arguments':'no object'}",
                "run_tool {'name':'AP_Read','arguments':{'strange':1}}"
            })
    @SendsAnything
    void aWrongCallOfADiscoveryToolIsAResultWithItsNote(String call) {
        var parts = call.split(" ", 2);
        var result = call("/mcp", "{'name': '%s', 'arguments': %s}".formatted(parts[0], parts[1]));
        assertThat(result.has("error")).isFalse();
        assertThat(result.at("/result/isError").asBoolean()).isTrue();
        assertThat(result.at("/result/structuredContent/status/note").asString())
                .isNotBlank()
                .doesNotContain("params");
        assertThat(result.at("/result/content/0/text").asString()).contains("\"note\"");
    }

    @Test
    void theToolsOfDiscoveryAreIncludedAndExcludedByNameLikeAllOthers() {
        assertThat(listed("/mcp/x/discovery", "X-MCP-Exclude-Tools", "run_tool"))
                .containsExactly("find_tools", "describe_tool", "run_plan");
        assertThat(listed("/mcp", "X-MCP-Tools", "find_tools")).containsExactly("find_tools");
        assertThat(listed("/mcp", "X-MCP-Tools", "AP_Read,find_tools")).containsExactly("AP_Read", "find_tools");
        assertThat(listed("/mcp", "X-MCP-Tools", "find_tools,run_tool", "X-MCP-Exclude-Tools", "run_tool"))
                .containsExactly("find_tools");
        assertThat(listed("/mcp", "X-MCP-Toolsets", "discovery,bank"))
                .containsExactly("MB_Censor", "find_tools", "describe_tool", "run_tool", "run_plan");
        assertThat(listed("/mcp/x/discovery/readonly"))
                .containsExactly("find_tools", "describe_tool", "run_tool", "run_plan");
        var run = "{'name': 'run_tool', 'arguments': {'name': 'AP_Read'}}";
        assertThat(call("/mcp/x/discovery", run, "X-MCP-Exclude-Tools", "run_tool")
                        .at("/error/code")
                        .asInt())
                .isEqualTo(-32602);
        assertThat(call("/mcp", run, "X-MCP-Tools", "run_tool").has("result")).isTrue();
        assertThat(call("/mcp/x/discovery/readonly", run).has("result")).isTrue();
        var find = "{'name': 'find_tools', 'arguments': {'query': ''}}";
        assertThat(call("/mcp", find, "X-MCP-Tools", "find_tools").has("result"))
                .isTrue();
        assertThat(call("/mcp", find, "X-MCP-Tools", "run_tool")
                        .at("/error/code")
                        .asInt())
                .isEqualTo(-32602);
    }

    @ParameterizedTest
    @ValueSource(strings = {"destructiv", "true", "yes", "all", "", "destructive,destructive", "destructive;"})
    void aMistypedWishToConfirmIsRefusedAndDestroysNothing(String value) {
        var destroy = peer("/mcp").request("tools/call", "{'name': 'DM_Destroy', 'arguments': {}}", RawMcpClient.ALL);
        for (var wish : List.of(List.of(value), List.of("destructive", value), List.of(value, "Destructive"))) {
            var headers = new ArrayList<>(RawMcpClient.mirrored(destroy));
            wish.forEach(one -> Collections.addAll(headers, "X-MCP-Confirm", one));
            var answer = peer("/mcp").send(destroy, headers);
            assertThat(answer.statusCode()).as(wish.toString()).isEqualTo(400);
            var error = RawMcpClient.json(answer);
            assertThat(error.at("/error/code").asInt()).isEqualTo(-32602);
            assertThat(error.at("/error/message").asString())
                    .isEqualTo("the header X-MCP-Confirm must be 'destructive' or left out");
            assertThat(error.get("id")).isEqualTo(destroy.get("id"));
        }
    }

    @Test
    void theWishToConfirmMayBeRepeatedAndWrittenInAnyCase() {
        var destroy = "{'name': 'DM_Destroy', 'arguments': {}}";
        var question = call("/mcp", destroy, "X-MCP-Confirm", "Destructive ", "X-MCP-Confirm", "destructive");
        assertThat(question.at("/result/resultType").asString()).isEqualTo("input_required");
    }

    @Test
    void destroyingAsksThePersonWhereTheRequestSaysSo() {
        var destroy = "{'name': 'DM_Destroy', 'arguments': {}";
        assertThat(call("/mcp", destroy + "}")
                        .at("/result/structuredContent/greeting")
                        .asString())
                .isEqualTo("gone");
        var question =
                call("/mcp", destroy + "}", "X-MCP-Confirm", "destructive").get("result");
        assertThat(question.get("resultType").asString()).isEqualTo("input_required");
        assertThat(question.at("/inputRequests/confirm/method").asString()).isEqualTo("elicitation/create");
        var answer = destroy + ", 'inputResponses': {'confirm': {'action': 'accept', 'content': {'destroy': %s}}}%s}";
        var state =
                ", 'requestState': '%s'".formatted(question.get("requestState").asString());
        var confirmed = call("/mcp", answer.formatted("true", state), "X-MCP-Confirm", "destructive");
        assertThat(confirmed.at("/result/structuredContent/greeting").asString())
                .isEqualTo("gone");
        for (var params : List.of(
                answer.formatted("false", state),
                answer.formatted("'true'", state),
                answer.formatted("1", state),
                answer.formatted("['true']", state),
                answer.formatted("true", ""))) {
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

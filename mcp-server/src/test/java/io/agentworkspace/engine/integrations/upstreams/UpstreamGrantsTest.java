package io.agentworkspace.engine.integrations.upstreams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.mcp.endpoint.RawMcpClient;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The toolset of an installed server, and the tools of servers in the hands of keys and agents that join. */
class UpstreamGrantsTest {
    private final TestTenant tenant = new TestTenant();
    private final String rootKey = tenant.key(ClientApi.MCP, "root", Role.OWNER, List.of("*"));
    private final TestCaller root = TestCaller.of(ClientApi.MCP, rootKey);
    private final ScriptedUpstream demo = new ScriptedUpstream(true, ScriptedUpstream.ECHO);

    @AfterEach
    void close() {
        demo.close();
    }

    private void install(String name, String approve) {
        root.call("UP_Install", "{'name':'%s','url':'%s','approve':'%s'}".formatted(name, demo.url(), approve))
                .ok();
    }

    private static JsonNode post(String path, String key, String method, String params, Map<String, String> headers) {
        var body = "{'jsonrpc':'2.0','id':1,'method':'%s','params':%s}"
                .formatted(method, params)
                .replace('\'', '"');
        return Json.readObject(
                ClientApi.post(TestServer.url() + path, key, body.getBytes(StandardCharsets.UTF_8), headers)
                        .body());
    }

    private static List<String> listed(String key, String toolsets) {
        var headers = toolsets.isEmpty() ? Map.<String, String>of() : Map.of("X-MCP-Toolsets", toolsets);
        return post("/mcp", key, "tools/list", "{}", headers)
                .at("/result/tools")
                .valueStream()
                .map(tool -> tool.path("name").asString(""))
                .toList();
    }

    private static JsonNode call(String key, String tool, String arguments) {
        return post("/mcp", key, "tools/call", "{'name':'%s','arguments':%s}".formatted(tool, arguments), Map.of());
    }

    @ParameterizedTest
    @ValueSource(strings = {"held", "refused", "gone", "failing"})
    void aToolsetExistsAsLongAsItsServer(String state) {
        if (state.equals("failing")) {
            demo.manner = ScriptedUpstream.Manner.FAILS;
        }
        install("demo", "none");
        if (state.equals("refused")) {
            root.call("UP_Approve", "{'name':'demo','tools':['echo'],'refuse':true}")
                    .ok();
        } else if (state.equals("gone")) {
            demo.has();
            root.call("UP_Refresh", "{'name':'demo'}").ok();
        }
        var narrow = tenant.key(ClientApi.MCP, "mia", Role.MEMBER, List.of("agent:read"));
        for (var key : List.of(rootKey, narrow)) {
            assertThat(listed(key, "work,demo")).isNotEmpty().doesNotContain("demo_echo");
            var session = "{'protocolVersion':'2025-11-25','capabilities':{},'clientInfo':{'name':'c','version':'1'}}";
            assertThat(post("/mcp", key, "initialize", session, Map.of("X-MCP-Toolsets", "work,demo"))
                            .has("result"))
                    .isTrue();
            assertThat(post("/mcp/x/demo", key, "tools/list", "{}", Map.of()).has("result"))
                    .isTrue();
            assertThat(new RawMcpClient(TestServer.url() + "/mcp/x/demo", key)
                            .modern("server/discover", "{}")
                            .has("result"))
                    .isTrue();
        }
        if (!state.equals("failing")) {
            for (var header : List.of("X-MCP-Tools", "X-MCP-Exclude-Tools")) {
                assertThat(post("/mcp", rootKey, "tools/list", "{}", Map.of(header, "AP_Read,demo_echo"))
                                .has("result"))
                        .as(header)
                        .isTrue();
            }
        }
        assertThat(post("/mcp", rootKey, "tools/list", "{}", Map.of("X-MCP-Toolsets", "work,dmeo"))
                        .toString())
                .contains("did you mean demo");
        root.call("UP_Remove", "{'name':'demo'}").ok();
        assertThat(post("/mcp", rootKey, "tools/list", "{}", Map.of("X-MCP-Toolsets", "work,demo"))
                        .toString())
                .contains("not here");
    }

    private void saysWhy(String key, String... words) {
        var calls = List.of(
                call(key, "demo_echo", "{'message':'hi'}"),
                call(key, "demo_echo", "{}"),
                call(key, "run_tool", "{'name':'demo_echo','arguments':{'message':'hi'}}"),
                call(key, "describe_tool", "{'name':'demo_echo'}"),
                post(
                        "/mcp/x/demo/readonly",
                        key,
                        "tools/call",
                        "{'name':'demo_echo','arguments':{'message':'hi'}}",
                        Map.of()));
        for (var answer : calls) {
            assertThat(answer.at("/result/isError").asBoolean())
                    .as(answer.toString())
                    .isTrue();
            assertThat(answer.at("/result/content/0/text").asString()).contains(words);
        }
        var plan = call(key, "run_plan", "{'steps':[{'id':'a','tool':'demo_echo','arguments':{'message':'hi'}}]}");
        assertThat(plan.at("/result").toString()).contains(words);
        var rest = Json.readObject(
                ClientApi.post(TestServer.url() + "/api/mcp/tools/demo_echo/invoke", key, "{\"message\":\"hi\"}")
                        .body());
        assertThat(rest.toString()).contains(words);
        assertThat(demo.calls("tools/call")).isZero();
    }

    @Test
    void aCallOfAToolThatIsNotApprovedSaysSoAndWhoCanApproveIt() {
        install("demo", "none");
        saysWhy(rootKey, "'demo_echo'", "is held", "it is new", "An admin", "UP_Approve", "/console/upstreams/demo");
        var viewer = tenant.key(ClientApi.MCP, "vera", Role.VIEWER, List.of("agent:read", "upstream:demo"));
        saysWhy(viewer, "is held", "UP_Approve");
        var without = tenant.key(ClientApi.MCP, "mia", Role.MEMBER, List.of("agent:read"));
        saysWhy(without, "lacks the capability 'upstream:demo'");
        root.call("UP_Approve", "{'name':'demo','tools':['echo']}").ok();
        demo.has(ScriptedUpstream.ECHO.replace("Echoes", "IGNORED WORDS of the server echo"));
        root.call("UP_Refresh", "{'name':'demo'}").ok();
        saysWhy(rootKey, "is held", "it has changed");
        assertThat(call(rootKey, "demo_echo", "{}").toString()).doesNotContain("IGNORED WORDS");
        root.call("UP_Approve", "{'name':'demo','tools':['echo'],'refuse':true}")
                .ok();
        saysWhy(rootKey, "is held", "an admin refused it");
        demo.has();
        root.call("UP_Refresh", "{'name':'demo'}").ok();
        saysWhy(rootKey, "no longer has the tool 'demo_echo'");
        assertThat(listed(rootKey, "demo")).isEmpty();
    }

    private static String made(TestCaller by, String fields) {
        return by.call("AK_Create", "{'name':'k',%s}".formatted(fields)).ok().text("/api_key");
    }

    @Test
    void aKeyMayHaveTheToolsetOfAServer() {
        install("demo", "all");
        install("second", "all");
        root.call("AK_Create", "{'name':'k','capabilities':['*'],'toolset':['demoo']}")
                .refused(1004, "toolset[0]", "did you mean demo");
        var only = made(root, "'capabilities':['*'],'toolset':['demo']");
        assertThat(listed(only, "")).containsExactly("demo_echo");
        assertThat(call(only, "demo_echo", "{'message':'hi'}")
                        .at("/result/content/0/text")
                        .asString())
                .isEqualTo("Echo: hi");
        TestCaller.of(ClientApi.REST, only).call("AP_List").refused(2003, "toolset demo");
        assertThat(Json.readObject(ClientApi.post(
                                        TestServer.url() + "/api/mcp/tools/second_echo/invoke",
                                        only,
                                        "{\"message\":\"hi\"}")
                                .body())
                        .toString())
                .contains("limited to the toolset demo");
        var id = only.substring(3, 15);
        root.call("AK_Update", "{'id':'%s','toolset':['work','demo']}".formatted(id))
                .ok();
        var record = root.call("AK_Read", "{'id':'%s'}".formatted(id)).ok();
        assertThat(record.at("/key/toolset").toString()).isEqualTo("[\"work\",\"demo\"]");
        await().until(() -> listed(only, "").contains("AP_Chat"));
        assertThat(listed(only, "")).contains("AP_Chat", "demo_echo").doesNotContain("second_echo");
        assertThat(call(only, "second_echo", "{'message':'hi'}")
                        .at("/result/content/0/text")
                        .asString())
                .isEqualTo("Echo: hi");

        // A key of all servers may make one of a single server, and not the other way round.
        var servers = TestCaller.of(ClientApi.REST, made(root, "'capabilities':['*'],'toolset':['upstream','key']"));
        assertThat(listed(made(servers, "'capabilities':['*'],'toolset':['demo']"), ""))
                .containsExactly("demo_echo");
        var single = TestCaller.of(ClientApi.REST, made(root, "'capabilities':['*'],'toolset':['demo','key']"));
        single.call("AK_Create", "{'name':'k','capabilities':['*'],'toolset':['second']}")
                .refused(2003, "toolset");
        root.call("UP_Remove", "{'name':'demo'}").ok();
        root.call("AK_Create", "{'name':'k','capabilities':['*'],'toolset':['demo']}")
                .refused(1004, "toolset[0]");
    }

    private static String joined(String code) {
        var body = "{\"code\":\"%s\",\"client\":\"claude-code\",\"host\":\"laptop\"}".formatted(code);
        var answer = ClientApi.send(HttpRequest.newBuilder(URI.create(TestServer.url() + "/api/join"))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body))
                .build());
        return Json.readObject(answer.body()).path("api_key").asString("");
    }

    private String invited(String fields) {
        return root.call("AK_Invite", "{%s}".formatted(fields)).ok().text("/invitation/code");
    }

    @Test
    void anAgentThatJoinsGetsTheToolsOfAServer() {
        install("demo", "all");
        install("second", "all");
        var words = "'capabilities':['agent:read','agent:write','upstream:demo']";
        var code = invited("'agent':'Ada'," + words);
        assertThat(root.call("AK_Invitations").ok().at("/invitations/0").toString())
                .contains("\"upstream:demo\"", "[\"work\",\"demo\"]");
        var key = joined(code);
        assertThat(listed(key, "")).contains("AP_Chat", "demo_echo").doesNotContain("second_echo");
        assertThat(call(key, "demo_echo", "{'message':'hi'}")
                        .at("/result/content/0/text")
                        .asString())
                .isEqualTo("Echo: hi");
        assertThat(call(key, "second_echo", "{'message':'hi'}").at("/result").toString())
                .contains("lacks the capability 'upstream:second'");

        // What was given is listed, and counted as used.
        var id = key.substring(3, 15);
        await().untilAsserted(() -> {
            var usage = root.call("AK_Usage", "{'id':'%s'}".formatted(id)).ok();
            assertThat(usage.at("/needed").toString()).contains("upstream:demo").doesNotContain("upstream:second");
            assertThat(usage.at("/never_needed").toString()).doesNotContain("upstream:demo");
        });

        // A key that exists gets more, or less.
        root.call("AK_Update", "{'id':'%s','capabilities':['agent:read','upstream:second']}".formatted(id))
                .ok();
        await().until(() -> call(key, "second_echo", "{'message':'hi'}")
                .at("/result/content/0/text")
                .asString()
                .equals("Echo: hi"));
        assertThat(call(key, "demo_echo", "{'message':'hi'}")
                        .at("/result/isError")
                        .asBoolean())
                .isTrue();

        // An invitation can have the toolset of a server alone, and survives the end of one that it only lists.
        var narrow = joined(invited("'agent':'Bob','capabilities':['upstream:second'],'toolset':['second']"));
        assertThat(listed(narrow, "")).containsExactly("second_echo");
        var later = invited("'agent':'Cleo'," + words);
        var limited = invited("'agent':'Dora','capabilities':['upstream:demo'],'toolset':['demo']");
        root.call("UP_Remove", "{'name':'demo'}").ok();
        assertThat(listed(joined(later), "")).contains("AP_Chat");
        assertThat(joined(limited)).isEmpty();
    }

    @Test
    void nobodyGivesMoreThanTheyHave() {
        install("demo", "all");
        var mia = tenant.person("mia", Role.MEMBER, "key:write", "key:read", "agent:read", "agent:write");
        mia.call("AK_Create", "{'name':'k','capabilities':['upstream:demo']}").refused(2003, "upstream:demo");
        mia.call("AK_Invite", "{'agent':'Eve','capabilities':['upstream:demo']}")
                .refused(2003, "upstream:demo");
    }
}

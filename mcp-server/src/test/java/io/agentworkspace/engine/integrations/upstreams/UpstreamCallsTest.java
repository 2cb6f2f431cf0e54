package io.agentworkspace.engine.integrations.upstreams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.integrations.upstreams.ScriptedUpstream.Manner;
import io.agentworkspace.engine.mcp.endpoint.RawMcpClient;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The tools of upstream servers, as clients list and call them. */
class UpstreamCallsTest {
    private static final String WRITES = """
            {'name':'save','description':'Saves.','inputSchema':{'type':'object','properties':{'message':{'type':'string'}}},
             'annotations':{'destructiveHint':false}}""";

    private final TestTenant tenant = new TestTenant();
    private final String rootKey = tenant.key(ClientApi.MCP, "root", Role.OWNER, List.of("*"));
    private final TestCaller root = TestCaller.of(ClientApi.MCP, rootKey);

    private void install(String name, ScriptedUpstream upstream) {
        root.call(
                        "UP_Install",
                        "{'name':'%s','url':'%s','approve':'all','timeout_ms':2000}".formatted(name, upstream.url()))
                .ok();
    }

    private static RawMcpClient client(String key, String toolset) {
        return new RawMcpClient(TestServer.url() + "/mcp" + (toolset.isEmpty() ? "" : "/x/" + toolset), key);
    }

    private static JsonNode call(String key, String tool, String arguments) {
        return client(key, "").modern("tools/call", "{'name':'%s','arguments':%s}".formatted(tool, arguments));
    }

    private static List<String> listed(String key, String toolset) {
        var names = new ArrayList<String>();
        var params = "{}";
        while (!params.isEmpty()) {
            var page = client(key, toolset).modern("tools/list", params).path("result");
            page.path("tools").forEach(tool -> names.add(tool.path("name").asString("")));
            params = page.has("nextCursor")
                    ? "{'cursor':'%s'}".formatted(page.path("nextCursor").asString())
                    : "";
        }
        return names;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCallGivesWhatTheServerGivesInEachLane(boolean modern) {
        try (var upstream = new ScriptedUpstream(modern, ScriptedUpstream.ECHO)) {
            install("demo", upstream);
            var answer = call(rootKey, "demo_echo", "{'message':'hi'}").path("result");
            assertThat(answer.at("/content/0/text").asString()).isEqualTo("Echo: hi");
            assertThat(answer.at("/structuredContent/said").asString()).isEqualTo("hi");
            assertThat(answer.at("/_meta/io.agentworkspace~1header/service").asString())
                    .isEqualTo("demo_echo");
            var session = client(rootKey, "").session("2025-11-25", "{}");
            assertThat(session.call("tools/call", "{'name':'demo_echo','arguments':{'message':'ho'}}")
                            .at("/result/content/0/text")
                            .asString())
                    .isEqualTo("Echo: ho");
            var rest = Json.readObject(ClientApi.post(
                            TestServer.url() + "/api/mcp/tools/demo_echo/invoke", rootKey, "{\"message\":\"rest\"}")
                    .body());
            assertThat(rest.at("/status/success").asBoolean()).isTrue();
            assertThat(rest.at("/result/content/0/text").asString()).isEqualTo("Echo: rest");
            // The server began its session once for all calls of the user, and again after it had forgotten it.
            var before = upstream.calls("initialize");
            upstream.restart();
            assertThat(call(rootKey, "demo_echo", "{'message':'again'}")
                            .at("/result/content/0/text")
                            .asString())
                    .isEqualTo("Echo: again");
            assertThat(upstream.calls("initialize") - before).isEqualTo(modern ? 0 : 1);
            assertThat(upstream.headers).noneMatch(each -> each.toString().contains(rootKey));
        }
    }

    @Test
    void aPlanUsesTheContentOfItsAnswers() {
        try (var upstream = new ScriptedUpstream(true, ScriptedUpstream.ECHO)) {
            install("demo", upstream);
            var plan = """
                    {'name':'run_plan','arguments':{'steps':[
                     {'id':'e','tool':'demo_echo','arguments':{'message':'Ada'}},
                     {'id':'a','tool':'AP_Create','arguments':{'vx':{'name':{'$from':'e','path':'/said'},'description':'d'}}}]}}""";
            var done = client(rootKey, "").modern("tools/call", plan).path("result");
            assertThat(done.at("/structuredContent/returned/0/value/agent/name").asString())
                    .isEqualTo("Ada");
        }
    }

    @Test
    void aCancelledPlanEndsItsCallAndRunsNoFurtherStep() {
        var tasks = "{'extensions': {'io.modelcontextprotocol/tasks': {}}}";
        try (var upstream = new ScriptedUpstream(false, WRITES)) {
            install("demo", upstream);
            root.call("UP_Update", "{'name':'demo','timeout_ms':60000}").ok();
            var begun = upstream.calls("initialize");
            upstream.manner = Manner.HANGS;
            var plan = """
                    {'name':'run_plan','arguments':{'steps':[
                     {'id':'s','tool':'demo_save','arguments':{'message':'x'}},
                     {'id':'a','tool':'AP_Create','arguments':{'vx':{'name':'Ada','description':'d'}}}]}}""";
            var id = client(rootKey, "")
                    .modern("tools/call", plan, tasks)
                    .at("/result/taskId")
                    .asString();
            await().until(() -> upstream.calls("initialize") > begun || upstream.calls("tools/call") > 0);
            client(rootKey, "").modern("tasks/cancel", "{'taskId':'%s'}".formatted(id), tasks);
            await().until(() -> root.call("AC_Audit", "{'tool':'demo_save'}")
                            .ok()
                            .at("/entries")
                            .size()
                    == 1);
            root.call("AP_Read", "{'target':{'agent':'Ada'}}").refused(3001, "Ada");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void progressAndErrorsPass(boolean modern) {
        try (var upstream = new ScriptedUpstream(modern, ScriptedUpstream.ECHO)) {
            install("demo", upstream);
            var request = client(rootKey, "")
                    .request("tools/call", "{'name':'demo_echo','arguments':{'message':'hi'}}", RawMcpClient.ALL);
            ((ObjectNode) request.at("/params/_meta")).put("progressToken", "mine");
            var body = client(rootKey, "")
                    .send(request, RawMcpClient.mirrored(request))
                    .body();
            assertThat(body).contains("notifications/progress", "\"half\"", "\"mine\"", "Echo: hi");
            var wrong = call(rootKey, "demo_echo", "{'message':'wrong'}").path("result");
            assertThat(wrong.path("isError").asBoolean()).isTrue();
            assertThat(wrong.at("/structuredContent/status/note").asString())
                    .contains("'demo'", "message must not be wrong", "echo");
        }
    }

    @Test
    void toolsAreInTheirToolsetAndFoundButCostTheOthersNothing() {
        try (var upstream = new ScriptedUpstream(true, ScriptedUpstream.ECHO, WRITES)) {
            install("demo", upstream);
            assertThat(listed(rootKey, "demo")).containsExactly("demo_echo", "demo_save");
            assertThat(listed(rootKey, "all")).contains("demo_echo", "demo_save");
            assertThat(listed(rootKey, "")).doesNotContain("demo_echo").contains("AP_Read");
            assertThat(listed(rootKey, "work")).doesNotContain("demo_echo");
            assertThat(call(rootKey, "find_tools", "{'query':'echoes a text'}")
                            .at("/result/content/0/text")
                            .asString())
                    .startsWith("demo_echo");
            assertThat(call(rootKey, "describe_tool", "{'name':'demo_echo'}")
                            .at("/result/structuredContent/description")
                            .asString())
                    .isEqualTo("[Tool of the server 'demo'] Echoes a text.");
            assertThat(call(rootKey, "run_tool", "{'name':'demo_echo','arguments':{'message':'found'}}")
                            .at("/result/content/0/text")
                            .asString())
                    .isEqualTo("Echo: found");
            var stranger = new TestTenant().key(ClientApi.MCP, "eve", Role.OWNER, List.of("*"));
            assertThat(listed(stranger, "all")).doesNotContain("demo_echo");
            assertThat(call(stranger, "demo_echo", "{'message':'x'}")
                            .path("error")
                            .path("code")
                            .asInt())
                    .isEqualTo(-32602);
        }
    }

    @Test
    void aKeyNeedsTheCapabilityOfTheServerAndEveryCallIsAudited() {
        try (var upstream = new ScriptedUpstream(true, ScriptedUpstream.ECHO, WRITES)) {
            install("demo", upstream);
            var without = tenant.key(ClientApi.MCP, "mia", Role.MEMBER, List.of("agent:read", "upstream:read"));
            assertThat(listed(without, "all")).doesNotContain("demo_echo");
            assertThat(call(without, "demo_echo", "{'message':'x'}")
                            .at("/result/structuredContent/status/note")
                            .asString())
                    .contains("upstream:demo");
            var viewer = tenant.key(ClientApi.MCP, "vic", Role.VIEWER, List.of("upstream:demo"));
            assertThat(listed(viewer, "demo")).containsExactly("demo_echo");
            assertThat(call(viewer, "demo_save", "{'message':'x'}")
                            .at("/result/isError")
                            .asBoolean())
                    .isTrue();
            call(viewer, "demo_echo", "{'message':'x'}");
            await().untilAsserted(() -> assertThat(
                            root.call("AC_Audit", "{'tool':'demo_echo'}").ok().texts("/entries", "user"))
                    .contains("vic"));
            assertThat(root.call("RL_Create", """
                            {'name':'no','applies_to':['demo_echo'],'when':'true','effect':'deny','message':'not today'}""").ok().code()).isZero();
            assertThat(call(rootKey, "demo_echo", "{'message':'x'}")
                            .at("/result/structuredContent/status/note")
                            .asString())
                    .contains("not today");
        }
    }

    /** The hub shows whoever is signed in what their key may call, with its origin, and nobody else. */
    @Test
    void theHubShowsToolsWithTheirOrigin() {
        var evil = "{'name':'evil','description':'<img src=x onerror=alert(1)>','inputSchema':{'type':'object'}}";
        try (var upstream = new ScriptedUpstream(true, ScriptedUpstream.ECHO, evil)) {
            install("demo", upstream);
            var list = page("/mcp-hub", rootKey);
            assertThat(list)
                    .contains("id=\"from-demo\"", "From demo", "href=\"/mcp-hub/tools/demo_echo\"")
                    .contains("Tools of the installed server")
                    .doesNotContain("<img src=x");
            assertThat(page("/mcp-hub/tools/demo_echo", rootKey))
                    .contains("from demo", "[Tool of the server", "Echoes a text.", "upstream:demo")
                    .contains("/api/mcp/tools/demo_echo/invoke", "message");
            assertThat(page("/mcp-hub/tools/demo_evil", rootKey)).doesNotContain("<img src=x");
            assertThat(page("/search.json?of=tools&q=echoes", rootKey)).contains("demo_echo");
            var without = tenant.key(ClientApi.MCP, "mia", Role.MEMBER, List.of("agent:read"));
            for (var key : List.of(without, new TestTenant().key(ClientApi.MCP, "eve", Role.OWNER, List.of("*")))) {
                assertThat(page("/mcp-hub", key)).doesNotContain("demo_echo");
                assertThat(page("/mcp-hub/tools/demo_echo", key)).contains("No such tool");
                assertThat(page("/search.json?of=tools&q=echoes", key)).doesNotContain("demo_echo");
            }
        }
    }

    private static String page(String path, String key) {
        var request = HttpRequest.newBuilder(URI.create(TestServer.url() + path))
                .header("X-Api-Key", key)
                .build();
        return new String(ClientApi.send(request).body(), StandardCharsets.UTF_8);
    }

    /** Lists, searches, calls and plans of a key that names one server know no other. */
    @Test
    void aKeyForOneServerKnowsNoOther() {
        try (var github = new ScriptedUpstream(true, ScriptedUpstream.ECHO, WRITES);
                var gitlab = new ScriptedUpstream(true, ScriptedUpstream.ECHO, WRITES)) {
            install("git", github);
            install("git-hub", gitlab);
            var made = root.call("AK_Create", "{'name':'narrow','capabilities':['upstream:git']}")
                    .ok();
            assertThat(made.at("/key/capabilities").toString()).isEqualTo("[\"upstream:git\"]");
            var key = made.text("/api_key");
            for (var toolset : List.of("all", "git")) {
                assertThat(listed(key, toolset))
                        .as(toolset)
                        .contains("git_echo", "git_save")
                        .noneMatch(name -> name.startsWith("git-hub_"))
                        .noneMatch(name -> name.startsWith("UP_") || name.startsWith("AP_"));
            }
            assertThat(listed(key, "git-hub")).doesNotContain("git-hub_echo");
            var session = client(key, "all").session("2025-11-25", "{}");
            assertThat(session.call("tools/list", "{}").toString())
                    .contains("git_echo")
                    .doesNotContain("git-hub_echo");
            var found = call(key, "find_tools", "{'query':'echo a text'}").toString();
            assertThat(found).contains("git_echo").doesNotContain("git-hub_echo");

            assertThat(call(key, "git_echo", "{'message':'x'}")
                            .at("/result/content/0/text")
                            .asString())
                    .isEqualTo("Echo: x");
            assertThat(call(key, "git-hub_echo", "{'message':'x'}").toString()).contains("upstream:git-hub");
            call(key, "run_tool", "{'name':'git-hub_echo','arguments':{'message':'x'}}");
            call(key, "run_plan", "{'steps':[{'id':'a','tool':'git-hub_echo','arguments':{'message':'x'}}]}");
            ClientApi.post(TestServer.url() + "/api/mcp/tools/git-hub_echo/invoke", key, "{\"message\":\"x\"}");
            assertThat(gitlab.calls("tools/call")).isZero();
            assertThat(call(key, "UP_List", "{}").at("/result/isError").asBoolean())
                    .isTrue();
            root.call("AK_Create", "{'name':'odd','capabilities':['upstream:No Such']}")
                    .refused(1004, "upstream:<name>");
        }
    }

    @Test
    void aKeyMayPassOnOnlyItsOwnServers() {
        var holder = TestCaller.of(
                ClientApi.MCP,
                tenant.key(ClientApi.MCP, "ian", Role.MEMBER, List.of("key:write", "key:read", "upstream:git")));
        assertThat(holder.call("AK_Create", "{'name':'same','capabilities':['upstream:git']}")
                        .ok()
                        .at("/key/capabilities")
                        .toString())
                .isEqualTo("[\"upstream:git\"]");
        assertThat(holder.call("AK_Create", "{'name':'more','capabilities':['upstream:git-hub']}")
                        .code())
                .isNotZero();
    }

    @Test
    void aRepeatedCallWithAnIdempotencyKeyReachesTheServerOnce() {
        try (var upstream = new ScriptedUpstream(true, WRITES)) {
            install("demo", upstream);
            for (var i = 0; i < 3; i++) {
                var answer = client(rootKey, "")
                        .modern(
                                "tools/call",
                                "{'name':'demo_save','arguments':{'message':'once'}}",
                                RawMcpClient.ALL,
                                "Idempotency-Key",
                                "k1");
                assertThat(answer.at("/result/content/0/text").asString()).isEqualTo("Echo: once");
            }
            assertThat(upstream.calls("tools/call")).isEqualTo(1);
        }
    }

    @Test
    void aChangedToolIsNeitherListedNorCalledUntilItIsApproved() {
        try (var upstream = new ScriptedUpstream(true, ScriptedUpstream.ECHO)) {
            install("demo", upstream);
            upstream.has(ScriptedUpstream.ECHO.replace("Echoes", "Sends"));
            root.call("UP_Refresh", "{'name':'demo'}").ok();
            assertThat(listed(rootKey, "all")).doesNotContain("demo_echo");
            assertThat(call(rootKey, "demo_echo", "{'message':'x'}")
                            .at("/result/isError")
                            .asBoolean())
                    .isTrue();
            assertThat(upstream.calls("tools/call")).isZero();
            root.call("UP_Approve", "{'name':'demo'}").ok();
            assertThat(call(rootKey, "demo_echo", "{'message':'x'}").has("result"))
                    .isTrue();
        }
    }

    @Test
    void schemasAreShownAsEveryClientUnderstandsThemAndArgumentsGoBack() {
        try (var upstream = new ScriptedUpstream(true, """
                {'name':'odd.tool','inputSchema':{}}""", """
                {'name':'form','inputSchema':{'anyOf':[{'properties':{'a b':{'$ref':'#/$defs/N'}},'required':['a b']},
                 {'properties':{'list':{'type':'array'},'free':{}}}],'$defs':{'N':{'properties':{'x y':{'type':'integer'},'self':{'$ref':'#/$defs/N'}}}}}}""")) {
            install("demo", upstream);
            var tools = client(rootKey, "demo").modern("tools/list", "{}").at("/result/tools");
            assertThat(tools.toString()).doesNotContain("$ref", "anyOf", "a b", "x y");
            var schema = tools.valueStream()
                    .filter(tool -> tool.path("name").asString().equals("demo_form"))
                    .findFirst()
                    .orElseThrow()
                    .path("inputSchema");
            assertThat(schema.path("type").asString()).isEqualTo("object");
            assertThat(schema.at("/properties/list/items").isObject()).isTrue();
            assertThat(schema.at("/properties/free/type").asString()).isEqualTo("string");
            assertThat(call(rootKey, "demo_form", "{'a_b':{'x_y':7},'list':[1]}")
                            .at("/result/structuredContent/said")
                            .asString())
                    .isEqualTo("{\"a b\":{\"x y\":7},\"list\":[1]}");
            assertThat(listed(rootKey, "demo")).contains("demo_odd_tool");
        }
    }

    /**
     * Three hang, two reset, one floods, one fails, one answers what is no result, one changes its tools: those that
     * answer are not disturbed, and none receives the caller's credential.
     */
    @Test
    void badServersDisturbNeitherListsNorOthers() {
        var manners = Map.of(
                "a",
                Manner.HANGS,
                "b",
                Manner.HANGS,
                "c",
                Manner.HANGS,
                "d",
                Manner.RESETS,
                "e",
                Manner.RESETS,
                "f",
                Manner.FLOODS,
                "g",
                Manner.FAILS,
                "h",
                Manner.LIES);
        var bad = manners.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, _ -> new ScriptedUpstream(false, ScriptedUpstream.ECHO, WRITES)));
        try (var good = new ScriptedUpstream(false, ScriptedUpstream.ECHO);
                var changing = new ScriptedUpstream(false, ScriptedUpstream.ECHO, WRITES)) {
            install("good", good);
            install("i", changing);
            changing.has(ScriptedUpstream.ECHO, WRITES.replace("false", "true"));
            root.call("UP_Refresh", "{'name':'i'}").ok();
            bad.forEach(this::install);
            bad.forEach((name, upstream) -> upstream.manner = manners.getOrDefault(name, Manner.ANSWERS));
            try (var pool = Executors.newVirtualThreadPerTaskExecutor()) {
                var broken = bad.keySet().stream()
                        .flatMap(name -> IntStream.range(0, 3)
                                .mapToObj(_ -> pool.submit(() -> call(rootKey, name + "_save", "{'message':'x'}"))))
                        .toList();
                for (var i = 0; i < 5; i++) {
                    assertThat(call(rootKey, "good_echo", "{'message':'hi'}")
                                    .at("/result/content/0/text")
                                    .asString())
                            .isEqualTo("Echo: hi");
                    assertThat(listed(rootKey, "all"))
                            .contains("a_echo", "f_echo", "good_echo", "i_echo")
                            .doesNotContain("i_save");
                }
                assertThat(broken)
                        .allSatisfy(each -> assertThat(
                                        each.get().at("/result/isError").asBoolean())
                                .isTrue());
            }
            assertThat(call(rootKey, "i_save", "{'message':'x'}")
                            .at("/result/isError")
                            .asBoolean())
                    .isTrue();
            assertThat(bad.values())
                    .allSatisfy(upstream -> assertThat(upstream.headers)
                            .noneMatch(each -> each.toString().contains(rootKey)));
        } finally {
            bad.values().forEach(ScriptedUpstream::close);
        }
    }

    @Test
    void aServerThatFailsIsNotCalledForAWhileAndRecoversByItself() {
        try (var upstream = new ScriptedUpstream(true, WRITES)) {
            install("demo", upstream);
            upstream.manner = Manner.FAILS;
            for (var i = 0; i < UpstreamHealth.PATIENCE; i++) {
                assertThat(call(rootKey, "demo_save", "{'message':'x'}")
                                .at("/result/structuredContent/status/note")
                                .asString())
                        .contains("answered 500", "unknown");
            }
            var reached = upstream.calls("tools/call");
            var refused = call(rootKey, "demo_save", "{'message':'x'}").at("/result/structuredContent");
            assertThat(refused.at("/status/internal_code").asInt()).isEqualTo(5002);
            assertThat(refused.path("retry_at").asString()).isNotEmpty();
            assertThat(upstream.calls("tools/call")).isEqualTo(reached);
            await().untilAsserted(() -> assertThat(
                            root.call("UP_Read", "{'name':'demo'}").ok().text("/upstream/state"))
                    .isEqualTo("failing"));
            upstream.manner = Manner.ANSWERS;
            await().untilAsserted(() -> assertThat(call(rootKey, "demo_save", "{'message':'x'}")
                            .at("/result/content/0/text")
                            .asString())
                    .isEqualTo("Echo: x"));
            await().untilAsserted(() -> assertThat(
                            root.call("UP_Read", "{'name':'demo'}").ok().text("/upstream/state"))
                    .isEqualTo("ready"));
        }
    }

    /** Another engine is an upstream server like any other, in its newest revision. */
    @Test
    void anotherEngineIsAnUpstream() {
        var other = new TestTenant();
        var key = other.key(ClientApi.MCP, "remote", Role.OWNER, List.of("*"));
        root.call("UP_Install", """
                        {'name':'twin','url':'%s/mcp','approve':'all','credential':{'kind':'header','header':'X-Api-Key','value':'%s'}}""".formatted(TestServer.url(), key)).ok();
        var direct = call(key, "AP_Create", "{'vx':{'name':'Ada','description':'d'}}")
                .path("result");
        assertThat(direct.path("isError").asBoolean()).isFalse();
        var through = call(rootKey, "twin_AP_List", "{}").path("result");
        assertThat(through.at("/structuredContent/content"))
                .isEqualTo(call(key, "AP_List", "{}").at("/result/structuredContent/content"));
        assertThat(through.at("/structuredContent/content").toString()).contains("Ada");
        assertThat(call(rootKey, "AP_List", "{}").toString()).doesNotContain("\"Ada\"");
        assertThat(listed(rootKey, "twin")).contains("twin_AP_Read", "twin_find_tools");
    }
}

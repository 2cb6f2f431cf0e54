package io.agentworkspace.engine.integrations.upstreams;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.mcp.endpoint.Node;
import io.agentworkspace.engine.mcp.endpoint.RawMcpClient;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

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
            var direct = new RawMcpClient("http://127.0.0.1:%d/mcp".formatted(server.port()), key);
            BiFunction<String, String, JsonNode> own =
                    era.equals("2026") ? direct::modern : direct.session("2025-11-25", "{}")::call;
            for (var name : names(own.apply("tools/list", "{}"))) {
                var arguments = name.equals("add") ? "{'a':2,'b':40}" : "{}";
                var expected = result(own.apply("tools/call", called(name, arguments)));
                var call = called("ts_" + name, arguments);
                assertThat(result(modern.modern("tools/call", call))).as(name).isEqualTo(expected);
                assertThat(result(session.call("tools/call", call))).as(name).isEqualTo(expected);
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

    /**
     * The tools of the reference server, with arguments under which they answer the same each time. Those that switch
     * something of the session only must not fail; those that can only run as tasks are left out.
     */
    @Test
    void eachToolOfTheReferenceServerGivesWhatItGivesDirectly() {
        Node.require();
        var key = new TestTenant().key(ClientApi.MCP, "root", Role.OWNER, List.of("*"));
        var server = Node.start("upstream.mjs", Map.of("ERA", "everything"));
        try {
            var url = "http://127.0.0.1:%d/mcp".formatted(server.port());
            TestCaller.of(ClientApi.MCP, key)
                    .call("UP_Install", "{'name':'ev','url':'%s','approve':'all'}".formatted(url))
                    .ok();
            var direct = new RawMcpClient(url, key).session("2025-11-25", "{}");
            var names = names(direct.call("tools/list", "{}"));
            assertThat(names).containsAll(ARGUMENTS.keySet()).hasSizeGreaterThan(ARGUMENTS.size());
            var modern = new RawMcpClient(TestServer.url() + "/mcp", key);
            assertThat(names(new RawMcpClient(TestServer.url() + "/mcp/x/ev", key).modern("tools/list", "{}")))
                    .containsAll(names.stream().map(name -> "ev_" + name).toList());
            var session = modern.session("2025-11-25", "{}");
            for (var name : names) {
                var arguments = ARGUMENTS.getOrDefault(name, "{}");
                var expected = result(direct.call("tools/call", called(name, arguments)));
                var call = called("ev_" + name, arguments);
                for (var through : List.of(
                        result(modern.modern("tools/call", call, "{}")), result(session.call("tools/call", call)))) {
                    if (name.startsWith("toggle-")) {
                        assertThat(through).as(name).endsWith("false");
                    } else {
                        assertThat(through).as(name).isEqualTo(expected);
                    }
                }
            }
            contentIsAsDirectly(direct, modern, session);
        } finally {
            server.process().destroy();
        }
    }

    /**
     * It asks for a form and for text of a model, and announces changes to its session. A third of a second after a session's start it
     * asks for roots, too, whatever runs then: these clients have none.
     */
    @Test
    void theReferenceServerAsksClientsAndAnnouncesChangesInBothLanes() {
        Node.require();
        var key = new TestTenant().key(ClientApi.MCP, "root", Role.OWNER, List.of("*"));
        var server = Node.start("upstream.mjs", Map.of("ERA", "everything"));
        try {
            var url = "http://127.0.0.1:%d/mcp".formatted(server.port());
            TestCaller.of(ClientApi.MCP, key)
                    .call("UP_Install", "{'name':'ev','url':'%s','approve':'all'}".formatted(url))
                    .ok();
            var modern = new RawMcpClient(TestServer.url() + "/mcp", key);
            var session = modern.session("2025-11-25", ASKED);
            for (var each : QUESTIONS) {
                var call = called("ev_" + each.getFirst(), each.get(1));
                var result = modern.modern("tools/call", call, ASKED).path("result");
                var again = RawMcpClient.json(call);
                again.set("requestState", result.get("requestState"));
                var question =
                        result.path("inputRequests").propertyNames().iterator().next();
                again.putObject("inputResponses").set(question, RawMcpClient.json(each.get(3)));
                assertThat(result(modern.modern("tools/call", Json.text(again), ASKED)))
                        .contains("Ada");
                try (var events = session.events("tools/call", call)) {
                    session.post("{'jsonrpc':'2.0','id':%s,'result':%s}"
                            .formatted(events.next(each.get(2)).get("id"), each.get(3)));
                    assertThat(result(events.next())).contains("Ada");
                }
            }
            var uri = "engine://upstreams/ev/demo://resource/dynamic/text/1";
            try (var events = session.listen();
                    var stateless = modern.events(
                            "subscriptions/listen",
                            "{'notifications':{'resourceSubscriptions':['%s']}}".formatted(uri))) {
                session.call("resources/subscribe", "{'uri':'%s'}".formatted(uri));
                var updated = "notifications/resources/updated";
                stateless.next(updated); // It is subscribed now.
                modern.modern("tools/call", called("ev_toggle-subscriber-updates", "{}"), ASKED);
                assertThat(stateless.next(updated).at("/params/uri").asString()).isEqualTo(uri);
                assertThat(events.next(updated).at("/params/uri").asString()).isEqualTo(uri);
            }
        } finally {
            server.process().destroy();
        }
    }

    private static final String ASKED = "{'elicitation': {}, 'sampling': {}}";

    /** Tools that ask: their arguments, what they ask, and an answer. */
    private static final List<List<String>> QUESTIONS = List.of(
            List.of(
                    "trigger-elicitation-request",
                    "{}",
                    "elicitation/create",
                    "{'action':'accept','content':{'name':'Ada'}}"),
            List.of(
                    "trigger-sampling-request",
                    "{'prompt':'Say hi.','maxTokens':10}",
                    "sampling/createMessage",
                    "{'role':'assistant','model':'m','content':{'type':'text','text':'Hi, Ada'}}"));

    /**
     * The memory server speaks only stdio, so a bridge runs one for each session. Each lane is another user here, whose session has
     * its own program and file: what one user stores, no other finds.
     */
    @Test
    void eachToolOfAProgramBehindABridgeGivesWhatItGivesDirectly(@TempDir Path folder) {
        Node.require();
        var tenant = new TestTenant();
        var key = tenant.key(ClientApi.MCP, "root", Role.OWNER, List.of("*"));
        var mia = tenant.key(ClientApi.MCP, "mia", Role.MEMBER, List.of("upstream:mem"));
        var server = Node.start("upstream.mjs", Map.of("ERA", "memory", "FOLDER", folder.toString()));
        try {
            var url = "http://127.0.0.1:%d/mcp".formatted(server.port());
            var made = TestCaller.of(ClientApi.MCP, key)
                    .call("UP_Install", "{'name':'mem','url':'%s','approve':'all'}".formatted(url))
                    .ok();
            assertThat(made.text("/upstream/last_error")).isEmpty();
            var direct = new RawMcpClient(url, key).session("2025-11-25", "{}");
            assertThat(names(direct.call("tools/list", "{}")))
                    .containsExactlyInAnyOrderElementsOf(MEMORY.stream()
                            .map(call -> call.getFirst())
                            .distinct()
                            .toList());
            var modern = new RawMcpClient(TestServer.url() + "/mcp", key);
            var session = new RawMcpClient(TestServer.url() + "/mcp", mia).session("2025-11-25", "{}");
            for (var each : MEMORY) {
                var expected = result(direct.call("tools/call", called(each.getFirst(), each.getLast())));
                var call = called("mem_" + each.getFirst(), each.getLast());
                assertThat(result(modern.modern("tools/call", call)))
                        .as(each.getFirst())
                        .isEqualTo(expected);
                assertThat(result(session.call("tools/call", call)))
                        .as(each.getFirst())
                        .isEqualTo(expected);
            }
        } finally {
            server.process().destroy();
        }
    }

    private static final String ADA = "{'name':'Ada','entityType':'person','observations':['likes tea']}";

    /** Every tool of the memory server, in an order in which each has something to do. */
    private static final List<List<String>> MEMORY = List.of(
            List.of(
                    "create_entities",
                    "{'entities':[%s,{'name':'Bob','entityType':'person','observations':[]}]}".formatted(ADA)),
            List.of("create_relations", "{'relations':[{'from':'Ada','to':'Bob','relationType':'knows'}]}"),
            List.of("add_observations", "{'observations':[{'entityName':'Ada','contents':['plays chess']}]}"),
            List.of("read_graph", "{}"),
            List.of("search_nodes", "{'query':'chess'}"),
            List.of("open_nodes", "{'names':['Bob']}"),
            List.of("delete_observations", "{'deletions':[{'entityName':'Ada','observations':['likes tea']}]}"),
            List.of("delete_relations", "{'relations':[{'from':'Ada','to':'Bob','relationType':'knows'}]}"),
            List.of("delete_entities", "{'entityNames':['Bob']}"),
            List.of("read_graph", "{}"));

    @Test
    void aServerOfTheJavaSdkGivesWhatItGivesDirectly() throws IOException {
        var key = new TestTenant().key(ClientApi.MCP, "root", Role.OWNER, List.of("*"));
        try (var server = new JavaSdkServer()) {
            var made = TestCaller.of(ClientApi.MCP, key)
                    .call("UP_Install", "{'name':'java','url':'%s','approve':'all'}".formatted(server.url()))
                    .ok();
            assertThat(made.text("/upstream/last_error")).isEmpty();
            assertThat(made.texts("/upstream/content", "tool")).containsExactlyInAnyOrder("java://notes", "greet");
            var direct = new RawMcpClient(server.url(), key);
            var modern = new RawMcpClient(TestServer.url() + "/mcp", key);
            var session = modern.session("2025-11-25", "{}");
            for (var name : names(direct.bare("tools/list", "{}"))) {
                var arguments = "{'a':2,'b':40}";
                var expected = result(direct.bare("tools/call", called(name, arguments)));
                assertThat(expected).contains("42").endsWith(String.valueOf(name.equals("fail")));
                var call = called("java_" + name, arguments);
                assertThat(result(modern.modern("tools/call", call))).isEqualTo(expected);
                assertThat(result(session.call("tools/call", call))).isEqualTo(expected);
            }
            for (var answer : List.of(
                    modern.modern("resources/read", "{'uri':'engine://upstreams/java/java://notes'}"),
                    session.call("resources/read", "{'uri':'java://notes'}"))) {
                assertThat(answer.at("/result/contents/0/text").asString()).isEqualTo("Some notes.");
            }
            var prompt = "{'name':'java_greet','arguments':{'who':'Ada'}}";
            for (var answer : List.of(modern.modern("prompts/get", prompt), session.call("prompts/get", prompt))) {
                assertThat(answer.at("/result/messages/0/content/text").asString())
                        .isEqualTo("Greet Ada.");
            }
        }
    }

    private static final Map<String, String> ARGUMENTS = Map.of(
            "echo",
            "{'message':'hi'}",
            "get-sum",
            "{'a':2,'b':40}",
            "get-annotated-message",
            "{'messageType':'error','includeImage':true}",
            "get-resource-links",
            "{'count':3}",
            "get-structured-content",
            "{'location':'Chicago'}",
            "gzip-file-as-resource",
            "{'name':'a.gz','data':'data:text/plain,hello'}",
            "trigger-long-running-operation",
            "{'duration':0,'steps':1}");

    private static String called(String name, String arguments) {
        return "{'name':'%s','arguments':%s}".formatted(name, arguments);
    }

    private static List<String> names(JsonNode list) {
        return list.at("/result/tools")
                .valueStream()
                .filter(tool -> !tool.at("/execution/taskSupport").asString("").equals("required"))
                .map(tool -> tool.path("name").asString())
                .toList();
    }

    /** Resources and prompts of the reference server, which both lanes read, too. */
    private static void contentIsAsDirectly(
            RawMcpClient.Session direct, RawMcpClient modern, RawMcpClient.Session session) {
        var static_ = direct.call("resources/list", "{}")
                .at("/result/resources")
                .valueStream()
                .map(resource -> resource.path("uri").asString())
                .filter(uri -> uri.contains("static"));
        var uris = Stream.concat(static_, Stream.of("demo://resource/dynamic/text/7"))
                .toList();
        assertThat(uris).hasSizeGreaterThan(2);
        for (var uri : uris) {
            var expected = contents(direct.call("resources/read", "{'uri':'%s'}".formatted(uri)));
            assertThat(expected).isNotEmpty();
            var here = "{'uri':'engine://upstreams/ev/%s'}".formatted(uri);
            assertThat(contents(modern.modern("resources/read", here, "{}"))).isEqualTo(expected);
            assertThat(contents(session.call("resources/read", here))).isEqualTo(expected);
        }
        var prompts = direct.call("prompts/list", "{}").at("/result/prompts");
        assertThat(prompts).isNotEmpty();
        for (var prompt : prompts) {
            var arguments = prompt.path("arguments")
                    .valueStream()
                    .map(argument -> "'%s':'1'".formatted(argument.path("name").asString()))
                    .collect(Collectors.joining(","));
            var get = "{'name':'%s" + prompt.path("name").asString() + "','arguments':{" + arguments + "}}";
            var expected = direct.call("prompts/get", get.formatted("")).at("/result/messages");
            if (!expected.isMissingNode()) {
                assertThat(modern.modern("prompts/get", get.formatted("ev_"), "{}")
                                .at("/result/messages"))
                        .isEqualTo(expected);
                assertThat(session.call("prompts/get", get.formatted("ev_")).at("/result/messages"))
                        .isEqualTo(expected);
            }
        }
    }

    private static String contents(JsonNode read) {
        return read.at("/result/contents/0/text")
                .asString(read.at("/result/contents/0/blob").asString(""))
                .replaceAll("\\d{1,2}:\\d\\d:\\d\\d( [AP]M)?", "#");
    }

    /** What a tool gave. Sessions have ids of their own, and times pass. */
    private static String result(JsonNode response) {
        var result = response.path("result");
        return (result.path("content") + " " + result.path("structuredContent") + " "
                        + result.path("isError").asBoolean(false))
                .replaceAll("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "#")
                .replaceAll("\\d{1,2}:\\d\\d:\\d\\d( [AP]M)?", "#");
    }
}

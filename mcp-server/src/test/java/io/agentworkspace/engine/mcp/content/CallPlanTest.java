package io.agentworkspace.engine.mcp.content;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.mcp.endpoint.RawMcpClient;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Plans of calls with run_plan, through both endpoints. */
class CallPlanTest {
    private static final String MAKE =
            "{'id':'%s','tool':'AP_Create','arguments':{'vx':{'name':'%s','description':'d'}}}";
    private static final String TASKS = "{'elicitation': {}, 'extensions': {'io.modelcontextprotocol/tasks': {}}}";

    private final TestTenant tenant = new TestTenant();
    private final TestCaller maria = tenant.member("maria");
    private final String key = tenant.key(ClientApi.MCP, "rob", Role.MEMBER, List.of("*"));

    private static String make(String id, String name) {
        return MAKE.formatted(id, name);
    }

    private static String plan(String... steps) {
        return "{'steps':[%s]}".formatted(String.join(",", steps));
    }

    @Test
    void aStepUsesWhatAnEarlierOneAnswered() {
        var read = "{'id':'b','tool':'AP_List','arguments':{'target':{'agent':{'$from':'a','path':'/agent/name'}}}}";
        var done = maria.call("run_plan", plan(make("a", "Ada"), read)).ok();
        assertThat(done.at("/returned").size()).isEqualTo(1);
        assertThat(done.text("/returned/0/from")).isEqualTo("b");
        assertThat(done.text("/returned/0/value/content/0/agent")).isEqualTo("Ada");
        assertThat(done.at("/steps").isMissingNode()).isTrue();
        // Each call is in the audit as one of its own.
        var owner = tenant.person(ClientApi.MCP, "owner", Role.OWNER);
        assertThat(owner.call("AC_Audit", "{'tool':'AP_Create'}").ok().at("/entries"))
                .hasSize(1);
    }

    @Test
    void aStepIsRepeatedForEachItem() {
        var steps = plan(
                "{'id':'a','tool':'AP_Create','each':['Ada','Bob'],'arguments':{'vx':{'name':{'$from':'each'},'description':'one'}}}",
                "{'id':'b','tool':'AP_List','each':{'$from':'a'},'arguments':{'target':{'agent':{'$from':'each','path':'/agent/name'}}}}",
                "{'id':'none','tool':'AP_Read','each':[],'arguments':{}}");
        var named = steps.replaceFirst(
                "}$", ",'return':['b/1/content/0/agent',{'from':'none'},{'\\$from':'a','path':'/7'}]}");
        var done = maria.call("run_plan", named).ok();
        assertThat(done.text("/returned/0/value")).isEqualTo("Bob");
        assertThat(done.at("/returned/1/value").isArray()).isTrue();
        assertThat(done.text("/returned/2/note")).contains("has nothing at /7", "an array with 2 items");
    }

    @Test
    void aFailureStopsTheRestAndSaysWhatWasDone() {
        var failing =
                "{'id':'b','tool':'AP_Read','each':['Ada','Nobody'],'arguments':{'target':{'agent':{'$from':'each'}}}}";
        var failed = maria.call("run_plan", plan(make("a", "Ada"), failing, make("c", "Cid")))
                .refused(3001, "step 'b' (AP_Read) failed: item 1 of 2: ", "Nobody", "; done: a; not run: c");
        assertThat(failed.texts("/steps", "state")).containsExactly("done", "failed", "not_run");
        assertThat(failed.number("/steps/1/calls_done")).isEqualTo(1);
        assertThat(failed.text("/steps/1/note")).contains("Nobody");
        assertThat(failed.text("/returned/0/value/agent/name")).isEqualTo("Ada");
        maria.call("AP_Read", "{'target':{'agent':'Cid'}}").refused(3001, "Cid");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{} | steps is required",
                "{'steps':[]} | steps is empty",
                "{'steps':7} | steps must be an array",
                "{'plan':[]} | plan is not a field of run_plan",
                "{'steps':['a']} | steps[0] must be an object",
                "{'steps':[A,{'tool':'AP_List'}]} | steps[1].id is required",
                "{'steps':[A,{'id':'each','tool':'AP_List'}]} | steps[1].id must have",
                "{'steps':[A,A]} | 'a' is the id of an earlier step",
                "{'steps':[A,{'id':'b'}]} | steps[1].tool is required",
                "{'steps':[A,{'id':'b','name':'AP_List'}]} | steps[1].name is not a field of a step",
                "{'steps':[A,{'id':'b','tool':'AP_Lst'}]} | step 'b': there is no tool 'AP_Lst'; did you mean AP_List?; no step was run",
                "{'steps':[A,{'id':'b','tool':'AP_List','arguments':{'strange':1}}]} | step 'b': strange",
                "{'steps':[A,{'id':'b','tool':'run_plan','arguments':{'steps':[]}}]} | a plan runs no plan",
                "{'steps':[A,{'id':'b','tool':'run_tool'}]} | name the tool that it runs",
                "{'steps':[A,{'id':'b','tool':'find_tools'}]} | call it on its own",
                "{'steps':[A,{'id':'b','tool':'AP_Read','arguments':{'target':{'agent':{'$from':'c'}}}},{'id':'c','tool':'AP_List'}]} | step 'b' refers to 'c', which runs after it",
                "{'steps':[A,{'id':'b','tool':'AP_Read','arguments':{'target':{'agent':{'$from':'b'}}}}]} | step 'b' refers to itself",
                "{'steps':[A,{'id':'b','tool':'AP_Read','arguments':{'target':{'agent':{'$from':'z'}}}}]} | refers to 'z', which is no step of the plan; before it are a",
                "{'steps':[A,{'id':'b','tool':'AP_Read','arguments':{'target':{'agent':{'$from':'each'}}}}]} | has no each",
                "{'steps':[A,{'id':'b','tool':'AP_Read','arguments':{'target':{'agent':{'$from':'a','path':'agent'}}}}]} | begins with '/': 'agent'",
                "{'steps':[A,{'id':'b','tool':'AP_Read','arguments':{'target':{'agent':{'$from':'a','path':'/x~2'}}}}]} | write '~' as '~0'",
                "{'steps':[A,{'id':'b','tool':'AP_Read','arguments':{'target':{'agent':{'$from':'a','or':1}}}}]} | that is not {",
                "{'steps':[A,{'id':'b','tool':'AP_Read','arguments':{'target':{'agent':{'$from':7}}}}]} | that is not {",
                "{'steps':[A,{'id':'b','tool':'AP_Read','arguments':{'$from':'a'}}]} | steps[1].arguments must be an object",
                "{'steps':[A,{'id':'b','tool':'AP_Read','each':'a'}]} | steps[1].each must be an array",
                "{'steps':[A,{'id':'b','tool':'AP_Read','each':[{'$from':'each'}]}]} | has no each",
                "{'steps':[A],'return':['b']} | names the step 'b', which the plan does not have; it has a",
                "{'steps':[A],'return':[7]} | return[0] must be the id of a step",
                "{'steps':[A],'return':[{'from':'a','path':'x'}]} | return[0].path is no JSON pointer"
            })
    void aPlanThatCannotRunRunsNothing(String plan, String note) {
        var refused = maria.call("run_plan", plan.replaceAll("(?<=[\\[,])A(?=[,\\]])", make("a", "Ada")));
        assertThat(refused.at("/status/success").asBoolean()).isFalse();
        assertThat(refused.note()).contains(note);
        maria.call("AP_Read", "{'target':{'agent':'Ada'}}").refused(3001, "Ada");
    }

    @Test
    void theLimitsOfAPlanHold() {
        var many = IntStream.range(0, 21)
                .mapToObj(i -> "{'id':'s%d','tool':'AP_List'}".formatted(i))
                .toArray(String[]::new);
        assertThat(maria.call("run_plan", plan(many)).note()).contains("steps has 21 steps; at most 20");
        var items = String.join(",", Collections.nCopies(101, "1"));
        assertThat(maria.call("run_plan", plan("{'id':'a','tool':'AP_List','each':[%s]}".formatted(items)))
                        .note())
                .contains("steps[0].each has 101 items; at most 100");
        var object = maria.call(
                "run_plan", plan(make("a", "Ada"), "{'id':'b','tool':'AP_List','each':{'$from':'a','path':'/agent'}}"));
        assertThat(object.note())
                .contains("step 'b' (AP_List) failed: each must be an array, and is an object with name");
    }

    @Test
    void whatTheCallerMayNotUseIsRefusedBeforeAnythingRuns() {
        var viewer = tenant.person("vera", Role.VIEWER);
        assertThat(viewer.call("run_plan", plan("{'id':'l','tool':'AP_List'}", make("a", "Ada")))
                        .note())
                .startsWith("step 'a': there is no tool 'AP_Create'");
    }

    @Test
    void theSamePlanSentAgainWithItsKeyRepeatsNothing() {
        var steps = plan(
                "{'id':'a','tool':'DM_Create','each':['one','two'],'arguments':{'vx':{'name':{'$from':'each'},'description':'d'}}}");
        var first = invoke(key, steps);
        assertThat(first.at("/status/success").asBoolean()).isTrue();
        assertThat(invoke(key, steps).at("/returned")).isEqualTo(first.at("/returned"));
    }

    private static JsonNode invoke(String key, String plan) {
        return Json.readObject(ClientApi.post(
                        TestServer.url() + "/api/mcp/tools/run_plan/invoke",
                        key,
                        plan.replace('\'', '"').getBytes(StandardCharsets.UTF_8),
                        Map.of("Idempotency-Key", "once"))
                .body());
    }

    @Test
    void aPlanIsATaskForClientsThatKnowTasks() {
        var client = client("/mcp/x/discovery");
        var task = client.modern("tools/call", call(plan(make("a", "Ada"))), TASKS);
        var id = task.at("/result/taskId").asString();
        assertThat(id).isNotEmpty();
        await().until(() -> task(client, id).path("status").asString("").equals("completed"));
        assertThat(task(client, id)
                        .at("/result/structuredContent/returned/0/value/agent/name")
                        .asString())
                .isEqualTo("Ada");
    }

    private static JsonNode task(RawMcpClient client, String id) {
        return client.modern("tasks/get", "{'taskId': '%s'}".formatted(id), TASKS)
                .path("result");
    }

    private RawMcpClient client(String path) {
        return new RawMcpClient(TestServer.url() + path, key);
    }

    private static String call(String plan) {
        return "{'name':'run_plan','arguments':%s}".formatted(plan);
    }

    @Test
    void thePersonConfirmsWhatAPlanDestroysBeforeItBegins() {
        var client = client("/mcp");
        var destroy = "{'id':'d','tool':'AP_Destroy','arguments':{'target':{'agent':'Ada'}}}";
        var params = call(plan(make("a", "Ada"), destroy));
        var question = client.modern("tools/call", params, RawMcpClient.ALL, "X-MCP-Confirm", "destructive");
        assertThat(question.at("/result/inputRequests/confirm/params/message").asString())
                .contains("Ada", "This is for good.");
        var answer = ",'requestState':'%s','inputResponses':{'confirm':{'action':'%s','content':{'destroy':true}}}}";
        var state = question.at("/result/requestState").asString();
        var refused = client.modern(
                "tools/call",
                params.replaceFirst("}$", answer.formatted(state, "decline")),
                RawMcpClient.ALL,
                "X-MCP-Confirm",
                "destructive");
        assertThat(refused.at("/result/structuredContent/status/note").asString())
                .contains("did not confirm");
        var done = client.modern(
                "tools/call",
                params.replaceFirst("}$", answer.formatted(state, "accept")),
                RawMcpClient.ALL,
                "X-MCP-Confirm",
                "destructive");
        assertThat(done.at("/result/structuredContent/status/success").asBoolean())
                .isTrue();
        var unseen = call(plan(
                make("a", "Bob"),
                "{'id':'d','tool':'AP_Destroy','arguments':{'target':{'agent':{'$from':'a','path':'/agent/name'}}}}"));
        assertThat(client.modern("tools/call", unseen, RawMcpClient.ALL, "X-MCP-Confirm", "destructive")
                        .at("/result/structuredContent/status/note")
                        .asString())
                .contains("which a person must confirm", "no step was run");
    }

    @Test
    void onlyTheToolsetOfDiscoveryListsItAndReadOnlyHolds() {
        assertThat(client("/mcp").modern("tools/list", "{}").toString())
                .contains("run_tool")
                .doesNotContain("run_plan");
        var discovery = client("/mcp/x/discovery/readonly");
        assertThat(discovery.modern("tools/list", "{}").toString()).contains("run_plan");
        assertThat(discovery.modern("tools/call", call(plan(make("a", "Ada")))).toString())
                .contains("there is no tool 'AP_Create'");
        assertThat(discovery
                        .modern("tools/call", call(plan("{'id':'a','tool':'AP_List'}")))
                        .at("/result/structuredContent/status/success")
                        .asBoolean())
                .isTrue();
    }

    /** Reading a pointer takes no part of the thread's stack for each of its parts. */
    @Test
    void aPointerOfManyPartsIsRead() {
        var plan =
                "{'steps':[%s],'return':[{'from':'a','path':'%s'}]}".formatted(make("a", "Ada"), "/~0".repeat(20_000));
        assertThat(maria.call("run_plan", plan).note()).doesNotContain("internal", "went wrong");
        assertThat(maria.call("run_plan", plan).at("/status/internal_code").asInt())
                .isNotEqualTo(5001);
    }
}

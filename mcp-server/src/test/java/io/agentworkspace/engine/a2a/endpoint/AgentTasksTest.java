package io.agentworkspace.engine.a2a.endpoint;

import static io.agentworkspace.engine.a2a.endpoint.A2aClient.message;
import static io.agentworkspace.engine.testing.DomainSetup.agents;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A program of Ann's talks to Bob's agent Ben, which knows only the engine's tools. */
class AgentTasksTest {
    private final TestTenant tenant = new TestTenant();
    private final String key = tenant.key(ClientApi.REST, "ann", Role.MEMBER, List.of("*"));
    private final TestCaller bob = tenant.person(ClientApi.REST, "bob", Role.MEMBER);
    private final A2aClient ben = new A2aClient(TestServer.url(), key, "ben");

    AgentTasksTest() {
        agents(bob, "Ben");
        bob.call("AP_Modify", "{'target':{'agent':'Ben'},'vx':{'access':'public','description':'Knows the tides.'}}")
                .ok();
    }

    private void chat(String task, String text) {
        bob.call("AP_Chat", "{'reply_to':'%s','content':'%s','target':{'context':'Ben'}}".formatted(task, text))
                .ok();
    }

    private void answer(String task, String text) {
        bob.call("AP_Answer", "{'question':'%s','content':'%s','target':{'context':'Ben'}}".formatted(task, text))
                .ok();
    }

    private static String state(JsonNode task) {
        return task.at("/status/state").asString("").replace("TASK_STATE_", "");
    }

    private ObjectNode read(String task) {
        return ben.result("GetTask", "{'id':'%s'}".formatted(task));
    }

    @Test
    void aTaskIsAQuestionThatTheAgentAnswersAfterItHasAskedBack() {
        var sent = message("When is low water?", "");
        var begun = ben.result("SendMessage", sent).path("task");
        var task = begun.path("id").asString();
        assertThat(state(begun)).isEqualTo("SUBMITTED");
        assertThat(ben.result("SendMessage", sent).at("/task/id").asString()).isEqualTo(task);
        assertThat(bob.call("AP_Wait", "{'wait_seconds':0,'target':{'context':'Ben'}}")
                        .ok()
                        .text("/content/0/question/id"))
                .isEqualTo(task);
        assertThat(state(read(task))).isEqualTo("WORKING");
        chat(task, "At which place?");
        var back = read(task);
        assertThat(state(back)).isEqualTo("INPUT_REQUIRED");
        assertThat(back.at("/status/message/parts/0/text").asString()).isEqualTo("At which place?");
        var context = begun.path("contextId").asString();
        var more = ",'taskId':'%s','contextId':'%s'".formatted(task, context);
        var continued = ben.result("SendMessage", message("At Dover.", more)).path("task");
        assertThat(continued.path("id").asString()).isEqualTo(task);
        assertThat(state(continued)).isEqualTo("SUBMITTED");
        answer(task, "At six.");
        var done = read(task);
        assertThat(state(done)).isEqualTo("COMPLETED");
        assertThat(done.at("/artifacts/0/parts/0/text").asString()).isEqualTo("At six.");
        assertThat(done.path("history")
                        .valueStream()
                        .map(each -> each.path("role").asString()))
                .containsExactly("ROLE_USER", "ROLE_AGENT", "ROLE_USER", "ROLE_AGENT");
        assertThat(ben.result("GetTask", "{'id':'%s','historyLength':0}".formatted(task))
                        .has("history"))
                .isFalse();
        assertThat(ben.code("SendMessage", message("More?", more))).isEqualTo(-32004);
        assertThat(ben.code("CancelTask", "{'id':'%s'}".formatted(task))).isEqualTo(-32002);
        assertThat(ben.code("SubscribeToTask", "{'id':'%s'}".formatted(task))).isEqualTo(-32004);
    }

    @Test
    void aTaskIsCanceledAndListed() {
        var first = ben.begin("One?").path("id").asString();
        var second = ben.begin("Two?").path("id").asString();
        var third = ben.begin("Three?").path("id").asString();
        assertThat(state(ben.result("CancelTask", "{'id':'%s'}".formatted(second))))
                .isEqualTo("CANCELED");
        assertThat(state(ben.result("CancelTask", "{'id':'%s'}".formatted(second))))
                .isEqualTo("CANCELED");
        answer(first, "Yes.");
        assertThat(ids(ben.result("ListTasks", "{}"))).containsExactly(first, second, third);
        assertThat(ids(ben.result("ListTasks", "{'status':'TASK_STATE_COMPLETED'}")))
                .containsExactly(first);
        assertThat(ids(ben.result("ListTasks", "{'status':'TASK_STATE_SUBMITTED'}")))
                .containsExactly(third);
        var page = ben.result("ListTasks", "{'pageSize':2}");
        assertThat(page.path("totalSize").asInt()).isEqualTo(3);
        assertThat(page.at("/tasks/0").has("artifacts")).isFalse();
        var rest = ben.result(
                "ListTasks",
                "{'pageSize':2,'pageToken':'%s'}"
                        .formatted(page.path("nextPageToken").asString()));
        assertThat(ids(rest)).containsExactly(third);
        assertThat(rest.path("nextPageToken").asString()).isEmpty();
        assertThat(ben.result("ListTasks", "{'includeArtifacts':true}")
                        .at("/tasks/0/artifacts/0/parts/0/text")
                        .asString())
                .isEqualTo("Yes.");
        assertThat(ids(ben.result("ListTasks", "{'contextId':'other'}"))).isEmpty();
        assertThat(ids(ben.result("ListTasks", "{'statusTimestampAfter':'2999-01-01T00:00:00Z'}")))
                .isEmpty();
    }

    private static List<String> ids(ObjectNode list) {
        return list.path("tasks")
                .valueStream()
                .map(task -> task.path("id").asString())
                .toList();
    }

    /** Other callers, and the same caller at another agent, have no such task. */
    @Test
    void aTaskIsOnlyItsCallersAndItsAgents() {
        var begun = ben.begin("Who?");
        var task = begun.path("id").asString();
        agents(bob, "Bea");
        bob.call("AP_Modify", "{'target':{'agent':'Bea'},'vx':{'access':'public'}}")
                .ok();
        var byId = "{'id':'%s'}".formatted(task);
        var carl = tenant.key(ClientApi.REST, "carl", Role.OWNER, List.of("*"));
        for (var client :
                List.of(new A2aClient(TestServer.url(), carl, "Ben"), new A2aClient(TestServer.url(), key, "Bea"))) {
            assertThat(client.code("GetTask", byId)).isEqualTo(-32001);
            assertThat(client.code("CancelTask", byId)).isEqualTo(-32001);
            assertThat(client.code("SubscribeToTask", byId)).isEqualTo(-32001);
            assertThat(client.code("SendMessage", message("I?", ",'taskId':'%s'".formatted(task))))
                    .isEqualTo(-32001);
            assertThat(ids(client.result("ListTasks", "{}"))).isEmpty();
            var context = begun.path("contextId").asString();
            assertThat(client.code("SendMessage", message("I?", ",'contextId':'%s'".formatted(context))))
                    .isEqualTo(-32602);
            assertThat(ids(client.result("ListTasks", "{'contextId':'%s'}".formatted(context))))
                    .isEmpty();
        }
        assertThat(state(read(task))).isEqualTo("SUBMITTED");
    }

    @Test
    void sendMessageWaitsForTheAnswer() {
        try (var _ = new AnsweringAgent(bob, "Ben", "At six.")) {
            var answered = ben.result("SendMessage", message("When?", "").replace("'returnImmediately':true", ""));
            assertThat(state(answered.path("task"))).isEqualTo("COMPLETED");
            assertThat(answered.at("/task/artifacts/0/parts/0/text").asString()).isEqualTo("At six.");
        }
    }

    /** A message that continues a task waits for its answer, or until the task is canceled. One that is sent again may wait otherwise. */
    @Test
    void aMessageThatContinuesATaskWaitsForItsAnswerOrItsEnd() {
        for (var isAnswered : List.of(true, false)) {
            var first = message("When?", "");
            var task = ben.result("SendMessage", first).at("/task/id").asString();
            chat(task, "At which place?");
            var sent = message("At Dover.", ",'taskId':'%s'".formatted(task)).replace("'returnImmediately':true", "");
            var waiting = CompletableFuture.supplyAsync(() -> ben.result("SendMessage", sent));
            await().until(() -> read(task).path("history").size() == 3);
            if (isAnswered) {
                answer(task, "At six.");
            } else {
                ben.result("CancelTask", "{'id':'%s'}".formatted(task));
            }
            var ended = waiting.join();
            assertThat(state(ended.path("task"))).isEqualTo(isAnswered ? "COMPLETED" : "CANCELED");
            assertThat(ended.at("/task/history")
                            .valueStream()
                            .filter(each -> each.path("role").asString().equals("ROLE_USER")))
                    .hasSize(2);
            var again = ben.result("SendMessage", first.replace("'returnImmediately':true", ""));
            assertThat(again.at("/task/id").asString()).isEqualTo(task);
        }
    }

    @Test
    void streamsTellOfEachChangeAndEnd() {
        try (var _ = new AnsweringAgent(bob, "Ben", "At six.")) {
            var rpc = new String(ben.send(
                            "POST",
                            "",
                            "{'jsonrpc':'2.0','id':'s','method':'SendStreamingMessage','params':%s}"
                                    .formatted(message("When?", "")),
                            "application/json",
                            "1.0")
                    .body());
            var events = events(rpc);
            assertThat(events.getFirst().at("/result/task/id").isString()).isTrue();
            assertThat(events)
                    .allSatisfy(event -> assertThat(event.path("id").asString()).isEqualTo("s"));
            checkEnd(events.stream().map(event -> event.path("result")).toList());
            var brief = message("And then?", "").replace("'configuration':{", "'configuration':{'historyLength':0,");
            var http =
                    events(new String(ben.http("POST", "/message:stream", brief).body()));
            assertThat(http.getFirst().path("task").has("history")).isFalse();
            checkEnd(http);
        }
    }

    private static void checkEnd(List<JsonNode> events) {
        var last = events.getLast();
        var status = last.has("task") ? last.at("/task/status") : last.at("/statusUpdate/status");
        assertThat(status.path("state").asString()).isEqualTo("TASK_STATE_COMPLETED");
        var artifacts = events.stream()
                .map(event -> event.has("task") ? event.at("/task/artifacts/0") : event.at("/artifactUpdate/artifact"))
                .filter(artifact -> artifact.has("parts"))
                .toList();
        assertThat(artifacts).hasSize(1);
        assertThat(artifacts.getFirst().at("/parts/0/text").asString()).isEqualTo("At six.");
    }

    private static List<JsonNode> events(String stream) {
        return stream.lines()
                .filter(line -> line.startsWith("data:"))
                .map(line -> Json.read(line.substring(5).getBytes()))
                .toList();
    }

    @Test
    void aSubscriptionBeginsWithTheTaskAndEndsWithIt() {
        var task = ben.begin("When?").path("id").asString();
        var got = new ArrayList<JsonNode>();
        ben.lines("/tasks/%s:subscribe".formatted(task))
                .filter(line -> line.startsWith("data:"))
                .forEach(line -> {
                    got.add(Json.read(line.substring(5).getBytes()));
                    if (got.size() == 1) {
                        answer(task, "At six.");
                    }
                });
        assertThat(got.getFirst().at("/task/id").asString()).isEqualTo(task);
        assertThat(state(got.getFirst().path("task"))).isEqualTo("SUBMITTED");
        checkEnd(got);
    }

    @Test
    void overHttpTheSameOperationsHaveAddresses() {
        var sent = Json.readObject(
                ben.http("POST", "/message:send", message("When?", "")).body());
        var task = sent.at("/task/id").asString();
        var read = ben.http("GET", "/tasks/" + task + "?historyLength=0", "");
        assertThat(read.headers().firstValue("Content-Type")).hasValue("application/a2a+json");
        assertThat(Json.readObject(read.body()).path("id").asString()).isEqualTo(task);
        assertThat(ids(Json.readObject(ben.http("GET", "/tasks?pageSize=5&status=TASK_STATE_SUBMITTED", "")
                        .body())))
                .containsExactly(task);
        assertThat(state(Json.readObject(ben.http("POST", "/tasks/%s:cancel".formatted(task), "{}")
                        .body())))
                .isEqualTo("CANCELED");
        var missing = ben.http("GET", "/tasks/none", "");
        assertThat(missing.statusCode()).isEqualTo(404);
        assertThat(Json.readObject(missing.body()).at("/error/details/0/reason").asString())
                .isEqualTo("TASK_NOT_FOUND");
        var again = ben.http("POST", "/tasks/%s:subscribe".formatted(task), "");
        assertThat(again.statusCode()).isEqualTo(400);
        assertThat(Json.readObject(again.body()).at("/error/details/0/reason").asString())
                .isEqualTo("UNSUPPORTED_OPERATION");
        var card = Json.readObject(ben.http("GET", "/extendedAgentCard", "").body());
        assertThat(card.path("name").asString()).isEqualTo("Ben");
        assertThat(ben.http("PUT", "/tasks/" + task, "{}").statusCode()).isEqualTo(405);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-32602|{}|message",
                "-32602|{'message':{'messageId':'m','role':'ROLE_USER','parts':[]}}|parts",
                "-32602|{'message':{'messageId':'m','role':'ROLE_AGENT','parts':[{'text':'x'}]}}|ROLE_USER",
                "-32602|{'message':{'role':'ROLE_USER','parts':[{'text':'x'}]}}|messageId",
                "-32602|{'message':{'messageId':5,'role':'ROLE_USER','parts':[{'text':'x'}]}}|string",
                "-32602|{'message':{'messageId':'m','role':'ROLE_USER','parts':[{'text':'x','data':1}]}}|only one",
                "-32602|{'message':{'messageId':'m','role':'ROLE_USER','parts':[{'raw':'??','filename':'f'}]}}|base64",
                "-32602|{'message':{'messageId':'m','role':'ROLE_USER','parts':[{'text':'  '}]}}|nothing",
                "-32602|{'message':{'messageId':'m','contextId':'c','role':'ROLE_USER','parts':[{'text':'x'}]}}|contextId",
                "-32001|{'message':{'messageId':'m','taskId':'t','role':'ROLE_USER','parts':[{'text':'x'}]}}|no task",
            })
    void aWrongMessageIsRefused(int code, String params, String noted) {
        var answer = ben.rpc("SendMessage", params);
        assertThat(answer.at("/error/code").asInt()).as(answer::toString).isEqualTo(code);
        assertThat(answer.at("/error/message").asString()).contains(noted);
        assertThat(answer.at("/error/data/0/@type").asString()).startsWith("type.googleapis.com/google.rpc.");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "none",
            value = {
                "-32700|application/json|1.0|{",
                "-32600|application/json|1.0|[]",
                "-32600|application/json|1.0|{'jsonrpc':'2.0','method':'GetTask'}",
                "-32600|application/json|1.0|{'jsonrpc':'1.0','id':1,'method':'GetTask'}",
                "-32601|application/json|1.0|{'jsonrpc':'2.0','id':1,'method':'message/send'}",
                "-32602|application/json|1.0|{'jsonrpc':'2.0','id':1,'method':'GetTask'}",
                "-32009|application/json| |{'jsonrpc':'2.0','id':1,'method':'ListTasks'}",
                "-32009|application/json|0.3|{'jsonrpc':'2.0','id':1,'method':'ListTasks'}",
                "-32009|application/json|2.0|{'jsonrpc':'2.0','id':1,'method':'ListTasks'}",
                "-32005|text/html|1.0|{'jsonrpc':'2.0','id':1,'method':'ListTasks'}",
                "0|application/json; charset=utf-8|1.0.1|{'jsonrpc':'2.0','id':1,'method':'ListTasks'}",
            })
    void aWrongRequestIsRefused(int code, String type, String version, String body) {
        var answer = Json.readObject(
                ben.send("POST", "", body, type, version == null ? "" : version).body());
        assertThat(answer.at("/error/code").asInt()).as(answer::toString).isEqualTo(code);
    }

    @Test
    void filesBecomeTextOrDocuments() {
        var short64 = Base64.getEncoder().encodeToString("tide,six".getBytes());
        var long64 =
                Base64.getEncoder().encodeToString("tide,six\n".repeat(1_000).getBytes());
        var parts = "{'message':{'messageId':'%s','role':'ROLE_USER','parts':[{'data':{'place':'Dover'}},"
                + "{'raw':'%s','filename':'a.csv','mediaType':'text/csv'},{'raw':'%s','filename':'b.csv','mediaType':'text/csv'},"
                + "{'url':'http://127.0.0.1:1/c.csv','filename':'c.csv'}]},'configuration':{'returnImmediately':true}}";
        var sent = ben.result("SendMessage", parts.formatted("m1", short64, long64));
        assertThat(ben.result("SendMessage", parts.formatted("m1", short64, long64))
                        .at("/task/id"))
                .isEqualTo(sent.at("/task/id"));
        var otherFile = Base64.getEncoder().encodeToString("tide,ten".getBytes());
        assertThat(ben.result("SendMessage", parts.formatted("m1", otherFile, long64))
                        .at("/task/id"))
                .as("the same id with another file")
                .isNotEqualTo(sent.at("/task/id"));
        var text = sent.at("/task/history/0/parts/0/text").asString();
        assertThat(text)
                .contains("\"place\"", "tide,six", "File 'c.csv': http://127.0.0.1:1/c.csv", "document a2a-")
                .doesNotContain("tide,six\ntide,six");
        var named = text.replaceAll("(?s).*document (a2a-\\S+), version 1.*", "$1");
        assertThat(ClientApi.REST
                        .call(TestServer.url(), key, "AP_Chat", Json.object().put("content", "x"))
                        .code())
                .isNotZero();
        var document = bob.call("DC_List", "{'name':'%s'}".formatted(named)).ok();
        assertThat(document.texts("/documents", "name")).containsExactly(named);
        var poor = tenant.key(ClientApi.REST, "dora", Role.MEMBER, List.of("agent:read", "agent:write"));
        var refused =
                new A2aClient(TestServer.url(), poor, "Ben").rpc("SendMessage", parts.formatted("m2", short64, long64));
        assertThat(refused.at("/error/code").asInt()).isEqualTo(-32005);
        assertThat(refused.at("/error/message").asString()).contains("document:write");
    }

    /** Of a long task the newest messages are read, and a list is as long as one answer may be. */
    @Test
    void aListSharesOneBudgetAndHasTheNewestMessages() {
        var longText = "x".repeat(59_000);
        for (var i = 0; i < 12; i++) {
            ben.begin(longText + i);
        }
        var listed = new A2aClient(TestServer.url(), key, "Ben")
                .send(
                        "POST",
                        "",
                        "{'jsonrpc':'2.0','id':1,'method':'ListTasks','params':{'historyLength':100}}",
                        "application/json",
                        "1.0")
                .body();
        assertThat(listed.length).isLessThan(1024 * 1024);
        var first = (ObjectNode) Json.readObject(listed).path("result");
        assertThat(ids(first)).hasSizeBetween(2, 11);
        assertThat(first.path("nextPageToken").asString()).isNotEmpty();
        assertThat(ben.result("ListTasks", "{}").at("/tasks/0").has("history")).isFalse();
        var task = ids(first).getFirst();
        for (var i = 0; i < 103; i++) {
            chat(task, "part " + i);
        }
        var read = read(task);
        assertThat(read.path("history").size()).isEqualTo(100);
        assertThat(read.at("/history/99/parts/0/text").asString()).isEqualTo("part 102");
        assertThat(state(read)).isEqualTo("INPUT_REQUIRED");
    }

    /** Over A2A it does not matter as which agent the same key is logged on elsewhere. */
    @Test
    void aLogOnElsewhereChangesNothing() {
        var begun = ben.begin("Who?");
        var ann = TestCaller.of(ClientApi.REST, key);
        agents(ann, "Ada");
        ann.call("AP_LogOn", "{'target':{'agent':'Ada'}}").ok();
        assertThat(read(begun.path("id").asString()).path("contextId")).isEqualTo(begun.path("contextId"));
    }
}

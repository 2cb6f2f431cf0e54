package io.agentworkspace.engine.a2a.outbound;

import static io.agentworkspace.engine.testing.DomainSetup.agents;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.EngineProcess;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

/** Ann's agents live elsewhere: what is said to them is sent there, and their answers come back. */
class RemoteAgentsTest {
    private final TestTenant tenant = new TestTenant();
    private final TestCaller eve = tenant.member("eve");
    private final TestCaller bob = tenant.person(ClientApi.REST, "bob", Role.MEMBER);
    private final TestCaller ann = tenant.person(ClientApi.REST, "ann", Role.ADMIN);

    private Reply create(String name, String url, String more) {
        return ann.call(
                "AP_Create",
                "{'vx':{'name':'%s','description':'Lives elsewhere.','access':'public'},'remote':{'url':'%s'%s}}"
                        .formatted(name, url, more));
    }

    private Reply ask(String agent, String text) {
        return bob.call("AP_Chat", "{'target':{'agent':'%s'},'content':'%s','wait_seconds':120}".formatted(agent, text))
                .ok();
    }

    private Reply read(String agent) {
        return ann.call("AP_Read", "{'target':{'agent':'%s'}}".formatted(agent)).ok();
    }

    private static UnaryOperator<ObjectNode> saying(String text) {
        return _ -> ScriptedAgent.read(
                "{'message':{'messageId':'a','contextId':'c1','role':'ROLE_AGENT','parts':[{'text':'%s'}]}}"
                        .formatted(text));
    }

    private static ObjectNode task(String state, String more) {
        return ScriptedAgent.read(
                "{'id':'t1','contextId':'c1','status':{'state':'TASK_STATE_%s'%s}}".formatted(state, more));
    }

    private static ObjectNode sent(ObjectNode task) {
        return Json.object().set("task", task);
    }

    @Test
    void anAnswerComesBackAsTheAgentsMessage() {
        try (var far = ScriptedAgent.answering(saying("At six."))) {
            var credential = ",'credential':{'header':'X-Far','value':'secret-1'}";
            assertThat(create("Far", far.url(), credential).ok().envelope().toString())
                    .doesNotContain("secret-1");
            var answer = ask("Far", "When is low water?");
            assertThat(answer.text("/content/1/content")).isEqualTo("At six.");
            assertThat(answer.text("/content/1/from")).isEqualTo("Far");
            assertThat(answer.text("/content/1/reply_to")).isEqualTo(answer.text("/content/0/id"));
            assertThat(answer.at("/content/1/person").isMissingNode()).isTrue();
            var call = far.calls().getFirst();
            assertThat(call.path("method").asString()).isEqualTo("SendMessage");
            assertThat(call.at("/params/message/messageId").asString()).isEqualTo(answer.text("/content/0/id"));
            assertThat(call.at("/params/message/parts/0/text").asString()).isEqualTo("When is low water?");
            assertThat(call.at("/params/message/contextId").isMissingNode()).isTrue();
            assertThat(far.credentials()).containsOnly("secret-1");
            ask("Far", "And high water?");
            assertThat(far.calls().get(1).at("/params/message/contextId").asString())
                    .isEqualTo("c1");
            assertThat(far.cards()).isEqualTo(1);
            var record = read("Far");
            assertThat(record.text("/remote/url")).isEqualTo(far.url() + "/");
            assertThat(record.text("/remote/header")).isEqualTo("X-Far");
            assertThat(record.text("/remote/state")).isEqualTo("ready");
            assertThat(record.number("/remote/waiting")).isZero();
            assertThat(record.envelope().toString()).doesNotContain("secret-1");
            assertThat(record.at("/content/0/read_at").isMissingNode()).isFalse();
            assertThat(bob.call("AP_Read", "{'target':{'agent':'Far'}}")
                            .ok()
                            .at("/remote")
                            .isMissingNode())
                    .isTrue();
            ann.call("AP_Modify", "{'target':{'agent':'Far'},'remote':{'url':'none'}}")
                    .ok();
            bob.call("AP_Chat", "{'target':{'agent':'Far'},'content':'Are you here now?'}")
                    .ok();
            assertThat(read("Far").at("/remote").isMissingNode()).isTrue();
            assertThat(far.calls()).hasSize(2);
        }
    }

    @Test
    void aTaskIsFollowedAndContinuedAndAnswersAQuestion() {
        var messages = new AtomicInteger();
        try (var peer = ScriptedAgent.answering(call -> {
            if (call.path("method").asString().equals("SendMessage")) {
                messages.incrementAndGet();
                return sent(task("SUBMITTED", ""));
            }
            return messages.get() == 1
                    ? task(
                            "INPUT_REQUIRED",
                            ",'message':{'messageId':'b','role':'ROLE_AGENT','parts':[{'text':'At which place?'}]}")
                    : task("COMPLETED", "")
                            .set(
                                    "artifacts",
                                    ScriptedAgent.read("{'a':[{'artifactId':'x','parts':[{'text':'yes'}]}]}")
                                            .get("a"));
        })) {
            create("Peer", peer.url() + "/x/.well-known/agent-card.json", "").ok();
            var asked = bob.call(
                            "AP_Ask", "{'target':{'agent':'Peer'},'content':'Is it low water?','choices':['Yes','No']}")
                    .ok();
            var id = asked.text("/question/id");
            var back = bob.call("AP_Wait", "{'reply_to':'%s','wait_seconds':120}".formatted(id))
                    .ok();
            assertThat(back.text("/content/0/content")).isEqualTo("At which place?");
            assertThat(peer.calls()
                            .getFirst()
                            .at("/params/message/parts/1/text")
                            .asString())
                    .isEqualTo("Answer with one of: Yes, No");
            bob.call("AP_Chat", "{'target':{'agent':'Peer'},'content':'At Dover.'}")
                    .ok();
            await().until(() -> bob.call("AP_Read", "{'inbox':true,'thread':'%s'}".formatted(id))
                    .text("/content/0/question/answer")
                    .equals("Yes"));
            var second = peer.calls().stream()
                    .filter(call -> call.path("method").asString().equals("SendMessage"))
                    .skip(1)
                    .findFirst()
                    .orElseThrow();
            assertThat(second.at("/params/message/taskId").asString()).isEqualTo("t1");
        }
    }

    /** The loop guard refuses an answer for a while: it is kept, and said afterwards. */
    @Test
    void anAnswerThatTheLoopGuardRefusesForNowIsSaidLater() {
        try (var far = ScriptedAgent.answering(saying("At six."))) {
            create("Far", far.url(), "").ok();
            agents(bob, "Ben");
            limit(ann, "Far", 1);
            limit(bob, "Ben", 1);
            bob.call("AP_Ask", "{'target':{'context':'Ben','agent':'Far'},'content':'When?'}")
                    .ok();
            await().until(() -> kept("answer IS NOT NULL AND claim IS NULL"));
            assertThat(read("Far").at("/content").size()).isEqualTo(1);
            limit(ann, "Far", 600);
            limit(bob, "Ben", 600);
            await().until(() -> {
                TestDatabase.db()
                        .sql(
                                "UPDATE remote_message SET due_at = clock_timestamp() WHERE tenant_id = :tenant AND answer IS NOT NULL AND claim IS NULL")
                        .set("tenant", tenant.id(ClientApi.REST))
                        .run();
                return read("Far").at("/content").size() == 2;
            });
            assertThat(read("Far").text("/content/0/question/answer")).isEqualTo("At six.");
            await().until(() -> kept("due_at IS NULL"));
            assertThat(far.calls()).hasSize(1);
        }
    }

    private static void limit(TestCaller owner, String agent, int perMinute) {
        owner.call("AP_Modify", "{'target':{'agent':'%s'},'guard':{'per_minute':%d}}".formatted(agent, perMinute))
                .ok();
    }

    /** Whether there is such a message in the queue. */
    private boolean kept(String condition) {
        return TestDatabase.db()
                .sql("SELECT EXISTS (SELECT 1 FROM remote_message WHERE tenant_id = :tenant AND %s) AS found"
                        .formatted(condition))
                .set("tenant", tenant.id(ClientApi.REST))
                .one(row -> row.flag("found"))
                .orElse(false);
    }

    @Test
    void peersThatMisbehaveAreRefusedWithTheReason() {
        Map<String, ScriptedAgent> peers = new LinkedHashMap<>();
        peers.put("redirects", ScriptedAgent.raw(exchange -> {
            exchange.getResponseHeaders().set("Location", "http://10.0.0.1/");
            exchange.sendResponseHeaders(302, -1);
        }));
        peers.put(
                "no JSON, but text/html",
                ScriptedAgent.raw(exchange ->
                        ScriptedAgent.send(exchange, 200, "text/html", "<p>Hello".getBytes(StandardCharsets.UTF_8))));
        peers.put(
                "another task",
                ScriptedAgent.answering(call -> call.path("method").asString().equals("SendMessage")
                        ? sent(task("WORKING", ""))
                        : task("WORKING", "").put("id", "t2")));
        peers.put("not of A2A", ScriptedAgent.answering(_ -> sent(task("DREAMING", ""))));
        peers.put(
                "another server",
                ScriptedAgent.answering(saying("no")).withCard(ScriptedAgent.card("http://127.0.0.2:1/rpc")));
        peers.put(
                "not allowed",
                ScriptedAgent.answering(saying("no")).withCard(ScriptedAgent.card("http://10.0.0.1/rpc")));
        peers.put("no interface", ScriptedAgent.answering(saying("no")).withCard("{'protocolVersion':'0.3.0'}"));
        try {
            var names = List.copyOf(peers.keySet());
            for (var name : names) {
                var credential = name.equals("another server") ? ",'credential':{'value':'Bearer x'}" : "";
                create("Far" + names.indexOf(name), peers.get(name).url(), credential)
                        .ok();
            }
            for (var name : names) {
                var answer = ask("Far" + names.indexOf(name), "Hello");
                assertThat(answer.text("/content/1/content"))
                        .as(name)
                        .contains(name.equals("redirects") ? "redirect" : name);
            }
        } finally {
            peers.values().forEach(ScriptedAgent::close);
        }
    }

    @Test
    void whatIsTooLargeIsFinalAndWhatFailsIsTriedAgain() {
        var huge = "x".repeat(2 * 1024 * 1024);
        try (var large = ScriptedAgent.answering(saying(huge));
                var cut = ScriptedAgent.raw(HttpExchange::close);
                var card = ScriptedAgent.answering(saying("no")).withCard("{'name':'%s'}".formatted(huge));
                var broken = ScriptedAgent.answering(saying("no")).withCard("{'name':");
                var erring = ScriptedAgent.raw(
                        exchange -> ScriptedAgent.send(exchange, 500, "application/json", new byte[0]));
                var failing = ScriptedAgent.raw(
                        exchange -> ScriptedAgent.send(exchange, 503, "application/json", new byte[0]))) {
            var peers = List.of(large, cut, card, broken, failing, erring);
            for (var peer : peers) {
                create("Far" + peers.indexOf(peer), peer.url(), "").ok();
                bob.call("AP_Chat", "{'target':{'agent':'Far%d'},'content':'Hello'}".formatted(peers.indexOf(peer)))
                        .ok();
            }
            for (var peer : List.of(card, broken, failing)) {
                var name = "Far" + peers.indexOf(peer);
                await().until(() -> read(name).text("/remote/state").equals("failing"));
                assertThat(read(name).number("/remote/waiting")).isEqualTo(1);
            }
            assertThat(read("Far4").text("/remote/last_error")).isEqualTo("it answered 503");
            await().until(() -> read("Far0").at("/content").size() == 2);
            assertThat(read("Far0").text("/content/1/content"))
                    .isEqualTo("(No answer: the answer has more than 1,048,576 bytes)");
            assertThat(read("Far0").text("/remote/last_error")).contains("1,048,576");
            assertThat(large.calls()).hasSize(1);
            for (var far : List.of("Far1", "Far5")) {
                await().until(() -> read(far).at("/content").size() == 2);
                assertThat(read(far).text("/content/1/content")).contains("may have been received");
            }
        }
    }

    /** A mistyped address or a wrong key: who asked is told after ten minutes, when nobody has mended it. */
    @Test
    void whatIsWrongInTheAddressIsSaidSoon() {
        try (var unknown = ScriptedAgent.raw(
                        exchange -> ScriptedAgent.send(exchange, 401, "application/json", new byte[0]));
                var card = ScriptedAgent.answering(saying("no")).withCard("[]")) {
            for (var peer : List.of(unknown, card)) {
                var far = peer == unknown ? "Far" : "Card";
                create(far, peer.url(), "").ok();
                bob.call("AP_Chat", "{'target':{'agent':'%s'},'content':'Hello'}".formatted(far))
                        .ok();
                await().until(() -> read(far).text("/remote/state").equals("failing"));
                assertThat(read(far).at("/content").size()).isEqualTo(1);
            }
            TestDatabase.db()
                    .sql(
                            "UPDATE remote_message SET created_at = created_at - interval '11 minutes' WHERE tenant_id = :tenant")
                    .set("tenant", tenant.id(ClientApi.REST))
                    .run();
            for (var far : List.of("Far", "Card")) {
                await().until(() -> read(far).at("/content").size() == 2);
                assertThat(read(far).text("/content/1/content")).startsWith("(Not delivered: ");
            }
        }
    }

    private static ObjectNode place(String id) {
        return ScriptedAgent.read(
                "{'id':'%s','contextId':'c1','status':{'state':'TASK_STATE_INPUT_REQUIRED','message':{'messageId':'b','role':'ROLE_AGENT','parts':[{'text':'Place of %s?'}]}}}"
                        .formatted(id, id));
    }

    private Reply said(String agent, String more) {
        return bob.call("AP_Chat", "{'target':{'agent':'%s'},'wait_seconds':120,%s}".formatted(agent, more))
                .ok();
    }

    @Test
    void aMessageContinuesTheTaskThatItRepliesToAndALostOneIsLeft() {
        var lost = new AtomicBoolean();
        var begun = new AtomicInteger();
        try (var peer = ScriptedAgent.answering(call -> {
            var isSent = call.path("method").asString().equals("SendMessage");
            var task = call.at(isSent ? "/params/message/taskId" : "/params/id").asString("");
            if (task.equals("t2") && lost.get()) {
                return ScriptedAgent.read("{'error':{'code':-32001,'message':'no a\\u0000b secret-1'}}");
            }
            return !isSent
                    ? place(task)
                    : task.isEmpty()
                            ? sent(place("t" + begun.incrementAndGet()))
                            : saying("Done " + task).apply(call);
        })) {
            create("Far", peer.url(), ",'credential':{'header':'X-Far','value':'secret-1'}")
                    .ok();
            var first = said("Far", "'content':'One'");
            assertThat(first.text("/content/1/content")).isEqualTo("Place of t1?");
            bob.call("AP_Ask", "{'target':{'agent':'Far'},'content':'Two'}")
                    .ok(); // A question begins a task of its own.
            await().until(() -> begun.get() == 2 && read("Far").at("/content").size() == 4);
            assertThat(said("Far", "'content':'A','reply_to':'%s'".formatted(first.text("/content/1/id")))
                            .text("/content/1/content"))
                    .isEqualTo("Done t1");
            lost.set(true);
            bob.call("AP_Chat", "{'target':{'agent':'Far'},'content':'B'}").ok();
            await().until(() -> read("Far").envelope().toString().contains("no a\ufffdb …"));
            bob.call("AP_Chat", "{'target':{'agent':'Far'},'content':'Three'}").ok();
            await().until(() -> begun.get() == 3);
            assertThat(read("Far").envelope().toString()).doesNotContain("secret-1");
        }
    }

    /** A question that was taken back is canceled there, and what is said by an agent elsewhere leaves other messages to it unread. */
    @Test
    void aWithdrawnQuestionIsCanceledThereAndAnAnswerReadsNothingElse() {
        var done = new AtomicBoolean();
        var begun = new AtomicInteger();
        try (var peer =
                ScriptedAgent.answering(call -> switch (call.path("method").asString()) {
                    case "SendMessage" ->
                        begun.incrementAndGet() == 1
                                ? sent(task("WORKING", ""))
                                : ScriptedAgent.read("{'error':{'code':-32000,'message':'busy'}}");
                    case "CancelTask" -> task("CANCELED", "");
                    default ->
                        done.get()
                                ? task(
                                        "INPUT_REQUIRED",
                                        ",'message':{'messageId':'d','role':'ROLE_AGENT','parts':[{'text':'Where?'}]}")
                                : task("WORKING", "");
                })) {
            create("Far", peer.url(), "").ok();
            var id = bob.call("AP_Ask", "{'target':{'agent':'Far'},'content':'When?'}")
                    .ok()
                    .text("/question/id");
            await().until(() -> begun.get() == 1);
            var second = bob.call("AP_Ask", "{'target':{'agent':'Far'},'content':'Or never?'}")
                    .ok()
                    .text("/question/id");
            await().until(() -> begun.get() > 1);
            done.set(true);
            await().until(() -> read("Far").at("/content").size() == 3);
            assertThat(read("Far").text("/content/2/content")).isEqualTo("Where?");
            assertThat(read("Far").at("/content/1/read_at").isMissingNode()).isTrue();
            bob.call("AP_Answer", "{'question':'%s','withdraw':true}".formatted(second))
                    .ok();
            await().until(() -> read("Far").number("/remote/waiting") == 0);
            assertThat(methods(peer)).doesNotContain("CancelTask");
            bob.call("AP_Answer", "{'question':'%s','withdraw':true}".formatted(id))
                    .ok();
            await().until(() -> methods(peer).getLast().equals("CancelTask"));
            assertThat(peer.calls().getLast().at("/params/id").asString()).isEqualTo("t1");
        }
    }

    private static List<String> methods(ScriptedAgent peer) {
        return peer.calls().stream().map(call -> call.path("method").asString()).toList();
    }

    /** Nothing is queued where A2A is off: it would be sent whenever it is on again. */
    @Test
    void whereA2aIsOffNothingIsSentElsewhereOrServed() {
        create("Far", "https://far.example/", "").ok();
        ann.call("AP_Create", "{'vx':{'name':'Near','description':'d','access':'public'}}")
                .ok();
        var key = tenant.key(ClientApi.REST, "zoe", Role.MEMBER, List.of("*"));
        try (var off = Replica.start(Map.of("ENGINE_A2A", "off"))) {
            for (var tool : List.of("AP_Chat", "AP_Ask")) {
                ClientApi.REST
                        .call(off.url(), key, tool, ScriptedAgent.read("{'target':{'agent':'Far'},'content':'Hello'}"))
                        .refused(3003, "ENGINE_A2A is off");
            }
            ClientApi.REST
                    .call(
                            off.url(),
                            key,
                            "AP_Chat",
                            ScriptedAgent.read("{'target':{'agent':'Near'},'content':'Hello'}"))
                    .ok();
            for (var path : List.of("/a2a/Near/.well-known/agent-card.json", "/.well-known/agent-card.json", "/a2a")) {
                assertThat(ClientApi.send(HttpRequest.newBuilder(URI.create(off.url() + path))
                                        .header("X-Api-Key", key)
                                        .build())
                                .statusCode())
                        .as(path)
                        .isEqualTo(404);
            }
        }
        assertThat(read("Far").number("/remote/waiting")).isZero();
    }

    @Test
    void whatAnAgentSaysAfterItAskedBackIsHeardOnce() {
        var done = new AtomicBoolean();
        try (var peer = ScriptedAgent.answering(call -> {
            var task = done.get()
                    ? task("COMPLETED", ",'message':{'messageId':'d','role':'ROLE_AGENT','parts':[{'text':'Six.'}]}")
                    : place("t1");
            return call.path("method").asString().equals("SendMessage") ? sent(task) : task;
        })) {
            create("Far", peer.url(), "").ok();
            var id = bob.call("AP_Ask", "{'target':{'agent':'Far'},'content':'When?'}")
                    .ok()
                    .text("/question/id");
            await().until(() -> peer.calls().size() > 2); // It is looked at again, and says the same.
            done.set(true);
            await().until(() -> bob.call("AP_Read", "{'inbox':true,'thread':'%s'}".formatted(id))
                    .text("/content/0/question/answer")
                    .equals("Six."));
            assertThat(read("Far").texts("/content", "content")).containsExactly("When?", "Place of t1?", "Six.");
        }
    }

    @Test
    void whatCannotBeSaidIsLeftOutAndAFailureIsNoAnswer() {
        try (var lengthy = ScriptedAgent.answering(_ -> ScriptedAgent.read(
                        "{'message':{'messageId':'a','role':'ROLE_AGENT','parts':[{'odd':1},{'text':'a\\u0000%s'}]}}"
                                .formatted("x".repeat(70_000))));
                var failed = ScriptedAgent.answering(_ -> sent(task(
                        "FAILED", ",'message':{'messageId':'b','role':'ROLE_AGENT','parts':[{'text':'Sorry.'}]}")))) {
            create("Long", lengthy.url(), "").ok();
            create("Failed", failed.url(), "").ok();
            var text = said("Long", "'content':'Go'").text("/content/1/content");
            assertThat(text)
                    .startsWith("a\ufffdxxx")
                    .endsWith("(The rest is left out.)")
                    .hasSizeLessThan(61_000);
            var id = bob.call("AP_Ask", "{'target':{'agent':'Failed'},'content':'When?'}")
                    .ok()
                    .text("/question/id");
            await().until(() -> read("Failed").at("/content").size() == 2);
            assertThat(read("Failed").text("/content/1/content")).isEqualTo("(The agent failed at it.)\n\nSorry.");
            assertThat(bob.call("AP_Read", "{'inbox':true,'thread':'%s'}".formatted(id))
                            .at("/content/0/question/answer")
                            .isMissingNode())
                    .isTrue();
        }
    }

    /** Else it would send each message to itself, without end. */
    @Test
    void anAgentThatLivesElsewhereHasNoAddressHere() {
        var key = tenant.key(ClientApi.REST, "cleo", Role.MEMBER, List.of("*"));
        create("Self", TestServer.url() + "/a2a/Self", ",'credential':{'value':'Bearer %s'}".formatted(key))
                .ok();
        bob.call("AP_Chat", "{'target':{'agent':'Self'},'content':'Hello'}").ok();
        await().until(() -> read("Self").text("/remote/state").equals("failing"));
        assertThat(read("Self").text("/remote/last_error")).contains("409");
        assertThat(read("Self").at("/content").size()).isEqualTo(1);
        assertThat(bob.call("AP_List", "{'target':{'agent':'Self'}}")
                        .ok()
                        .at("/profile/0/elsewhere")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void addressesThatNothingIsSentToAreRefused() {
        eve.call("AP_Create", "{'vx':{'name':'A','description':'d'},'remote':{'url':'https://10.0.0.1/'}}")
                .refused(1004, "remote.url", "10.0.0.1");
        eve.call("AP_Create", "{'vx':{'name':'A','description':'d'},'remote':{'url':'ftp://far.example/'}}")
                .refused(1004, "remote.url");
        eve.call("AP_Create", "{'vx':{'name':'A','description':'d'},'remote':{'url':'https://127.0.0.1/'}}")
                .refused(1004, "remote.url", "127.0.0.1"); // Only an admin may name what the operator allowed.
        eve.call("AP_Create", "{'vx':{'name':'A','description':'d'},'remote':{'url':'https://far.example/?key=x'}}")
                .refused(1004, "remote.url", "query");
        ann.call("AP_Create", "{'vx':{'name':'Bound','description':'d'}}").ok();
        var bound = ann.call("AK_Create", "{'name':'bound','agent':'Bound','capabilities':['*']}")
                .ok()
                .text("/api_key");
        ClientApi.REST
                .call(
                        TestServer.url(),
                        bound,
                        "AP_Modify",
                        ScriptedAgent.read("{'target':{'agent':'Bound'},'remote':{'url':'https://far.example/'}}"))
                .refused(2003, "remote");
        var none = "{'target':{'agent':'Bound'},'remote':{'url':'none'}}";
        assertThat(ann.call("AP_Modify", none).ok().at("/changed").asBoolean()).isFalse();
        eve.call("AP_Create", "{'vx':{'name':'A','description':'d'},'remote':{}}")
                .refused(1003, "remote.url");
        eve.call(
                        "AP_Create",
                        "{'vx':{'name':'A','description':'d'},'remote':{'url':'https://far.example/','credential':{'header':'Host','value':'x'}}}")
                .refused(1004, "remote.credential.header");
        eve.call(
                        "AP_Create",
                        "{'vx':{'name':'A','description':'d'},'remote':{'url':'https://far.example/','credential':{'header':'A2A-Version','value':'x'}}}")
                .refused(1004, "remote.credential.header");
        eve.call(
                        "AP_Create",
                        "{'vx':{'name':'A','description':'d'},'remote':{'url':'none','credential':{'value':'x'}}}")
                .refused(1004, "remote.credential");
    }

    /** The other house is another process with a database of its own, and its agent is known only by its card. */
    @Test
    void twoHousesTalkByTheirCards(@TempDir Path dataDir) throws IOException {
        try (var house = EngineProcess.start(dataDir)) {
            there(house, house.key(), "AP_Create", "{'vx':{'name':'Dora','description':'Knows the tides.'}}");
            var dora = there(
                            house,
                            house.key(),
                            "AK_Create",
                            "{'name':'dora','agent':'Dora','capabilities':['agent:read','agent:write']}")
                    .text("/api_key");
            create(
                            "Dora there",
                            house.url() + "/a2a/Dora",
                            ",'credential':{'value':'Bearer %s'}".formatted(house.key()))
                    .ok();
            bob.call("AP_Chat", "{'target':{'agent':'Dora there'},'content':'When is low water?'}")
                    .ok();
            var asked = there(house, dora, "AP_Wait", "{'wait_seconds':120}");
            assertThat(asked.text("/content/0/content")).isEqualTo("When is low water?");
            there(
                    house,
                    dora,
                    "AP_Answer",
                    "{'question':'%s','content':'At six.'}".formatted(asked.text("/content/0/question/id")));
            var back = bob.call("AP_Wait", "{'wait_seconds':120}").ok();
            assertThat(back.text("/content/0/content")).isEqualTo("At six.");
            assertThat(back.text("/content/0/from")).isEqualTo("Dora there");
        }
    }

    private static Reply there(EngineProcess house, String key, String tool, String arguments) {
        return ClientApi.REST
                .call(house.url(), key, tool, ScriptedAgent.read(arguments))
                .ok();
    }
}

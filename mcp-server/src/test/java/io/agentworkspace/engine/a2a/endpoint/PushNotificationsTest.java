package io.agentworkspace.engine.a2a.endpoint;

import static io.agentworkspace.engine.a2a.endpoint.A2aClient.message;
import static io.agentworkspace.engine.testing.DomainSetup.agents;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.integrations.webhooks.RawReceiver;
import io.agentworkspace.engine.integrations.webhooks.WebhookFixture;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** A program of Ann's is told of the states of its tasks at Bob's agent Ben. */
class PushNotificationsTest {
    private static final String CREATE = "CreateTaskPushNotificationConfig";
    private static final String GET = "GetTaskPushNotificationConfig";
    private static final String LIST = "ListTaskPushNotificationConfigs";
    private static final String DELETE = "DeleteTaskPushNotificationConfig";

    private final TestTenant tenant = new TestTenant();
    private final String key = tenant.key(ClientApi.REST, "ann", Role.MEMBER, List.of("*"));
    private final TestCaller bob = tenant.person(ClientApi.REST, "bob", Role.MEMBER);
    private final TestCaller owner = tenant.person(ClientApi.REST, "olga", Role.OWNER);
    private final A2aClient ben = new A2aClient(TestServer.url(), key, "ben");

    PushNotificationsTest() {
        agents(bob, "Ben");
        access("public");
    }

    private void access(String who) {
        bob.call("AP_Modify", "{'target':{'agent':'Ben'},'vx':{'access':'%s'}}".formatted(who))
                .ok();
    }

    private void say(String tool, String id, String task, String text) {
        bob.call(tool, "{'%s':'%s','content':'%s','target':{'context':'Ben'}}".formatted(id, task, text))
                .ok();
    }

    private static List<String> states(RawReceiver receiver) {
        return receiver.requests().stream()
                .map(request -> Json.readObject(request.substring(request.indexOf("\r\n\r\n") + 4)
                                .getBytes(StandardCharsets.UTF_8))
                        .at("/statusUpdate/status/state")
                        .asString("")
                        .replace("TASK_STATE_", ""))
                .toList();
    }

    private static String of(String task, String more) {
        return "{'taskId':'%s'%s}".formatted(task, more);
    }

    private ObjectNode configs(String task) {
        return ben.result(LIST, of(task, ""));
    }

    /** The receiver refuses first, and is away for a while: the outbox repeats what it does not take. */
    @Test
    void statesArriveInOrderAtAReceiverThatFailsAndComesBack() {
        var first = RawReceiver.saying(RawReceiver.status(204, "Connection: close"));
        var wish = "'url':'%s','token':'token-1','authentication':{'scheme':'Bearer','credentials':'secret-1'}"
                .formatted(first.url());
        var sent = message("When?", "")
                .replace("'configuration':{", "'configuration':{'taskPushNotificationConfig':{%s},".formatted(wish));
        var task = ben.result("SendMessage", sent).at("/task/id").asString();
        var listed = configs(task);
        assertThat(listed.at("/configs/0/url").asString()).isEqualTo(first.url().toString());
        assertThat(listed.at("/configs/0/taskId").asString()).isEqualTo(task);
        assertThat(listed.toString()).doesNotContain("token-1").doesNotContain("secret-1");
        assertThat(kept(task)).doesNotContain("token-1").doesNotContain("secret-1");
        bob.call("AP_Wait", "{'wait_seconds':0,'target':{'context':'Ben'}}").ok();
        await().until(() -> states(first).contains("WORKING"));
        noWebhook(task);
        say("AP_Chat", "reply_to", task, "At which place?");
        await().until(() -> states(first).contains("INPUT_REQUIRED"));
        var request = first.requests().getLast();
        assertThat(request)
                .containsIgnoringCase("X-A2A-Notification-Token: token-1\r\n")
                .containsIgnoringCase("Authorization: Bearer secret-1\r\n")
                .containsIgnoringCase("Content-Type: application/a2a+json\r\n")
                .containsIgnoringCase("A2A-Version: 1.0\r\n")
                .contains("\"taskId\":\"%s\"".formatted(task))
                .doesNotContainIgnoringCase("X-Service-Signature")
                .doesNotContain("At which place?");
        var port = first.port();
        first.close();
        say("AP_Answer", "question", task, "At six.");
        await().until(() -> attempts(task) > 0);
        try (var again = new RawReceiver(
                InetAddress.getLoopbackAddress(),
                port,
                (_, out) -> out.write(RawReceiver.status(204).getBytes(StandardCharsets.US_ASCII)))) {
            hurry(task);
            await().until(() -> states(again).contains("COMPLETED"));
            assertThat(states(first)).containsExactly("WORKING", "INPUT_REQUIRED");
            await().until(() -> configs(task).path("configs").isEmpty());
            assertThat(again.requests().getFirst()).contains("secret-1");
        }
        try (var late = RawReceiver.saying(RawReceiver.status(204))) {
            ben.result(CREATE, "{'task_id':'%s','url':'%s'}".formatted(task, late.url())); // As ProtoJSON allows.
            await().until(() -> states(late).contains("COMPLETED"));
            var created = "push.created|task %s, at 127.0.0.1:".formatted(task);
            audited(task, created + late.port(), created + port);
        }
    }

    /** Neither it nor its deliveries are webhooks for the tools, also for who knows their ids. */
    private void noWebhook(String task) {
        var delivery = id("d.id", task);
        var endpoint = id("p.endpoint_id", task);
        owner.call("WH_Delivery", "{'id':'%s'}".formatted(delivery)).refused(3001, "no delivery");
        owner.call("WH_Redeliver", "{'id':'%s'}".formatted(delivery)).refused(3001, "no delivery");
        for (var tool : List.of("WH_Read", "WH_RotateSecret", "WH_Delete")) {
            owner.call(tool, "{'id':'%s'}".formatted(endpoint)).refused(3001, "no endpoint");
        }
        owner.call("WH_Update", "{'id':'%s','description':'x'}".formatted(endpoint))
                .refused(3001, "no endpoint");
        owner.call("WH_Test", "{'event_type':'webhook.test','endpoint_id':'%s'}".formatted(endpoint))
                .refused(3001, "no endpoint");
        owner.call("WH_Deliveries", "{'endpoint':'%s'}".formatted(endpoint)).refused(3001, "no endpoint");
        owner.call("WH_RedeliverFailed", "{'id':'%s','since':'2026-01-01T00:00:00Z'}".formatted(endpoint))
                .refused(3001, "no endpoint");
    }

    private static String id(String column, String task) {
        return TestDatabase.db()
                .sql("""
                        SELECT %s::text AS id
                          FROM webhook_push p
                          JOIN webhook_delivery d ON d.tenant_id = p.tenant_id AND d.endpoint_id = p.endpoint_id
                         WHERE p.task_id = CAST(:task AS uuid)
                         LIMIT 1
                        """.formatted(column))
                .set("task", task)
                .one(row -> row.text("id"))
                .orElseThrow();
    }

    /** Compares the audit of a task's push notifications, the newest first. */
    private void audited(String task, String... expected) {
        var entries = owner.call("AC_Audit", "{'target':'agent:Ben'}").ok().at("/entries");
        assertThat(entries.valueStream()
                        .filter(entry -> entry.path("details").asString("").contains(task))
                        .map(entry -> entry.path("tool").asString() + "|"
                                + entry.path("details").asString()))
                .containsExactly(expected);
    }

    /** A receiver that is gone is not told again, and one that has failed for five days. */
    @Test
    void itEndsWithAReceiverThatIsGoneOrFailsForDays() {
        for (var status : List.of(410, 500)) {
            try (var receiver = RawReceiver.saying(RawReceiver.status(status))) {
                var task = ben.begin("When?").path("id").asString();
                ben.result(CREATE, of(task, ",'id':'p','url':'%s'".formatted(receiver.url())));
                if (status == 500) {
                    say("AP_Chat", "reply_to", task, "At which place?");
                    await().until(() -> attempts(task) > 0);
                    failSince(task);
                    hurry(task);
                } else {
                    say("AP_Chat", "reply_to", task, "At which place?");
                }
                await().until(() -> configs(task).path("configs").isEmpty());
                var told = receiver.requests().size();
                say("AP_Answer", "question", task, "At six.");
                ben.result(CREATE, of(ben.begin("More?").path("id").asString(), ",'url':'https://example.com/'"));
                assertThat(kept(task)).as("the next one deletes what has ended").isEmpty();
                assertThat(receiver.requests()).hasSize(told);
            }
        }
    }

    /** Makes it fail for five days. */
    private static void failSince(String task) {
        TestDatabase.db().sql("""
                        UPDATE webhook_endpoint w
                           SET failing_since = clock_timestamp() - interval '121 hours'
                          FROM webhook_push p
                         WHERE p.tenant_id = w.tenant_id AND p.endpoint_id = w.id AND p.task_id = CAST(:task AS uuid)
                           AND w.failing_since IS NOT NULL
                        """).set("task", task).run();
    }

    /** A credential has at most 100, and the plan limits them with the webhooks; nothing is sent for one that has no room. */
    @Test
    void thereIsAnEndOfThem() {
        var task = ben.begin("When?").path("id").asString();
        ben.result(CREATE, of(task, ",'id':'p','url':'https://example.com/'"));
        fill(task, 99);
        var wish = message("More?", "")
                .replace(
                        "'configuration':{",
                        "'configuration':{'taskPushNotificationConfig':{'url':'https://example.com/'},");
        var refused = ben.rpc("SendMessage", wish).at("/error");
        assertThat(refused.path("code").asInt()).isEqualTo(-32602);
        assertThat(refused.path("message").asString()).contains("you have 100 push notifications");
        var second = ben.begin("Then?").path("id").asString();
        assertThat(ben.code(CREATE, of(second, ",'url':'https://example.com/'")))
                .isEqualTo(-32602);
        TestDatabase.db()
                .sql("UPDATE tenant_plan SET plan = 'free' WHERE tenant_id = :tenant")
                .set("tenant", tenant.id(ClientApi.REST))
                .run();
        ben.result(DELETE, of(task, ",'id':'p'"));
        for (var answer :
                List.of(ben.rpc("SendMessage", wish), ben.rpc(CREATE, of(second, ",'url':'https://example.com/'")))) {
            assertThat(answer.at("/error/data/0/reason").asString()).isEqualTo("QUOTA_EXCEEDED");
        }
        assertThat(ben.result("ListTasks", "{}").path("totalSize").asInt()).isEqualTo(2);
    }

    /** Adds so many of a task. */
    private static void fill(String task, int count) {
        TestDatabase.db().sql("""
                        WITH more AS (
                            SELECT p.*, gen_random_uuid() AS another, n
                              FROM webhook_push p
                             CROSS JOIN generate_series(1, CAST(:count AS integer)) n
                             WHERE p.task_id = CAST(:task AS uuid)),
                        endpoints AS (
                            INSERT INTO webhook_endpoint (tenant_id, id, url, events, created_at, updated_at, secret)
                            SELECT m.tenant_id, m.another, w.url, w.events, w.created_at, w.updated_at, w.secret
                              FROM more m
                              JOIN webhook_endpoint w ON w.tenant_id = m.tenant_id AND w.id = m.endpoint_id),
                        pushes AS (
                            INSERT INTO webhook_push (tenant_id, endpoint_id, task_id, principal, id, state, looked_at)
                            SELECT tenant_id, another, task_id, principal, id || n, state, looked_at FROM more
                         RETURNING tenant_id)
                        INSERT INTO usage_delta (tenant_id, scope, delta)
                        SELECT tenant_id, 'webhook_endpoints', count(*) FROM pushes GROUP BY tenant_id
                        """).set("count", count).set("task", task).run();
    }

    /** Returns what the database has of the task's endpoints. */
    private static String kept(String task) {
        return TestDatabase.db()
                .sql("""
                        SELECT COALESCE(json_agg(w)::text, '') AS rows
                          FROM webhook_push p
                          JOIN webhook_endpoint w ON w.tenant_id = p.tenant_id AND w.id = p.endpoint_id
                         WHERE p.task_id = CAST(:task AS uuid)
                        """)
                .set("task", task)
                .one(row -> row.text("rows"))
                .orElseThrow();
    }

    /** Returns how many attempts of deliveries that are not done have ended. */
    private static long attempts(String task) {
        return TestDatabase.db()
                .sql("""
                        SELECT COALESCE(sum(jsonb_array_length(d.attempts)), 0) AS n
                          FROM webhook_push p
                          JOIN webhook_delivery d ON d.tenant_id = p.tenant_id AND d.endpoint_id = p.endpoint_id
                         WHERE p.task_id = CAST(:task AS uuid) AND d.state = 'failed'
                        """)
                .set("task", task)
                .one(row -> row.number("n"))
                .orElseThrow();
    }

    /** Makes what failed due at once. */
    private static void hurry(String task) {
        TestDatabase.db().sql("""
                        UPDATE webhook_delivery d
                           SET due_at = clock_timestamp()
                          FROM webhook_push p
                         WHERE p.tenant_id = d.tenant_id AND p.endpoint_id = d.endpoint_id AND p.task_id = CAST(:task AS uuid)
                           AND d.state = 'failed'
                        """).set("task", task).run();
    }

    /** Both bindings make, read, list and delete them; a canceled task is told, and what was deleted hears nothing. */
    @Test
    void bothBindingsMakeReadListAndDelete() {
        try (var one = RawReceiver.saying(RawReceiver.status(200));
                var two = RawReceiver.saying(RawReceiver.status(200))) {
            var task = ben.begin("When?").path("id").asString();
            var path = "/tasks/%s/pushNotificationConfigs".formatted(task);
            var made = Json.readObject(ben.http("POST", path, "{'id':'p','url':'%s'}".formatted(one.url()))
                    .body());
            assertThat(made.path("id").asString()).isEqualTo("p");
            assertThat(ben.result(CREATE, of(task, ",'url':'%s'".formatted(two.url())))
                            .path("id")
                            .asString())
                    .hasSize(36);
            assertThat(configs(task).path("configs")).hasSize(2);
            assertThat(ben.result(GET, of(task, ",'id':'p'"))).isEqualTo(made);
            assertThat(Json.readObject(ben.http("GET", path + "/p", "").body())).isEqualTo(made);
            assertThat(Json.readObject(ben.http("GET", path, "").body())).isEqualTo(configs(task));
            ben.result(CREATE, of(task, ",'id':'p','url':'%s'".formatted(two.url())));
            assertThat(configs(task).path("configs")).hasSize(2);
            assertThat(ben.http("DELETE", path + "/p", "").statusCode()).isEqualTo(200);
            ben.result(DELETE, of(task, ",'id':'p'"));
            assertThat(ben.code(GET, of(task, ",'id':'p'"))).isEqualTo(-32001);
            ben.result("CancelTask", "{'id':'%s'}".formatted(task));
            await().until(() -> states(two).contains("CANCELED"));
            assertThat(two.requests()).hasSize(1);
            assertThat(one.requests()).isEmpty();
            await().until(() -> configs(task).path("configs").isEmpty());
            var created = "push.created|task %s, at 127.0.0.1:".formatted(task);
            audited(
                    task,
                    "push.deleted|task " + task,
                    created + two.port(),
                    created + two.port(),
                    created + one.port());
        }
    }

    /** It is there while the client waits, so that it is told if the connection breaks. */
    @Test
    void itIsMadeBeforeTheAnswerIsWaitedFor() {
        try (var receiver = RawReceiver.saying(RawReceiver.status(200))) {
            var sent = message("When?", "")
                    .replace(
                            "'returnImmediately':true",
                            "'taskPushNotificationConfig':{'url':'%s'}".formatted(receiver.url()));
            var waiting = CompletableFuture.supplyAsync(() -> ben.result("SendMessage", sent));
            await().until(() -> !ben.result("ListTasks", "{}").path("tasks").isEmpty());
            var task = ben.result("ListTasks", "{}").at("/tasks/0/id").asString();
            await().until(() -> configs(task).path("configs").size() == 1);
            say("AP_Answer", "question", task, "At six.");
            assertThat(waiting.join().at("/task/status/state").asString()).isEqualTo("TASK_STATE_COMPLETED");
            await().until(() -> states(receiver).contains("COMPLETED"));
        }
    }

    /** Nobody else sees them, also not as a webhook, and they need the capabilities of webhooks. */
    @Test
    void onlyTheirCallerSeesThem() {
        var task = ben.begin("Who?").path("id").asString();
        ben.result(CREATE, of(task, ",'id':'p','url':'https://example.com/x'"));
        var other =
                new A2aClient(TestServer.url(), tenant.key(ClientApi.REST, "carl", Role.OWNER, List.of("*")), "Ben");
        for (var method : List.of(GET, LIST, DELETE)) {
            assertThat(other.code(method, of(task, ",'id':'p'"))).as(method).isEqualTo(-32001);
        }
        assertThat(other.code(CREATE, of(task, ",'url':'https://example.com/y'")))
                .isEqualTo(-32001);
        assertThat(owner.call("WH_List", "{}").ok().at("/endpoints")).isEmpty();
        assertThat(owner.call("WH_Deliveries", "{}").ok().at("/deliveries")).isEmpty();
        assertThat(configs(task).path("configs")).hasSize(1);
        var poor = tenant.key(ClientApi.REST, "dora", Role.MEMBER, List.of("agent:read", "agent:write"));
        var dora = new A2aClient(TestServer.url(), poor, "Ben");
        var own = dora.begin("I?").path("id").asString();
        for (var method : List.of(CREATE, GET, LIST, DELETE)) {
            assertThat(dora.rpc(method, of(own, ",'id':'p','url':'https://example.com/'"))
                            .at("/error/data/0/reason")
                            .asString())
                    .as(method)
                    .isEqualTo("NOT_PERMITTED");
        }
    }

    /** Who may not see the agent any more is told nothing; with the credential, the push notification ends. */
    @Test
    void itEndsWithTheCredentialAndTellsNothingWithoutAccess() {
        try (var receiver = RawReceiver.saying(RawReceiver.status(200))) {
            var made = TestCaller.of(ClientApi.REST, key)
                    .call("AK_Create", "{'name':'program','capabilities':['*']}")
                    .ok();
            var program = new A2aClient(TestServer.url(), made.text("/api_key"), "Ben");
            var task = program.begin("When?").path("id").asString();
            program.result(CREATE, of(task, ",'id':'p','url':'%s'".formatted(receiver.url())));
            assertThat(configs(task).path("configs")).isEmpty();
            assertThat(ben.code(GET, of(task, ",'id':'p'"))).isEqualTo(-32001);
            access("private");
            say("AP_Chat", "reply_to", task, "At which place?");
            await().until(() -> isRefused(task));
            assertThat(receiver.requests()).isEmpty();
            TestCaller.of(ClientApi.REST, key)
                    .call("AK_Revoke", "{'id':'%s'}".formatted(made.text("/key/id")))
                    .ok();
            access("public");
            say("AP_Answer", "question", task, "At six.");
            await().until(() -> kept(task).isEmpty());
            assertThat(receiver.requests()).isEmpty();
        }
    }

    /** Without access a change is not forgotten: it is told when access is back. */
    @Test
    void whatChangedWithoutAccessIsToldAfterwards() {
        try (var receiver = RawReceiver.saying(RawReceiver.status(200))) {
            var task = ben.begin("When?").path("id").asString();
            var wish = of(task, ",'url':'%s'".formatted(receiver.url()));
            var id = ben.result(CREATE, wish).path("id").asString();
            assertThat(ben.result(CREATE, wish).path("id").asString())
                    .as("the same address, sent again")
                    .isEqualTo(id);
            access("private");
            say("AP_Answer", "question", task, "At six.");
            await().until(() -> isRefused(task));
            assertThat(receiver.requests()).isEmpty();
            access("public");
            TestDatabase.db()
                    .sql("UPDATE webhook_push SET looked_at = clock_timestamp() WHERE task_id = CAST(:task AS uuid)")
                    .set("task", task)
                    .run();
            await().until(() -> states(receiver).contains("COMPLETED"));
            assertThat(receiver.requests()).hasSize(1);
        }
    }

    /** Whether the loop could not read the task, and will look again. */
    private static boolean isRefused(String task) {
        return TestDatabase.db()
                .sql("""
                        SELECT EXISTS (SELECT 1
                                         FROM webhook_push
                                        WHERE task_id = CAST(:task AS uuid) AND seen_seq IS NULL
                                          AND looked_at > clock_timestamp() + interval '5 seconds') AS found
                        """)
                .set("task", task)
                .one(row -> row.flag("found"))
                .orElse(false);
    }

    /** Webhooks in private networks are refused where the operator does not allow them. */
    @Test
    void anAddressInAPrivateNetworkIsRefused() {
        try (var engine = new WebhookFixture(Map.of("ENGINE_WEBHOOKS_ALLOW_PRIVATE", "false"))) {
            engine.happens("Ada");
            var ada = new A2aClient(engine.url(), engine.key(), "Ada");
            var task = ada.begin("When?").path("id").asString();
            for (var url :
                    List.of("https://127.0.0.1/", "https://10.0.0.1/", "http://example.com/", "https://localhost/")) {
                assertThat(ada.code(CREATE, of(task, ",'url':'%s'".formatted(url))))
                        .as(url)
                        .isEqualTo(-32602);
                var over = ada.http(
                        "POST", "/tasks/%s/pushNotificationConfigs".formatted(task), "{'url':'%s'}".formatted(url));
                assertThat(over.statusCode()).as(url).isEqualTo(400);
            }
            assertThat(ada.result(LIST, of(task, "")).path("configs")).isEmpty();
            ada.result(CREATE, of(task, ",'id':'a','url':'https://example.com/'"));
            var made = engine.call("POST", "/api/keys", "{'name':'program','capabilities':['*']}");
            var program = new A2aClient(engine.url(), made.at("/api_key").asString(), "Ada");
            program.result(CREATE, of(program.begin("Who?").path("id").asString(), ",'url':'https://example.com/'"));
            engine.call(
                    "POST", "/api/keys/%s/revoke".formatted(made.at("/key/id").asString()), "");
            engine.clear();
            assertThat(engine.db
                            .sql("SELECT count(*) AS n FROM webhook_endpoint WHERE events = '{push}'")
                            .one(row -> row.number("n")))
                    .as("that of the ended credential is gone")
                    .contains(1L);
        }
    }

    /** What is wrong is refused before a message is sent. */
    @Test
    void wrongAndTooManyAreRefused() {
        var task = ben.begin("When?").path("id").asString();
        for (var wrong : List.of(
                "'url':'ftp://example.com/'",
                "'url':'nothing'",
                "'url':''",
                "'url':'https://user@example.com/'",
                "'url':'https://example.com/','token':'a\\nb'",
                "'url':'https://example.com/','id':'%s'".formatted("x".repeat(201)),
                "'url':'https://example.com/','id':'a\\u0000b'",
                "'url':'https://example.com/','authentication':{'scheme':'Bea rer'}",
                "'url':'https://example.com/','authentication':{'scheme':'Bearer','credentials':'ä'}")) {
            assertThat(ben.code(CREATE, of(task, "," + wrong))).as(wrong).isEqualTo(-32602);
            var sent = message("Then?", "")
                    .replace(
                            "'configuration':{",
                            "'configuration':{'taskPushNotificationConfig':{%s},".formatted(wrong));
            assertThat(ben.code("SendMessage", sent)).as(wrong).isEqualTo(-32602);
        }
        assertThat(ben.result("ListTasks", "{}").path("totalSize").asInt()).isEqualTo(1);
        for (var i = 0; i < 5; i++) {
            ben.result(CREATE, of(task, ",'id':'n%d','url':'https://example.com/'".formatted(i)));
        }
        assertThat(ben.rpc(CREATE, of(task, ",'id':'n5','url':'https://example.com/'"))
                        .at("/error/message")
                        .asString())
                .contains("can have no more");
        ben.result(CREATE, of(task, ",'id':'n4','url':'https://example.com/'"));
        for (var id : List.of("n4", "n5")) { // n4 is replaced.
            var continued = message("And?", ",'taskId':'%s'".formatted(task))
                    .replace(
                            "'configuration':{",
                            "'configuration':{'taskPushNotificationConfig':{'id':'%s','url':'https://example.com/'},"
                                    .formatted(id));
            assertThat(ben.rpc("SendMessage", continued).has("result")).as(id).isEqualTo(id.equals("n4"));
        }
        assertThat(ben.result("GetTask", of(task, "").replace("taskId", "id")).path("history"))
                .as("nothing is sent for one that has no room")
                .hasSize(2);
        assertThat(ben.code(CREATE, of("t", ",'url':'https://example.com/'"))).isEqualTo(-32001);
        var engine = new A2aClient(TestServer.url(), key, "");
        assertThat(engine.code(CREATE, of(task, ",'url':'https://example.com/'")))
                .isEqualTo(-32003);
    }
}

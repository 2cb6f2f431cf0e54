package io.agentworkspace.engine.mcp.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.identity.users.TenantStore;
import io.agentworkspace.engine.mcp.endpoint.FixtureTasks;
import io.agentworkspace.engine.mcp.endpoint.Fixtures;
import io.agentworkspace.engine.mcp.endpoint.RawMcpClient;
import io.agentworkspace.engine.mcp.source.ServedContent;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.web.server.SampleServer;
import io.agentworkspace.engine.web.server.TestKeys;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Tasks that are created on one replica and polled on another. */
@Tag("slow")
class McpTasksTest {
    private static final String DECLARED = "{'elicitation': {}, 'extensions': {'io.modelcontextprotocol/tasks': {}}}";

    private static final String CONFIRM = "{'name': 'confirm_delete', 'arguments': {}}";

    private static TestKeys keys;
    private static SampleServer first;
    private static SampleServer second;
    private static RawMcpClient here;
    private static RawMcpClient there;

    @BeforeAll
    static void start() {
        keys = new TestKeys();
        first = new SampleServer(Fixtures.offer(), keys);
        second = new SampleServer(Fixtures.offer(), keys);
        here = peer(first);
        there = peer(second);
    }

    private static RawMcpClient peer(SampleServer server) {
        return new RawMcpClient(server.url("/mcp").toString(), first.key);
    }

    @AfterAll
    static void stop() {
        first.close();
        second.close();
    }

    @BeforeEach
    void hold() {
        FixtureTasks.hold();
    }

    @AfterEach
    void clear() {
        TestDatabase.db().sql("DELETE FROM mcp_task").run();
    }

    private static JsonNode call(RawMcpClient peer, String tool, String arguments) {
        return peer.modern("tools/call", "{'name': '%s', 'arguments': %s}".formatted(tool, arguments), DECLARED)
                .get("result");
    }

    private static String begin(RawMcpClient peer, String tool, String arguments) {
        var task = call(peer, tool, arguments);
        assertThat(task.path("resultType").asString("")).as(task.toString()).isEqualTo("task");
        return task.get("taskId").asString();
    }

    private static JsonNode ask(RawMcpClient peer, String method, String id, String more) {
        return peer.modern(method, "{'taskId': '%s'%s}".formatted(id, more), DECLARED);
    }

    private static JsonNode get(RawMcpClient peer, String id) {
        return ask(peer, "tasks/get", id, "").get("result");
    }

    private static JsonNode until(RawMcpClient peer, String id, String status) {
        var last = new AtomicReference<JsonNode>();
        await().until(() -> {
            last.set(get(peer, id));
            return last.get().get("status").asString().equals(status);
        });
        return last.get();
    }

    @Test
    void aTaskEndsWithWhatTheCallWouldHaveAnswered() {
        var id = begin(here, "slow_compute", "{'seconds': 0}");
        var waited = here.modern("tools/call", "{'name': 'slow_compute', 'arguments': {'seconds': 0}}");
        assertThat(until(there, id, "completed").at("/result/content"))
                .isEqualTo(waited.at("/result/content"))
                .isNotEmpty();
    }

    @Test
    void anotherKeysTaskLooksAbsent() {
        var id = begin(here, "confirm_delete", "{}");
        var stranger = new RawMcpClient(first.url("/mcp").toString(), keys.add(Role.OWNER, "*"));
        for (var method : new String[] {"tasks/get", "tasks/update", "tasks/cancel"}) {
            var answer = ask(stranger, method, id, ", 'inputResponses': {}");
            assertThat(answer.at("/error/code").asInt()).isEqualTo(-32602);
            assertThat(answer.at("/error/message").asString()).contains("your key has no such task");
        }
        assertThat(until(here, id, "input_required").has("inputRequests")).isTrue();
    }

    @Test
    void whoDoesNotDeclareTasksIsRefused() {
        for (var method : new String[] {"tasks/get", "tasks/update", "tasks/cancel"}) {
            var answer = here.modern(method, "{'taskId': 'x', 'inputResponses': {}}", "{}");
            assertThat(answer.at("/error/code").asInt()).isEqualTo(-32021);
        }
        var listening = here.modern("subscriptions/listen", "{'notifications': {'taskIds': ['x']}}", "{}");
        assertThat(listening.at("/error/data/requiredCapabilities/extensions").has("io.modelcontextprotocol/tasks"))
                .isTrue();
        var required = here.modern("tools/call", "{'name': 'failing_job', 'arguments': {}}", "{}");
        assertThat(required.at("/error/code").asInt()).isEqualTo(-32021);
    }

    /** The extension belongs to the stateless revisions. */
    @Test
    void sessionsKnowNothingOfTasks() {
        var talk = here.session("2025-11-25", DECLARED);
        assertThat(talk.call("tasks/get", "{'taskId': 'x'}").at("/error/code").asInt())
                .isEqualTo(-32601);
        assertThat(talk.call("tools/call", "{'name': 'slow_compute', 'arguments': {'seconds': 0}}")
                        .at("/result")
                        .has("taskId"))
                .isFalse();
    }

    @Test
    void cancellingOnAnotherReplicaStopsTheWork() {
        var started = Fixtures.STARTED.get();
        var before = Fixtures.STOPPED.get();
        var id = begin(here, "slow_compute", "{'seconds': 60}");
        await().until(() -> Fixtures.STARTED.get() > started);
        assertThat(ask(there, "tasks/cancel", id, "").at("/result/resultType").asString())
                .isEqualTo("complete");
        assertThat(get(here, id).get("status").asString()).isEqualTo("cancelled");
        await().until(() -> Fixtures.STOPPED.get() > before);
        ask(there, "tasks/cancel", id, "");
        assertThat(get(there, id).get("status").asString()).isEqualTo("cancelled");
    }

    @Test
    void listenersAreToldOfEachStatusAndOfProgress() {
        var id = begin(here, "counting", "{}");
        var filter = "{'notifications': {'taskIds': ['%s', 'none']}}".formatted(id);
        try (var events = there.events("subscriptions/listen", filter, DECLARED)) {
            assertThat(events.next().at("/params/notifications/taskIds").toString())
                    .isEqualTo("[\"%s\"]".formatted(id));
            var message = "";
            var update = events.next("notifications/tasks");
            while (!update.at("/params/status").asString().equals("completed")) {
                message = update.at("/params/statusMessage").asString(message);
                update = events.next("notifications/tasks");
            }
            assertThat(message).matches("[1-4] of 4: counted to [1-4]");
            assertThat(update.at("/params/taskId").asString()).isEqualTo(id);
            assertThat(update.at("/params/result/content/0/text").asString()).isEqualTo("counted");
            assertThat(update.at("/params/_meta/io.modelcontextprotocol~1subscriptionId")
                            .isNumber())
                    .isTrue();
        }
    }

    @Test
    void whatATaskBecameBeforeAnybodyListenedIsToldAtOnce() {
        var id = begin(here, "slow_compute", "{'seconds': 0}");
        until(here, id, "completed");
        try (var events = there.events(
                "subscriptions/listen", "{'notifications': {'taskIds': ['%s']}}".formatted(id), DECLARED)) {
            assertThat(events.next("notifications/tasks").at("/params/status").asString())
                    .isEqualTo("completed");
        }
    }

    @Test
    void answersThatNobodyAskedForAreLeftAside() {
        var id = begin(here, "multi_input", "{}");
        var questions = until(there, id, "input_required").get("inputRequests");
        assertThat(questions.propertyNames()).containsExactlyInAnyOrder("1.first", "1.second");
        ask(
                there,
                "tasks/update",
                id,
                ", 'inputResponses': {'first': {'action': 'accept'}, '2.first': {'action': 'accept'}}");
        assertThat(get(here, id).get("inputRequests")).isEqualTo(questions);
        var yes = "{'action': 'accept', 'content': {'confirm': true}}";
        ask(here, "tasks/update", id, ", 'inputResponses': {'1.first': %s}".formatted(yes));
        assertThat(get(here, id).get("inputRequests").propertyNames()).containsExactly("1.second");
        ask(there, "tasks/update", id, ", 'inputResponses': {'1.first': %1$s, '1.second': %1$s}".formatted(yes));
        assertThat(until(here, id, "completed").at("/result/content/0/text").asString())
                .startsWith("got ");
        ask(there, "tasks/update", id, ", 'inputResponses': {'1.second': %s}".formatted(yes));
        assertThat(get(here, id).get("status").asString()).isEqualTo("completed");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "'x'", "1", "true", "{'1.confirm': 'yes'}", "{'1.confirm': []}"})
    void answersOfTheWrongShapeAreRefused(String answers) {
        var id = begin(here, "confirm_delete", "{}");
        until(here, id, "input_required");
        var answer = ask(here, "tasks/update", id, ", 'inputResponses': " + answers);
        assertThat(answer.at("/error/code").asInt()).as(answer.toString()).isEqualTo(-32602);
        assertThat(get(here, id).get("status").asString()).isEqualTo("input_required");
    }

    @ParameterizedTest
    @ValueSource(strings = {"5", "null", "[]", "{}", "true"})
    void aTaskIdIsAString(String id) {
        var request = here.request("tasks/get", "{'taskId': %s}".formatted(id), DECLARED);
        assertThat(RawMcpClient.last(here.send(request, RawMcpClient.mirrored(request)))
                        .at("/error/code")
                        .asInt())
                .isEqualTo(-32602);
    }

    @Test
    void aReplicaThatStopsHandsItsTaskOnAtOnce() {
        var leaving = apart();
        var id = begin(peer(leaving), "held", "{}");
        await().until(() -> attempt(id) == 1);
        try (var staying = apart()) {
            leaving.close();
            await().until(() -> attempt(id) == 2);
            FixtureTasks.release();
            assertThat(until(peer(staying), id, "completed")
                            .at("/result/content/0/text")
                            .asString())
                    .isEqualTo("held and released");
        }
    }

    /** Starts a replica of a server with another name, which leaves this server's tasks alone. */
    private static SampleServer apart() {
        var identity = new ServedContent.Identity("io.agentworkspace/apart", "Apart", "1", "Another server.");
        return new SampleServer(
                new ServedContent(
                        identity, _ -> "For tests.", List.of(new FixtureTasks()), List.of(), List.of(), List.of()),
                keys);
    }

    /** The state that a killed replica leaves. Its later reports are ignored. */
    @Test
    void aTaskWhoseLeaseRanOutIsDoneByAnother() {
        var id = begin(here, "held", "{}");
        await().until(() -> attempt(id) == 1);
        TestDatabase.db()
                .sql("UPDATE mcp_task SET leased_until = now() WHERE id = :id")
                .set("id", id)
                .run();
        await().until(() -> attempt(id) == 2);
        var lost = new McpTaskStore.ClaimedTask(TestKeys.TENANT, id, 1);
        var store = new McpTaskStore(TestDatabase.db());
        store.progress(lost, "from the dead", Instant.now());
        store.step(
                lost,
                new McpTaskStore.Step(McpTaskStore.Status.FAILED, "from the dead", Json.object(), null),
                Instant.now());
        assertThat(get(here, id).has("statusMessage")).isFalse();
        FixtureTasks.release();
        assertThat(until(there, id, "completed").has("result")).isTrue();
    }

    @Test
    void whatWasDoneWhenAReplicaStopsIsNotDoneAgain() {
        String id;
        try (var leaving = apart()) {
            id = begin(peer(leaving), "stubborn", "{}");
            var task = id;
            await().until(() -> attempt(task) == 1);
        }
        assertThat(status(id)).isEqualTo("completed");
        assertThat(attempt(id)).isEqualTo(1);
    }

    @Test
    void onePrincipalDoesNotStandBeforeAllOthers() {
        for (var i = 0; i < 12; i++) {
            begin(here, "slow_compute", "{'seconds': 60}");
        }
        var other = new RawMcpClient(first.url("/mcp").toString(), keys.add(Role.OWNER, "*"));
        assertThat(until(other, begin(other, "slow_compute", "{'seconds': 0}"), "completed")
                        .has("result"))
                .isTrue();
    }

    @Test
    void aRunningTaskStopsWithItsCredential() {
        var key = keys.add(Role.OWNER, "*");
        var started = Fixtures.STARTED.get();
        var before = Fixtures.STOPPED.get();
        var id = begin(new RawMcpClient(first.url("/mcp").toString(), key), "slow_compute", "{'seconds': 60}");
        await().until(() -> Fixtures.STARTED.get() > started);
        keys.remove(key);
        await().until(() -> status(id).equals("cancelled") && Fixtures.STOPPED.get() > before);
    }

    @Test
    void aTaskThatCostsEveryReplicaItsLifeFails() {
        var id = begin(here, "confirm_delete", "{}");
        until(here, id, "input_required");
        TestDatabase.db()
                .sql("UPDATE mcp_task SET status = 'working', leased_until = now(), tries = 5 WHERE id = :id")
                .set("id", id)
                .run();
        var failed = until(there, id, "failed");
        assertThat(failed.at("/error/code").asInt()).isEqualTo(-32603);
        assertThat(failed.toString()).doesNotContain("Exception");
    }

    @Test
    void aDefectShowsNothingOfItself() {
        var failed = until(here, begin(here, "protocol_error_job", "{}"), "failed");
        assertThat(failed.has("result")).isFalse();
        assertThat(failed.toString()).doesNotContain("panics").doesNotContain("IllegalState");
        assertThat(failed.at("/error/data/request_id").asString()).isNotEmpty();
    }

    @Test
    void aTaskEndsWithItsCredential() {
        var key = keys.add(Role.OWNER, "*");
        var id = begin(new RawMcpClient(first.url("/mcp").toString(), key), "confirm_delete", "{}");
        await().until(() -> status(id).equals("input_required"));
        keys.remove(key);
        TestDatabase.db()
                .sql("UPDATE mcp_task SET status = 'working', leased_until = now() WHERE id = :id")
                .set("id", id)
                .run();
        await().until(() -> status(id).equals("cancelled"));
    }

    @Test
    void aPrincipalHasABoundedNumberOfThem() {
        TestDatabase.db()
                .sql("""
                INSERT INTO mcp_task (tenant_id, id, server, principal, user_id, request, status, memory, leased_until,
                                      created_at, updated_at, expires_at)
                SELECT t.tenant_id, n::text, t.server, t.principal, t.user_id, t.request, 'input_required', t.memory, t.leased_until,
                       t.created_at, t.updated_at, t.expires_at
                  FROM mcp_task t, generate_series(1, 99) n
                 WHERE t.id = :id
                """)
                .set("id", begin(here, "confirm_delete", "{}"))
                .run();
        var refused = here.modern("tools/call", "{'name': 'confirm_delete', 'arguments': {}}", DECLARED);
        assertThat(refused.at("/error/message").asString())
                .contains("100 unfinished tasks")
                .contains("tasks/cancel");
        ask(here, "tasks/cancel", "7", "");
        assertThat(call(here, "confirm_delete", "{}").path("taskId").asString(""))
                .isNotEmpty();
    }

    @Test
    void theTasksOfAPrincipalAndOfATenantTakeBoundedSpace() {
        var store = new McpTaskStore(TestDatabase.db(), 10_000, 31_000);
        assertThat(store.insert(caller("ann"), draft("small", 1_000))).isPresent();
        assertThat(store.insert(caller("ann"), draft("large", 12_000))).isPresent();
        assertThat(store.insert(caller("ann"), draft("more", 1_000))).isEmpty();
        assertThat(store.insert(caller("bob"), draft("his", 18_000))).isPresent();
        assertThat(store.insert(caller("cat"), draft("hers", 1_000))).isEmpty();
        var tenant = new TenantStore(TestDatabase.db())
                .create(Name.of("tasks " + UUID.randomUUID()), "unlimited", Instant.now());
        var other = new Caller(tenant, "other", 1, "zoe", Role.OWNER, Set.of("*"), "key:zoe", null);
        assertThat(store.insert(other, draft("elsewhere", 1_000))).isPresent();

        TestDatabase.db().sql("DELETE FROM mcp_task WHERE id = 'large'").run();
        store.step(
                claimed("small"),
                new McpTaskStore.Step(
                        McpTaskStore.Status.COMPLETED,
                        null,
                        Json.object(),
                        Json.object().put("text", random(10_500))),
                Instant.now());
        assertThat(store.insert(caller("ann"), draft("again", 1_000)))
                .as("results count, too")
                .isEmpty();
        assertThat(store.insert(caller("cat"), draft("hers", 100))).isPresent();
    }

    private static Caller caller(String name) {
        return new Caller(TestKeys.TENANT, "t", 1, name, Role.OWNER, Set.of("*"), "key:" + name, null);
    }

    /** A call with an argument of this length, which the database cannot compress. */
    private static McpTaskStore.TaskDraft draft(String id, int length) {
        return new McpTaskStore.TaskDraft(
                id,
                "space",
                Json.object().put("text", random(length)),
                Json.object(),
                Instant.now(),
                Instant.now().plus(Duration.ofHours(1)));
    }

    private static String random(int length) {
        return new Random(length)
                .ints(length, ' ', '~')
                .mapToObj(Character::toString)
                .collect(Collectors.joining());
    }

    private static McpTaskStore.ClaimedTask claimed(String id) {
        TestDatabase.db()
                .sql("UPDATE mcp_task SET attempt = 1, leased_until = now() + interval '1 hour' WHERE id = :id")
                .set("id", id)
                .run();
        return new McpTaskStore.ClaimedTask(TestKeys.TENANT, id, 1);
    }

    @Test
    void theBoundHoldsForThoseWhoComeTogether() {
        var all = Concurrently.of(McpTaskStore.MAX_OPEN + 12, _ -> served());
        var refused = all.stream()
                .filter(answer -> !answer.at("/result").has("taskId"))
                .toList();
        assertThat(refused).as("%s", refused).hasSize(12);
    }

    /** Calls until the key's other calls leave this one a connection, which can take several attempts on a slow machine. */
    private JsonNode served() {
        while (true) {
            var answer = here.modern("tools/call", CONFIRM, DECLARED);
            if (!answer.at("/error/message").asString("").contains("at the database at once")) {
                return answer;
            }
        }
    }

    @Test
    void aTaskIsClearedAwayWhenItsTimeIsOver() {
        var id = begin(here, "slow_compute", "{'seconds': 0}");
        assertThat(until(here, id, "completed").get("ttlMs").asLong())
                .isEqualTo(Duration.ofHours(24).toMillis());
        clear(Duration.ofHours(23));
        assertThat(get(here, id).get("status").asString()).isEqualTo("completed");
        clear(Duration.ofHours(24));
        assertThat(ask(here, "tasks/get", id, "").at("/error/message").asString())
                .contains("24 hours");
    }

    /** Deletes expired tasks as if this time had passed. */
    private static void clear(Duration later) {
        new McpTaskStore(TestDatabase.db()).purge(Instant.now().plus(later));
    }

    private static long attempt(String id) {
        return Long.parseLong(column(id, "attempt"));
    }

    private static String status(String id) {
        return column(id, "status");
    }

    private static String column(String id, String name) {
        return TestDatabase.db()
                .sql("SELECT %s::text AS value FROM mcp_task WHERE id = :id".formatted(name))
                .set("id", id)
                .one(row -> row.text("value"))
                .orElseThrow();
    }
}

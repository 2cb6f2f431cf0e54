package io.agentworkspace.engine.workspace.tasks;

import static io.agentworkspace.engine.testing.DomainSetup.hosted;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.EngineProcess;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A hundred agents do a thousand tasks on three replicas, one of which is killed in the middle: each task is done once. */
@Tag("slow")
class TaskDrillTest {
    private static final int AGENTS = 100;
    private static final int TASKS = 1_000;

    private final TestTenant tenant = new TestTenant();
    private final String key = tenant.key(ClientApi.REST, "carl", Role.ADMIN, List.of("*"));
    private final TestCaller carl = TestCaller.of(ClientApi.REST, key);
    private final AtomicInteger done = new AtomicInteger();

    @Test
    void eachTaskIsDoneOnce(@TempDir Path folder) {
        carl.call("AP_Create", "{'vx':{'name':'A0','description':'d'}}").ok();
        hosted(carl, "Shed", "private", "A0");
        fill();
        try (var second = TestServer.replica();
                var killed = EngineProcess.replica(folder)) {
            var urls = List.of(TestServer.url(), second.url(), killed.url());
            Concurrently.of(AGENTS, i -> {
                work(i, urls, killed);
                return true;
            });
        }
        assertThat(count("state = 'done' AND result IS NOT NULL")).isEqualTo(TASKS);
        for (var what : List.of("claimed", "done")) {
            assertThat(TestDatabase.db()
                            .sql("""
                                    SELECT count(*) AS n, count(DISTINCT task_id) AS tasks FROM task_change
                                     WHERE tenant_id = :tenant AND what = :what
                                    """)
                            .set("tenant", tenant.id(ClientApi.REST))
                            .set("what", what)
                            .list(row -> row.number("n") + " " + row.number("tasks")))
                    .as(what)
                    .containsExactly(TASKS + " " + TASKS);
        }
    }

    /** Claims the task, waits for a line, and finishes the task with the fence that it got. */
    private static final String HOLDER = """
            send() { curl -s -X "$1" "$2" -H "X-Api-Key: $KEY" -H 'Content-Type: application/json' -d "$3"; echo; }
            send POST "$TASK/claim" '{}'
            read -r line
            send PATCH "$TASK" '{"fence":1,"state":"done","result":"late"}'
            """;

    @Test
    void aHolderThatWasStoppedBeyondItsLeaseChangesNothing() throws Exception {
        carl.call("AP_Create", "{'vx':{'name':'A0','description':'d'}}").ok();
        hosted(carl, "Shed", "private", "A0");
        var id = carl.call("TK_Create", "{'target':{'domain':'Shed'},'vx':{'name':'Paint'}}")
                .ok()
                .text("/task/id");
        var builder = new ProcessBuilder("/bin/sh", "-c", HOLDER);
        builder.environment().put("KEY", key);
        builder.environment().put("TASK", TestServer.url() + "/api/tasks/" + id);
        var holder = builder.start();
        try (var out = holder.inputReader();
                var in = holder.outputWriter()) {
            assertThat(out.readLine()).contains("\"fence\":1");
            signal("STOP", holder);
            TestDatabase.db()
                    .sql("UPDATE task SET lease_until = now() - INTERVAL '1 second' WHERE tenant_id = :tenant")
                    .set("tenant", tenant.id(ClientApi.REST))
                    .run();
            carl.call("AP_LogOn", "{'target':{'agent':'A0','context':'A0'}}").ok();
            assertThat(carl.call("TK_Claim", "{'task':'%s','target':{'context':'A0'}}".formatted(id))
                            .ok()
                            .number("/task/fence"))
                    .isEqualTo(2);
            in.write("go on\n");
            in.flush();
            signal("CONT", holder);
            assertThat(out.readLine()).contains("409", "A0");
        } finally {
            holder.destroyForcibly();
        }
        var after = carl.call("TK_Read", "{'task':'%s'}".formatted(id)).ok();
        assertThat(after.text("/profile/0/holder")).isEqualTo("A0");
        assertThat(after.text("/profile/0/state")).isEqualTo("doing");
        assertThat(after.at("/profile/0/result").isMissingNode()).isTrue();
    }

    private static void signal(String name, Process process) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    /** Inserts the agents and the tasks. */
    private void fill() {
        for (var statement : List.of("""
                INSERT INTO agent (tenant_id, name, name_key, description, access, owner_id, created_at, updated_at)
                SELECT a.tenant_id, 'A' || i, 'a' || i, 'd', 'private', a.owner_id, now(), now()
                  FROM agent a, generate_series(1, :agents) i WHERE a.tenant_id = :tenant
                """, """
                INSERT INTO membership (tenant_id, domain_id, agent_id, owner_id, state, since)
                SELECT a.tenant_id, d.id, a.id, a.owner_id, 'member', now()
                  FROM agent a JOIN domain d ON d.tenant_id = a.tenant_id WHERE a.tenant_id = :tenant
                ON CONFLICT DO NOTHING
                """, """
                INSERT INTO task (tenant_id, id, domain_id, title, description, state, creator_id, created_at, updated_at)
                SELECT d.tenant_id, gen_random_uuid(), d.id, 'task ' || i, '', 'open', d.owner_id, now(), now()
                  FROM domain d, generate_series(1, :tasks) i WHERE d.tenant_id = :tenant
                """)) {
            TestDatabase.db()
                    .sql(statement)
                    .set("tenant", tenant.id(ClientApi.REST))
                    .set("agents", AGENTS - 1)
                    .set("tasks", TASKS)
                    .run();
        }
    }

    private long count(String condition) {
        return TestDatabase.db()
                .sql("SELECT count(*) AS n FROM task WHERE tenant_id = :tenant AND " + condition)
                .set("tenant", tenant.id(ClientApi.REST))
                .one(row -> row.number("n"))
                .orElseThrow();
    }

    /** Claims and finishes tasks until none is left. A call that gets no answer is looked into on the next replica. */
    private void work(int agent, List<String> urls, EngineProcess killed) {
        send(agent, urls, "AP_LogOn", "{'target':{'agent':'A%d','context':'A%d'}}".formatted(agent, agent));
        while (true) {
            var claimed = send(
                            agent,
                            urls,
                            "TK_Claim",
                            "{'next':true,'target':{'domain':'Shed','context':'A%d'}}".formatted(agent))
                    .path("task");
            if (claimed.isMissingNode()) {
                claimed = lostClaim(agent, urls);
                if (claimed.isMissingNode()) {
                    return;
                }
            }
            send(
                    agent,
                    urls,
                    "TK_Update",
                    "{'task':'%s','fence':%d,'state':'done','result':'by %d','target':{'context':'A%d'}}"
                            .formatted(
                                    claimed.path("id").asString(),
                                    claimed.path("fence").asLong(),
                                    agent,
                                    agent));
            if (done.incrementAndGet() == TASKS / 2) {
                killed.kill();
            }
        }
    }

    /** Returns a task that the agent holds without knowing it, since the answer to its claim was lost. */
    private JsonNode lostClaim(int agent, List<String> urls) {
        return send(
                        agent,
                        urls,
                        "TK_List",
                        "{'mine':true,'state':'doing','target':{'domain':'Shed','context':'A%d'}}".formatted(agent))
                .at("/profile/0");
    }

    private ObjectNode send(int agent, List<String> urls, String service, String arguments) {
        for (var i = agent; ; i++) {
            try {
                var body = arguments.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
                var answer = ClientApi.post(urls.get(i % urls.size()) + ClientApi.path(service), key, body, Map.of());
                var envelope = Json.readObject(answer.body());
                if (envelope.at("/status/internal_code").asLong() / 1000 < 4) {
                    return envelope;
                }
            } catch (UncheckedIOException e) {
                // That replica is gone: the next one.
            }
        }
    }
}

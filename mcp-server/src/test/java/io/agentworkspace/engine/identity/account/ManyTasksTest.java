package io.agentworkspace.engine.identity.account;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.identity.users.TenantStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.plan.Scope;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.testing.TestDatabase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** In a tenant with very many tasks, every statement about tasks uses an index, and reads no more than what it shows. */
@Tag("slow")
class ManyTasksTest {
    private static final String NAME = "many_tasks";
    private static final int TASKS = 100_000;

    /** What a call may touch: a page of tasks with their names, by look-ups of a few pages each. */
    private static final long MOST_PAGES = 1_500;

    /** Half of the tasks are ready, so that no index is small. Most of them are somebody else's, and so are most that are done. */
    private static final String FILL = """
            INSERT INTO task (tenant_id, id, domain_id, title, description, state, holder_id, lease_until, assignee_id,
                              creator_id, created_at, updated_at)
            SELECT CAST(:tenant AS bigint), CAST(md5('many ' || i) AS uuid), domain.id, 'task ' || i, 'd',
                   CASE WHEN i % 4 < 2 THEN 'open' WHEN i % 100 = 2 THEN 'doing' WHEN i % 100 = 3 THEN 'blocked' ELSE 'done' END,
                   CASE WHEN i % 100 = 2 THEN 10000500 + i / 100 % 500 END, CASE WHEN i % 100 = 2 THEN now() + INTERVAL '1 day' END,
                   CASE WHEN i % 8 > 0 THEN 10000600 + i % 2 END, 20000001,
                   now() - i * INTERVAL '1 second', now()
              FROM domain, generate_series(1, :tasks) i
             WHERE domain.tenant_id = :tenant AND domain.name = 'Big'
            """;

    private static final String BEFORE = """
            AP_LogOn {'target':{'agent':'agent-00500'}}
            DM_Create {'target':{'agent':'agent-00500'},'vx':{'name':'Big','description':'d'}}
            """;

    private static final String CALLS = """
            TK_List {'target':{'domain':'Big'}}
            TK_List {'target':{'domain':'Big'},'page':{'limit':100}}
            TK_List {'target':{'domain':'Big'},'state':'open'}
            TK_List {'target':{'domain':'Big'},'state':'doing'}
            TK_List {'target':{'domain':'Big'},'state':'blocked'}
            TK_List {'target':{'domain':'Big'},'state':'done'}
            TK_List {'target':{'domain':'Big'},'state':'cancelled'}
            TK_List {'target':{'domain':'Big'},'ready':true}
            TK_List {'target':{'domain':'Big'},'ready':true,'state':'done'}
            TK_List {'target':{'domain':'Big'},'mine':true}
            TK_List {'target':{'domain':'Big'},'mine':true,'state':'open'}
            TK_List {'target':{'domain':'Big','agent':'agent-00500'}}
            TK_List {'target':{'domain':'Big','agent':'agent-00600'}}
            TK_List {'target':{'domain':'Big','agent':'agent-00601'},'state':'cancelled'}
            TK_List {'target':{'domain':'Big','agent':'agent-00601'},'state':'done'}
            TK_Create {'target':{'domain':'Big'},'vx':{'name':'new'},'after':['4']}
            TK_Read {'task':'4'}
            TK_Claim {'target':{'domain':'Big'},'next':true}
            TK_Claim {'task':'8'}
            TK_Update {'task':'8','fence':1,'note':'half done','lease_seconds':3600}
            TK_Update {'task':'8','fence':1,'state':'done','result':'it works'}
            TK_Update {'task':'12','after':['16']}
            TK_Claim {'task':'8'}
            """;

    @Test
    void noStatementScansTheTasks() throws IOException {
        try (var filled = TestDatabase.fresh(NAME)) {
            var postgres = TestDatabase.postgres();
            var url = postgres.jdbcUrl().replaceFirst("/[^/]*$", "/" + NAME);
            long tenant;
            try (var db = new Db(url, postgres.user(), postgres.password(), 1, PlanReports.UNHURRIED)) {
                tenant = fill(db);
            }
            var ran = new ArrayList<PlanReports.Ran>();
            try (var reports = new PlanReports(NAME)) {
                var runner = TestDatabase.runner(reports.db());
                var caller = PlansTest.caller(tenant, "user 1");
                for (var line : CALLS.lines().toList()) {
                    ran.addAll(reports.of(runner, caller, withIds(line)));
                }
            }
            assertThat(filled.sql("SELECT state FROM task WHERE tenant_id = :tenant AND id = CAST(:id AS uuid)")
                            .set("tenant", tenant)
                            .set("id", id("8"))
                            .one(row -> row.text("state")))
                    .contains("done");
            assertThat(ran.stream().filter(one -> one.pages() > MOST_PAGES)).isEmpty();
            assertThat(ran).hasSizeGreaterThan(CALLS.lines().toList().size());
            assertThat(ran.stream()
                            .filter(one -> !one.scans(Set.of("task", "task_change", "task_order"))
                                    .isEmpty()))
                    .isEmpty();
        }
    }

    private static long fill(Db db) {
        var tenant = new TenantStore(db)
                .create(Name.of("many"), "unlimited", Clock.systemUTC().instant());
        LargeTenant.fill(db, tenant, 1_000);
        var runner = TestDatabase.runner(db);
        for (var line : BEFORE.lines().toList()) {
            var parts = line.split(" ", 2);
            var arguments = Json.readObject(parts[1].replace('\'', '"').getBytes(StandardCharsets.UTF_8));
            var caller = PlansTest.caller(tenant, "user 1");
            assertThat(runner.run(new ToolRunner.Request(parts[0], arguments, caller, "r", true, null))
                            .success())
                    .isTrue();
        }
        db.transaction(() -> {
            db.sql("SET LOCAL session_replication_role = replica").run();
            return db.sql(FILL)
                    .counting(Set.of(Scope.TASKS))
                    .set("tenant", tenant)
                    .set("tasks", TASKS)
                    .run();
        });
        db.sql("VACUUM ANALYZE").run();
        return tenant;
    }

    /** Puts the ids of the tasks in place of their numbers. */
    private static String withIds(String line) {
        return Pattern.compile("('task':|\\[)'(\\d+)'")
                .matcher(line)
                .replaceAll(found -> found.group(1) + "'" + id(found.group(2)) + "'");
    }

    private static String id(String number) {
        return TestDatabase.db()
                .sql("SELECT CAST(CAST(md5('many ' || :number) AS uuid) AS text) AS id")
                .set("number", number)
                .one(row -> row.text("id"))
                .orElseThrow();
    }
}

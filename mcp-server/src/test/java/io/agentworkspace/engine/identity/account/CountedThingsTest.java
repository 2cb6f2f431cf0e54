package io.agentworkspace.engine.identity.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.plan.Scope;
import io.agentworkspace.engine.testing.CaseWorkspace;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.CountedThings;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TenantRows;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.ToolCases;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The count of what a plan limits is the number of things, whatever happens to them. */
class CountedThingsTest {
    private static final Db DB = TestDatabase.db();

    private static Replica engine;

    private final CaseWorkspace workspace = new CaseWorkspace(DB, TestDatabase.runner(DB));
    private final long tenant = workspace.member().tenant();

    @BeforeAll
    static void start() {
        engine = Replica.start(Map.of());
    }

    @AfterAll
    static void stop() {
        engine.close();
    }

    private void assertCounted(String after) {
        CountedThings.assertCounted(tenant, after);
    }

    private void run(String steps) {
        steps.lines().forEach(step -> {
            workspace.run(step, 0);
            assertCounted(step);
        });
    }

    private void change(String sql) {
        DB.sql(sql + " WHERE tenant_id = :tenant").set("tenant", tenant).run();
    }

    @Test
    void whatEveryToolDoesIsCounted() {
        for (var tool : ToolCases.all()) {
            for (var round = 1; round <= 2; round++) {
                for (var step : tool.before()) {
                    workspace.run(step, round);
                }
                workspace.run(tool.tool() + " " + tool.cost(), round);
                assertCounted(tool.tool());
            }
        }
        for (var scope : Scope.values()) {
            assertThat(!scope.isStanding() || CountedThings.count(tenant, scope) > 0)
                    .as(scope.word())
                    .isTrue();
        }
    }

    @Test
    void whatIsDeletedRestoredAndDestroyedIsCounted() {
        run("""
                MB_Create {'vx':{'name':'Chest'}}
                MB_Store {'target':{'bank':'Chest'},'content':'one','vx':{'name':'n'}}
                MB_Store {'target':{'bank':'Chest'},'content':'two','vx':{'name':'n'}}
                MB_Store {'target':{'bank':'Chest'},'content':'three'}
                MB_Delete {'target':{'bank':'Chest'},'memory':'n'}
                MB_Restore {'target':{'bank':'Chest'},'memory':'n'}
                MB_Destroy {'target':{'bank':'Chest'},'memory':'n'}
                MB_Delete {'target':{'bank':'Chest','agent':'Ada'}}
                MB_Restore {'target':{'bank':'Chest','agent':'Ada'}}
                MB_Destroy {'target':{'bank':'Chest','agent':'Ada'}}
                MB_Import {'target':{'bank':'Chest'},'format':'jsonl','data':'{\\'text\\':\\'x\\'}\\n{\\'text\\':\\'y\\'}','dry_run':true}
                MB_Import {'target':{'bank':'Chest'},'format':'jsonl','data':'{\\'text\\':\\'x\\'}\\n{\\'text\\':\\'y\\'}'}
                MB_Import {'target':{'bank':'Chest'},'format':'jsonl','data':'{\\'text\\':\\'x\\'}\\n{\\'text\\':\\'y\\'}'}
                MB_Delete {'target':{'bank':'Chest'}}
                MB_Restore {'target':{'bank':'Chest'}}
                MB_Destroy {'target':{'bank':'Chest'}}
                DM_Create {'vx':{'name':'Yard','description':'d'}}
                TK_Create {'target':{'domain':'Yard'},'vx':{'name':'a'}}
                TK_Update {'task':'$task','state':'cancelled'}
                TK_Update {'task':'$task','state':'open'}
                TK_Update {'task':'$task','state':'done'}
                TK_Update {'task':'$task','state':'done','vx':{'name':'b'}}
                TK_Create {'target':{'domain':'Yard'},'vx':{'name':'c'}}
                TK_Create {'target':{'domain':'Yard'},'vx':{'name':'d'}}
                DM_Destroy {'target':{'domain':'Yard'}}
                US_Create {'vx':{'name':'maria'}}
                US_Remove {'target':{'user':'maria'}}
                AP_Create {'vx':{'name':'Eve','description':'d'}}
                AP_Destroy {'target':{'agent':'Eve'}}
                AP_Create {'vx':{'name':'Eve','description':'d'}}""");
    }

    /** What is deleted outside of calls. */
    @Test
    void whatTheHousekeepingDeletesIsCounted() {
        run("""
                MB_Create {'vx':{'name':'Old','description':'d'}}
                MB_Store {'target':{'bank':'Old'},'content':'one'}
                MB_Store {'target':{'bank':'Old'},'content':'two'}
                MB_Delete {'target':{'bank':'Old'}}
                MB_Store {'target':{'bank':'Box'},'content':'deleted','vx':{'name':'deleted'}}
                MB_Store {'target':{'bank':'Box'},'content':'expired','vx':{'name':'expired'}}
                MB_Delete {'target':{'bank':'Box'},'memory':'deleted'}
                DC_Submit {'name':'a.txt','text':'a text'}
                WH_Create {'url':'http://127.0.0.1:1/','events':['webhook.test']}
                WH_Delete {'id':'$endpoint'}
                TK_Create {'target':{'domain':'Den'},'vx':{'name':'left open'}}
                TK_Create {'target':{'domain':'Den'},'vx':{'name':'done'}}
                TK_Update {'task':'$task','state':'done'}""");
        change("UPDATE bank SET deleted_at = deleted_at - INTERVAL '31 days'");
        change("UPDATE memory SET deleted_at = deleted_at - INTERVAL '31 days'");
        change("UPDATE memory SET expires_at = CASE WHEN name = 'expired' THEN now() - INTERVAL '31 days' END");
        change("UPDATE document SET state = 'rejected', validated_at = now() - INTERVAL '900 days'");
        change("UPDATE webhook_endpoint SET deleted_at = deleted_at - INTERVAL '900 days'");
        change("UPDATE task SET updated_at = now() - INTERVAL '900 days'");
        engine.clear();
        assertCounted("clearing");
        assertThat(CountedThings.count(tenant, Scope.MEMORIES)).isEqualTo(1);
        assertThat(CountedThings.count(tenant, Scope.BANKS)).isEqualTo(1);
        assertThat(CountedThings.count(tenant, Scope.DOCUMENTS)).isZero();
        assertThat(TenantRows.count(tenant, "task")).isEqualTo(1);
    }

    @Test
    void whatIsRefusedIsNotCounted() {
        for (var step : List.of(
                "AP_Create {'vx':{'name':'Ada','description':'d'}}",
                "DM_Create {'vx':{'name':'Den','description':'d'}}",
                "MB_Create {'vx':{'name':'Box'}}",
                "MB_Store {'target':{'bank':'Nowhere'},'content':'text'}",
                "TK_Create {'target':{'domain':'Den'},'vx':{'name':'t','after':['00000000-0000-0000-0000-000000000000']}}",
                "WH_Create {'url':'ftp://x','events':['webhook.test']}")) {
            var parts = step.split(" ", 2);
            assertThat(workspace
                            .answer(parts[0], workspace.arguments(parts[1], 0))
                            .success())
                    .as(step)
                    .isFalse();
            assertCounted(step);
        }
        workspace.run("AC_ChangePlan {'plan':'free'}", 0);
        var created = Concurrently.of(
                30,
                i -> workspace
                        .answer(
                                "AP_Create",
                                workspace.arguments("{'vx':{'name':'many %d','description':'d'}}".formatted(i), 0))
                        .success());
        assertThat(created.stream().filter(done -> done)).hasSize(23);
        assertCounted("calls beyond the limit");
    }

    /** Of twins one is stored; the others are refused, or change the same thing. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "AP_Create {'vx':{'name':'Twin','description':'d'}}",
                "AP_Destroy {'target':{'agent':'Bo'}}",
                "DM_Create {'vx':{'name':'Twin','description':'d'}}",
                "DM_Destroy {'target':{'domain':'Den'}}",
                "MB_Create {'vx':{'name':'Twin'}}",
                "MB_Store {'target':{'bank':'Box'},'content':'text','vx':{'name':'twin'}}",
                "MB_Destroy {'target':{'bank':'Box'},'memory':'one'}",
                "MB_Destroy {'target':{'bank':'Box'}}",
                "DC_Submit {'name':'twin.txt','text':'text'}",
                "TK_Create {'target':{'domain':'Den'},'vx':{'name':'twin'}}"
            })
    void twinsAtTheSameTimeAreCountedOnce(String step) {
        var parts = step.split(" ", 2);
        Concurrently.of(8, _ -> workspace.answer(parts[0], workspace.arguments(parts[1], 0)));
        assertCounted(step);
    }

    /** A task that is finished while its domain is destroyed ends once. */
    @Test
    void whatEndsWithItsDomainEndsOnce() {
        for (var round = 0; round < 10; round++) {
            workspace.run("DM_Create {'vx':{'name':'Brief #','description':'d'}}", round);
            workspace.run("TK_Create {'target':{'domain':'Brief #'},'vx':{'name':'t'}}", round);
            var number = round;
            var task = workspace.arguments("{'task':'$task','state':'done'}", 0);
            var domain = workspace.arguments("{'target':{'domain':'Brief #'}}", number);
            var more = workspace.arguments("{'target':{'domain':'Brief #'},'vx':{'name':'more'}}", number);
            Concurrently.of(3, i -> switch (i) {
                case 0 -> workspace.answer("TK_Update", task);
                case 1 -> workspace.answer("TK_Create", more);
                default -> workspace.answer("DM_Destroy", domain);
            });
            assertCounted("round " + round);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO agent SELECT * FROM agent",
                "UPDATE agent SET revision = revision + 1, destroyed_at = now()",
                "DELETE FROM domain",
                "INSERT INTO bank (tenant_id, name) SELECT tenant_id, name FROM bank",
                "WITH gone AS (DELETE FROM memory m WHERE m.tenant_id = :tenant RETURNING *) SELECT * FROM gone",
                "DELETE FROM document",
                "UPDATE webhook_endpoint SET deleted_at = now()",
                "UPDATE task t SET title = '', state = :state"
            })
    void whatDoesNotSayWhatItCountsIsNotCommitted(String statement) {
        var none = statement + (statement.startsWith("WITH") ? "" : " WHERE tenant_id = :tenant AND tenant_id < 0");
        assertThatThrownBy(() -> DB.transaction(() -> DB.sql(none)
                        .quiet()
                        .set("tenant", tenant)
                        .set("state", "done")
                        .run()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("may have changed the number of");
        assertCounted("what was refused");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE agent SET description = 'd' WHERE tenant_id = :tenant AND destroyed_at IS NULL",
                "UPDATE task SET reminded = false WHERE tenant_id = :tenant",
                "DELETE FROM memory_gone WHERE tenant_id = :tenant"
            })
    void whatChangesNoCountNeedSayNothing(String statement) {
        DB.transaction(() -> DB.sql(statement).quiet().set("tenant", tenant).run());
        assertCounted(statement);
    }

    /** Whatever comes to belong to a user locks that user's row, since a removed user's row stays. */
    @Test
    void eachStatementThatGivesAThingAnOwnerLocksTheOwner() {
        var inserts = Repository.files("mcp-server/src/main/java", ".java").stream()
                .map(Repository::text)
                .flatMap(text -> Pattern.compile(
                                "(?s)\"\"\"(?:(?!\"\"\").)*?INSERT INTO (?:agent|domain|bank|api_key) .*?\"\"\"")
                        .matcher(text)
                        .results())
                .map(found -> found.group())
                .toList();
        assertThat(inserts).hasSize(6).allMatch(insert -> insert.contains("present_user("));
    }
}

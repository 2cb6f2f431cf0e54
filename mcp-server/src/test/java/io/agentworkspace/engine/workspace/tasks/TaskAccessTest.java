package io.agentworkspace.engine.workspace.tasks;

import static io.agentworkspace.engine.testing.DomainSetup.agents;
import static io.agentworkspace.engine.testing.DomainSetup.hosted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.mcp.endpoint.RawMcpClient;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestClock;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rules, the audit, resources and retention treat tasks as everything else. Ann's agent Ada is in the domain Yard. */
class TaskAccessTest {
    private final TestTenant tenant = new TestTenant();
    private final String key = tenant.key(ClientApi.MCP, "ann", Role.ADMIN, List.of("*"));
    private final TestCaller ann = TestCaller.of(ClientApi.MCP, key);

    TaskAccessTest() {
        agents(ann, "Ada");
        hosted(ann, "Yard", "private", "Ada");
    }

    private String task(String title) {
        return ann.call("TK_Create", "{'target':{'domain':'Yard'},'vx':{'name':'%s'}}".formatted(title))
                .ok()
                .text("/task/id");
    }

    @Test
    void aRuleSeesTheTask() {
        var rule = Json.object()
                .put("name", "results")
                .put("message", "say what came of it")
                .put("when", "task.state == 'done' && task.result == ''");
        rule.putArray("applies_to").add("TK_Update");
        ann.call("RL_Create", rule).ok();
        var id = task("Paint");
        ann.call("TK_Update", "{'task':'%s','state':'done'}".formatted(id)).refused(3004, "say what came of it");
        ann.call("TK_Update", "{'task':'%s','state':'done','result':'It is blue.'}".formatted(id))
                .ok();
    }

    @Test
    void theAuditShowsWhoDidWhatToWhichTask() {
        var id = task("Paint");
        ann.call("TK_Claim", "{'task':'%s'}".formatted(id)).ok();
        ann.call("TK_Claim", "{'task':'%s'}".formatted(id)).refused(3003);
        for (var tool : List.of("TK_Create", "TK_Claim")) {
            await().untilAsserted(() -> {
                var entry = ann.call("AC_Audit", "{'tool':'%s','result':'done'}".formatted(tool))
                        .ok();
                assertThat(entry.text("/entries/0/user")).isEqualTo("ann");
                assertThat(entry.at("/entries/0").toString()).contains("Paint");
            });
        }
        await().untilAsserted(() -> assertThat(
                        ann.call("AC_Audit", "{'tool':'TK_Claim'}").ok().at("/entries"))
                .hasSize(2));
    }

    @Test
    void theTasksOfADomainAreAResourceOfThoseWhoSeeThem() {
        task("Paint");
        var uri = "{'uri':'engine://domains/Yard/tasks'}";
        var read = new RawMcpClient(TestServer.url() + "/mcp", key).modern("resources/read", uri);
        assertThat(read.at("/result/contents/0/text").asString()).contains("Paint");
        var eve = tenant.key(ClientApi.MCP, "eve", Role.MEMBER, List.of("*"));
        assertThat(new RawMcpClient(TestServer.url() + "/mcp", eve)
                        .modern("resources/read", uri)
                        .at("/error/code")
                        .asInt())
                .isEqualTo(-32602);
        var completed = new RawMcpClient(TestServer.url() + "/mcp", key)
                .modern(
                        "completion/complete",
                        "{'ref':{'type':'ref/resource','uri':'engine://domains/{domain}/tasks'},'argument':{'name':'domain','value':'ya'}}");
        assertThat(completed.at("/result/completion/values/0").asString()).isEqualTo("Yard");
    }

    /** A cancelled task stays as long as another waits for it. */
    @Test
    void finishedTasksAreDeletedAfterTheirTime() {
        var clock = new TestClock();
        var done = task("done");
        var cancelled = task("cancelled");
        task("open");
        ann.call(
                        "TK_Create",
                        "{'target':{'domain':'Yard'},'vx':{'name':'waiting'},'after':['%s']}".formatted(cancelled))
                .ok();
        ann.call("TK_Update", "{'task':'%s','state':'done'}".formatted(done)).ok();
        ann.call("TK_Update", "{'task':'%s','state':'cancelled'}".formatted(cancelled))
                .ok();
        var days = Duration.ofDays(90);
        purge(clock, days);
        assertThat(titles()).containsExactlyInAnyOrder("done", "cancelled", "open", "waiting");
        // Only those of this tenant have become old.
        TestDatabase.db()
                .sql("UPDATE task SET updated_at = updated_at - INTERVAL '91 days' WHERE tenant_id = :tenant")
                .set("tenant", tenant.id(ClientApi.MCP))
                .run();
        purge(clock, days.plusDays(2));
        assertThat(titles()).contains("done");
        purge(clock, days);
        assertThat(titles()).containsExactlyInAnyOrder("cancelled", "open", "waiting");
        ann.call("TK_Read", "{'task':'%s'}".formatted(done)).refused(3001);
    }

    private static void purge(TestClock clock, Duration kept) {
        new LeaseStore(TestDatabase.db(), clock).purge(clock.instant().minus(kept));
    }

    private List<String> titles() {
        return ann.call("TK_List", "{'target':{'domain':'Yard'}}").ok().texts("/profile", "title");
    }
}

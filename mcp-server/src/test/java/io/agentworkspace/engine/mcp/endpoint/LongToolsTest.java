package io.agentworkspace.engine.mcp.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.kernel.events.EventLog;
import io.agentworkspace.engine.mcp.apps.WorkspaceApps;
import io.agentworkspace.engine.mcp.content.CatalogueTools;
import io.agentworkspace.engine.mcp.content.DiscoveryTools;
import io.agentworkspace.engine.mcp.source.ServedContent;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.McpResult;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import io.agentworkspace.engine.web.server.SampleServer;
import io.agentworkspace.engine.web.server.TestKeys;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A long tool of a catalogue, through the production runner. */
@Tag("slow")
class LongToolsTest {
    public record Nothing() {}

    public record Counted(@Doc("How often it was done.") long times) {}

    private static final String DECLARED = "{'elicitation': {}, 'extensions': {'io.modelcontextprotocol/tasks': {}}}";

    private final SampleServer server = new SampleServer(offer(), keys());
    private final RawMcpClient peer = new RawMcpClient(server.url("/mcp").toString(), server.key);

    @AfterEach
    void stop() {
        server.close();
    }

    private static TestKeys keys() {
        var tenant = new TestTenant();
        tenant.key(ClientApi.MCP, "owner", Role.OWNER, List.of("*"));
        var id = tenant.id(ClientApi.MCP);
        var user = TestDatabase.db()
                .sql("SELECT id FROM app_user WHERE tenant_id = :tenant")
                .set("tenant", id)
                .one(row -> row.number("id"))
                .orElseThrow();
        return new TestKeys(id, user);
    }

    private static ServedContent offer() {
        var clock = Clock.systemUTC();
        var db = TestDatabase.db();
        db.sql(
                        "CREATE TABLE IF NOT EXISTS long_tool_done (tenant_id bigint, n bigint GENERATED ALWAYS AS IDENTITY, PRIMARY KEY (tenant_id, n))")
                .run();
        var tool = Tool.named("DM_Destroy")
                .title("Count")
                .description("Counts how often it was called.")
                .needs(Capability.DOMAIN_WRITE)
                .effect(Effect.DESTROYS)
                .takesLong()
                .handledBy(Nothing.class, Counted.class, (in, call) -> {
                    db.sql("INSERT INTO long_tool_done (tenant_id) VALUES (:tenant)")
                            .set("tenant", call.caller().tenant())
                            .run();
                    return new Counted(done(call.caller().tenant()));
                });
        var catalogue = new Catalogue(List.of(tool));
        var runner = TestDatabase.runner(catalogue, db, new EventLog());
        var tools = new CatalogueTools(runner, new WorkspaceApps(List.of()), clock);
        return new ServedContent(
                new ServedContent.Identity("io.agentworkspace/long", "Long", "1", "A long tool."),
                _ -> "For tests.",
                List.of(tools, new DiscoveryTools(runner, tools, (_, _) -> List.of(), clock)),
                List.of(),
                List.of(),
                List.of());
    }

    private static long done(long tenant) {
        return TestDatabase.db()
                .sql("SELECT count(*) FROM long_tool_done WHERE tenant_id = :tenant")
                .set("tenant", tenant)
                .one(row -> row.number(1))
                .orElseThrow();
    }

    private JsonNode completed(String id) {
        await().until(() -> get(id).get("status").asString().equals("completed"));
        return get(id).get("result");
    }

    private JsonNode get(String id) {
        return peer.modern("tasks/get", "{'taskId': '%s'}".formatted(id), DECLARED)
                .get("result");
    }

    @Test
    void aSecondAttemptChangesNothingTwice() {
        var task = peer.modern("tools/call", "{'name': 'DM_Destroy', 'arguments': {}}", DECLARED);
        var id = task.at("/result/taskId").asString();
        var result = completed(id);
        assertThat(result.at("/structuredContent/times").asLong()).isEqualTo(1);
        TestDatabase.db()
                .sql("UPDATE mcp_task SET status = 'working', outcome = NULL, leased_until = now() WHERE id = :id")
                .set("id", id)
                .run();
        assertThat(completed(id)).isEqualTo(result);
    }

    @Test
    void thePersonIsAskedBeforeThereIsATask() {
        var call = "{'name': 'DM_Destroy', 'arguments': {}%s}";
        var question = confirmed(call.formatted(""));
        assertThat(question.at("/result/resultType").asString()).isEqualTo("input_required");
        var state = question.at("/result/requestState").asString();
        var answer =
                ", 'requestState': '%s', 'inputResponses': {'confirm': {'action': '%s', 'content': {'destroy': true}}}";
        var refused = confirmed(call.formatted(answer.formatted(state, "decline")));
        assertThat(refused.at("/result/isError").asBoolean()).isTrue();
        var task = confirmed(call.formatted(answer.formatted(state, "accept")));
        assertThat(completed(task.at("/result/taskId").asString())
                        .at("/structuredContent/status/success")
                        .asBoolean())
                .isTrue();
    }

    private JsonNode confirmed(String call) {
        return peer.modern("tools/call", call, DECLARED, "X-MCP-Confirm", "destructive");
    }

    /** The key of the call overrides the task's own, so the second task finds the first one's response. */
    @Test
    void anIdempotencyKeyAmongTheArgumentsHolds() {
        var call = "{'name': 'DM_Destroy', 'arguments': {'idempotency_key': 'once'}}";
        var first = completed(
                peer.modern("tools/call", call, DECLARED).at("/result/taskId").asString());
        assertThat(first.at("/structuredContent/times").asLong()).isEqualTo(1);
        assertThat(completed(peer.modern("tools/call", call, DECLARED)
                        .at("/result/taskId")
                        .asString()))
                .isEqualTo(first);
    }

    @Test
    void theToolsetOfDiscoveryBeginsTasksToo() {
        var discovery = new RawMcpClient(server.url("/mcp/x/discovery").toString(), server.key);
        var task =
                discovery.modern("tools/call", "{'name': 'run_tool', 'arguments': {'name': 'DM_Destroy'}}", DECLARED);
        assertThat(completed(task.at("/result/taskId").asString())
                        .at(McpResult.HEADER + "/service")
                        .asString())
                .isEqualTo("DM_Destroy");
    }

    @Test
    void whoMayNotUseItIsRefusedWithoutATask() {
        var viewer = new RawMcpClient(server.url("/mcp").toString(), server.keys.add(Role.VIEWER, "*"));
        var refused = viewer.modern("tools/call", "{'name': 'DM_Destroy', 'arguments': {}}", DECLARED);
        assertThat(refused.at("/result/isError").asBoolean()).isTrue();
        assertThat(refused.toString()).contains("your role is 'viewer'").doesNotContain("taskId");
    }
}

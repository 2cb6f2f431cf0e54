package io.agentworkspace.engine.mcp.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.calls.runner.Runner;
import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.identity.users.TenantStore;
import io.agentworkspace.engine.kernel.context.Contexts;
import io.agentworkspace.engine.kernel.events.EventLog;
import io.agentworkspace.engine.mcp.apps.WorkspaceApps;
import io.agentworkspace.engine.mcp.content.EngineContent;
import io.agentworkspace.engine.mcp.content.WelcomeQueries;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.web.server.SampleServer;
import io.agentworkspace.engine.web.server.TestKeys;
import java.time.Clock;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A long tool of the catalogue, through the production runner and endpoint. */
class ProgressTest {
    private static final String TOKEN = "{'name': 'MB_Count', 'arguments': {}, '_meta': {'progressToken': 'far'}}";

    public record Nothing() {}

    public record Counted(@Doc("How many.") long counted) {}

    private static final Runner RUNNER = TestDatabase.runner(
            new Catalogue(List.of(Tool.named("MB_Count")
                    .title("Count")
                    .description("Counts three things, one after the other.")
                    .needs(Capability.BANK_READ)
                    .handledBy(Nothing.class, Counted.class, (_, call) -> count(call)))),
            TestDatabase.db(),
            new EventLog());

    private static SampleServer server;
    private static TestKeys keys;

    private static Counted count(Call call) {
        for (var i = 1; i <= 3; i++) {
            call.progress().report(i, 3.0, "thing " + i);
            call.progress().report(i - 1, 3.0, "what is behind is not told");
        }
        return new Counted(3);
    }

    @BeforeAll
    static void start() {
        var tenants = new TenantStore(TestDatabase.db());
        var now = Clock.systemUTC().instant();
        var tenant = tenants.create(Name.of("t-" + UUID.randomUUID()), "unlimited", now);
        keys = new TestKeys(tenant, tenants.createUser(tenant, Name.of("owner"), Role.OWNER, now));
        server = new SampleServer(
                EngineContent.of(
                        RUNNER,
                        TestDatabase.library(),
                        (_, _) -> List.of(),
                        new WelcomeQueries(TestDatabase.db(), new Contexts(TestDatabase.db())),
                        _ -> List.of(),
                        new WorkspaceApps(List.of()),
                        "1",
                        Clock.systemUTC()),
                keys);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void aSessionHearsHowFarALongToolIs() {
        var session = new RawMcpClient(server.url("/mcp").toString(), server.key).session("2025-11-25", "{}");
        received(session.post(session.body("tools/call", TOKEN)).body());
    }

    @Test
    void aStatelessClientHearsHowFarALongToolIs() {
        var peer = new RawMcpClient(server.url("/mcp").toString(), server.key);
        var request = peer.request("tools/call", "{'name': 'MB_Count', 'arguments': {}}", "{}");
        request.withObject("/params/_meta").put("progressToken", "far");
        received(peer.send(request, RawMcpClient.mirrored(request)).body());
    }

    private static void received(String stream) {
        var messages = stream.lines()
                .filter(line -> line.startsWith("data: {"))
                .map(line -> RawMcpClient.json(line.substring("data: ".length())))
                .toList();
        assertThat(messages).hasSize(4);
        for (var i = 1; i <= 3; i++) {
            var message = messages.get(i - 1);
            assertThat(message.get("method").asString()).isEqualTo("notifications/progress");
            assertThat(message.get("params"))
                    .isEqualTo(RawMcpClient.json(
                            "{'progressToken': 'far', 'progress': %1$d, 'total': 3, 'message': 'thing %1$d'}"
                                    .formatted(i)));
        }
        assertThat(messages.getLast().at("/result/structuredContent/counted").asLong())
                .isEqualTo(3);
    }

    @Test
    void whoDidNotAskHearsNothing() {
        var session = new RawMcpClient(server.url("/mcp").toString(), server.key).session("2025-11-25", "{}");
        var quiet = session.post(session.body("tools/call", "{'name': 'MB_Count', 'arguments': {}}"));
        assertThat(quiet.headers().firstValue("Content-Type")).hasValue("application/json");
        assertThat(server.mcp(session.body("tools/call", TOKEN).replace('\'', '"'))
                        .body())
                .contains("\"counted\":3")
                .doesNotContain("progress");
        var caller = keys.authenticate(ApiKey.parse(server.key));
        var answer = RUNNER.run(new ToolRunner.Request("MB_Count", Json.object(), caller, "r", true, null));
        assertThat(answer.envelope().get("counted").asLong()).isEqualTo(3);
    }
}

package io.agentworkspace.engine.a2a.endpoint;

import static io.agentworkspace.engine.testing.DomainSetup.agents;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.mcp.endpoint.Node;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The official client of A2A for JavaScript, over both transports. */
@Tag("slow")
class OfficialA2aClientTest {
    private static final int COMPLETED = 3;
    private static final int CANCELED = 5;

    @ParameterizedTest
    @ValueSource(strings = {"JSONRPC", "HTTP+JSON"})
    void itUsesEveryOperation(String transport) {
        Node.require();
        var tenant = new TestTenant();
        var key = tenant.key(ClientApi.REST, "ann", Role.MEMBER, List.of("*"));
        var bob = tenant.person(ClientApi.REST, "bob", Role.MEMBER);
        agents(bob, "Ben");
        bob.call("AP_Modify", "{'target':{'agent':'Ben'},'vx':{'access':'public','description':''}}")
                .ok();
        try (var _ = new AnsweringAgent(bob, "Ben", "At six.")) {
            var card = TestServer.url() + "/a2a/Ben/.well-known/agent-card.json";
            var ended = Node.run(Map.of(), List.of(Node.script("a2a.mjs"), card, key, transport));
            assertThat(ended.code()).as(ended.errors()).isZero();
            var saw = Json.readObject(ended.output().getBytes(StandardCharsets.UTF_8));
            assertThat(saw.path("card").asString()).isEqualTo("Ben");
            assertThat(saw.path("forgedIsRefused").asBoolean()).isTrue();
            assertThat(saw.path("answer").asString()).isEqualTo("At six.");
            assertThat(saw.path("state").asInt()).isEqualTo(COMPLETED);
            assertThat(saw.path("first").asString()).isEqualTo("task");
            assertThat(saw.path("got").asInt()).isEqualTo(1);
            assertThat(saw.path("listed").asInt()).isEqualTo(2);
            assertThat(saw.path("canceled").asInt()).isEqualTo(CANCELED);
            assertThat(saw.path("missing").asString()).isEqualTo("TaskNotFoundError");
        }
    }
}

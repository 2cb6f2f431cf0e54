package io.agentworkspace.engine.workspace.agents;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.CommandAddress;
import io.agentworkspace.engine.testing.TenantRows;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each change of an agent writes one event in its transaction (decisions, section 8). */
class AgentEventsTest {
    private final TestTenant tenant = new TestTenant();
    private final String key = tenant.key(ClientApi.REST, "ann", Role.MEMBER, List.of("*"));

    private void done(CommandAddress way, String service, String arguments) {
        assertThat(way.call(key, service, arguments.replace('\'', '"')).error()).isEmpty();
    }

    private List<String> events() {
        return TenantRows.of(tenant.id(ClientApi.REST)).get("event").stream()
                .map(row -> Json.readObject(row.getBytes(StandardCharsets.UTF_8)))
                .map(row -> row.get("type").asString() + " " + Json.canonical(row.get("data")))
                .toList();
    }

    @ParameterizedTest
    @EnumSource(
            value = CommandAddress.class,
            names = {"ALIAS", "MCP"})
    void eachChangeIsToldOnce(CommandAddress way) {
        done(way, "AP_Create", "{'vx':{'name':'Ada','description':'d'}}");
        done(way, "AP_Modify", "{'target':{'agent':'Ada'},'vx':{'profile':'p','access':'public'}}");
        done(way, "AP_Modify", "{'target':{'agent':'Ada'}}");
        done(way, "AP_Update", "{'target':{'agent':'Ada'},'vx':{'name':'Eve','description':'e'}}");
        done(way, "AP_Destroy", "{'target':{'agent':'Eve'}}");
        assertThat(events())
                .containsExactlyInAnyOrder(
                        "agent.deployment.created {\"access\":\"private\",\"agent\":\"Ada\",\"owner\":\"ann\",\"revision\":1}",
                        "agent.deployment.updated {\"access\":\"public\",\"agent\":\"Ada\",\"changed\":[\"profile\",\"access\"],\"owner\":\"ann\",\"revision\":2}",
                        "agent.deployment.updated {\"access\":\"public\",\"agent\":\"Eve\",\"changed\":[\"name\",\"description\"],\"owner\":\"ann\",\"revision\":3}",
                        "agent.deployment.deleted {\"access\":\"public\",\"agent\":\"Eve\",\"owner\":\"ann\",\"revision\":3}");
    }

    @Test
    void whatIsRefusedTellsNothing() {
        assertThat(CommandAddress.MCP
                        .call(key, "AP_Destroy", "{\"target\":{\"agent\":\"Nobody\"}}")
                        .error())
                .isEqualTo("not_found");
        assertThat(events()).isEmpty();
    }
}

package io.agentworkspace.engine.identity.signin;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.mcp.endpoint.Node;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** The official MCP client, which has only the address, with the engine's own authorization server. Its tokens may be bound to its key. */
@Tag("slow")
class ConnectorTest {
    @ParameterizedTest
    @CsvSource({"legacy, ", "2026-07-28, ", "legacy, dpop", "2026-07-28, dpop", "2026-07-28, late"})
    void itRegistersIsAllowedAndRenewsItsToken(String mode, String bound) {
        Node.require();
        var key = new TestTenant().key(ClientApi.MCP, "ann", Role.OWNER, List.of("*"));
        var ended = Node.run(
                Map.of(),
                List.of(
                        Node.script("connector.mjs"),
                        mode,
                        TestServer.url() + "/mcp",
                        key,
                        bound == null ? "" : bound));
        assertThat(ended.code()).as(ended.output() + ended.errors()).isZero();
        var steps = new LinkedHashMap<String, JsonNode>();
        ended.output()
                .lines()
                .map(line -> Json.readObject(line.getBytes(StandardCharsets.UTF_8)))
                .forEach(step -> steps.put(step.path("step").asString(""), step.path("got")));
        assertThat(steps.get("question").path("client").asString("")).isEqualTo("Connector");
        assertThat(steps.get("who").at("/structuredContent/status/success").asBoolean())
                .as(steps.get("who").toString())
                .isTrue();
        assertThat(steps.get("tools").toString()).contains("AP_Chat", "MB_Store");
        assertThat(steps.get("type").asString("")).isEqualTo(bound == null ? "Bearer" : "DPoP");
        assertThat(steps.get("renewed").asBoolean()).isTrue();
        assertThat(steps.get("asked").asInt()).isEqualTo(1);
    }
}

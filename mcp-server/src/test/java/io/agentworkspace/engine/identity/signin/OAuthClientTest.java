package io.agentworkspace.engine.identity.signin;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.mcp.endpoint.Node;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The official MCP client without a key, at the MCP endpoint with a certified provider: npm's oidc-provider. */
@Tag("slow")
class OAuthClientTest {
    private static TestTenant tenant;
    private static OpenIdProvider provider;
    private static Replica engine;

    @BeforeAll
    static void start() {
        Node.require();
        tenant = new TestTenant();
        provider = new OpenIdProvider("https://engine.example/callback");
        var tenantName = TestDatabase.db()
                .sql("SELECT name FROM tenant WHERE tenant_id = :id")
                .set("id", tenant.id(ClientApi.MCP))
                .one(row -> row.text("name"))
                .orElseThrow();
        engine = Replica.start(Map.of(
                "ENGINE_MCP_OAUTH", "sample",
                "ENGINE_OAUTH_SAMPLE_ISSUER", provider.issuer(),
                "ENGINE_OAUTH_SAMPLE_CLIENT_ID", "engine",
                "ENGINE_OAUTH_SAMPLE_TENANT", tenantName,
                "ENGINE_OAUTH_SAMPLE_EMAIL_DOMAINS", "example.org"));
    }

    @AfterAll
    static void stop() {
        if (provider != null) {
            engine.close();
            provider.close();
        }
    }

    private static Map<String, JsonNode> talk(String mode) {
        var ended = Node.run(Map.of(), List.of(Node.script("oauth.mjs"), mode, engine.url() + "/mcp"));
        assertThat(ended.code()).as(ended.output() + ended.errors()).isZero();
        var steps = new LinkedHashMap<String, JsonNode>();
        ended.output()
                .lines()
                .map(line -> Json.readObject(line.getBytes(StandardCharsets.UTF_8)))
                .forEach(step -> steps.put(step.path("step").asString(""), step.path("got")));
        return steps;
    }

    @ParameterizedTest
    @ValueSource(strings = {"legacy", "2026-07-28"})
    void itFindsTheIssuerReadsAndComesBackWithMore(String mode) {
        var steps = talk(mode);
        var first = steps.get("first");
        assertThat(first.path("resource").asString("")).isEqualTo(engine.url() + "/mcp");
        assertThat(first.path("scope").asString("").split(" "))
                .contains("agent:read")
                .doesNotContain("agent:write");
        assertThat(names(steps.get("tools"))).contains("AP_List", "DM_List").doesNotContain("AP_Create");
        var written = steps.get("write").path("structuredContent");
        assertThat(written.at("/status/success").asBoolean())
                .as(written.toString())
                .isTrue();
        assertThat(steps.get("second").path("scope").asString("").split(" ")).contains("agent:read", "agent:write");
        assertThat(names(steps.get("more"))).contains("AP_List", "AP_Create");
        assertThat(steps.get("asked").asInt())
                .as("the user was asked for consent twice")
                .isEqualTo(2);
    }

    private static List<String> names(JsonNode list) {
        return list.valueStream().map(name -> name.asString("")).toList();
    }
}

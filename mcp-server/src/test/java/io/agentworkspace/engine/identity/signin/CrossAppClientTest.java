package io.agentworkspace.engine.identity.signin;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.mcp.endpoint.Node;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import io.jsonwebtoken.Jwts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The official MCP client with an assertion of a company's identity provider (ID-JAG): no page, no question. */
@Tag("slow")
class CrossAppClientTest {
    @ParameterizedTest
    @ValueSource(strings = {"legacy", "2026-07-28"})
    void itConnectsWithWhatTheProviderAsserts(String mode) throws IOException {
        Node.require();
        var clock = Clock.systemUTC();
        var tenant = TestDatabase.db()
                .sql("SELECT name FROM tenant WHERE tenant_id = :id")
                .set("id", new TestTenant().id(ClientApi.MCP))
                .one(row -> row.text("name"))
                .orElseThrow();
        try (var issuer = new LocalIssuer(clock);
                var engine = Replica.start(Map.of(
                        "ENGINE_OAUTH_LOCAL_ISSUER",
                        issuer.address(),
                        "ENGINE_OAUTH_LOCAL_CLIENT_ID",
                        "engine",
                        "ENGINE_OAUTH_LOCAL_TENANT",
                        tenant))) {
            var client = Browser.send(engine.url(), "POST", "/oauth/register", """
                    {"client_name":"Acme","redirect_uris":["https://client.example/callback"],"token_endpoint_auth_method":"client_secret_basic"}""");
            var assertion = issuer.signed(Jwts.builder()
                    .json(TokenJson.WRITER)
                    .header()
                    .type("oauth-id-jag+jwt")
                    .and()
                    .issuer(issuer.address())
                    .subject("paula")
                    .claim("preferred_username", "paula")
                    .claim("aud", engine.url())
                    .claim("client_id", client.at("/client_id"))
                    .claim("resource", engine.url() + "/mcp")
                    .id(UUID.randomUUID().toString())
                    .issuedAt(Date.from(clock.instant()))
                    .expiration(Date.from(clock.instant().plus(Duration.ofMinutes(30)))));
            var ended = Node.run(
                    Map.of(),
                    List.of(
                            Node.script("crossapp.mjs"),
                            mode,
                            engine.url() + "/mcp",
                            engine.url(),
                            client.at("/client_id"),
                            client.at("/client_secret"),
                            assertion));
            assertThat(ended.code()).as(ended.output() + ended.errors()).isZero();
            var steps = new LinkedHashMap<String, JsonNode>();
            ended.output()
                    .lines()
                    .map(line -> Json.readObject(line.getBytes(StandardCharsets.UTF_8)))
                    .forEach(step -> steps.put(step.path("step").asString(""), step.path("got")));
            assertThat(steps.get("asked").path("resource").asString("")).isEqualTo(engine.url() + "/mcp");
            assertThat(steps.get("who").at("/structuredContent/profile/0/user").asString(""))
                    .as(steps.get("who").toString())
                    .isEqualTo("paula");
        }
    }
}

package io.agentworkspace.engine.identity.signin;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.identity.signin.Browser.Got;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestClock;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** An engine whose MCP endpoint accepts the access tokens of an issuer that the test controls. */
abstract class IssuedTokensFixture {
    static final String MCP = "https://mcp.example";
    static final String RESOURCE = MCP + "/mcp";
    static final String PLACE = "resource_metadata=\"" + MCP + "/.well-known/oauth-protected-resource/mcp\"";
    static final String CHALLENGE = "WWW-Authenticate";
    static final TestClock CLOCK = new TestClock();

    static TestTenant tenant;
    static LocalIssuer issuer;
    static Replica engine;
    static String owner;

    @BeforeAll
    static void start() throws IOException {
        tenant = new TestTenant();
        issuer = new LocalIssuer(CLOCK);
        owner = tenant.key(ClientApi.MCP, "owner", Role.OWNER, List.of("*"));
        engine = Replica.start(settings(issuer), CLOCK);
    }

    @AfterAll
    static void stop() {
        engine.close();
        issuer.close();
    }

    /** Advances the clock by more than a minute, so that the issuer may be queried again. */
    @BeforeEach
    void later() {
        issuer.down(false);
        CLOCK.advance(Duration.ofMinutes(2));
    }

    static Map<String, String> settings(LocalIssuer of) {
        return Map.of(
                "ENGINE_BASE_URL", "https://engine.example",
                "ENGINE_MCP_URL", MCP,
                "ENGINE_MCP_OAUTH", "local",
                "ENGINE_OAUTH_LOCAL_ISSUER", of.address(),
                "ENGINE_OAUTH_LOCAL_CLIENT_ID", "engine",
                "ENGINE_OAUTH_LOCAL_TENANT", tenantName(),
                "ENGINE_OAUTH_LOCAL_EMAIL_DOMAINS", "example.org");
    }

    static String tenantName() {
        return TestDatabase.db()
                .sql("SELECT name FROM tenant WHERE tenant_id = :id")
                .set("id", tenant.id(ClientApi.MCP))
                .one(row -> row.text("name"))
                .orElseThrow();
    }

    static String token(String subject, String scopes) {
        return issuer.signed(issuer.draft(RESOURCE, subject, scopes));
    }

    static Got rpc(Replica at, String credential, String method, String params, String... headers) {
        var body = "{\"jsonrpc\":\"2.0\",\"id\":\"its id\",\"method\":\"%s\",\"params\":%s}"
                .formatted(method, params.replace('\'', '"'));
        var all = new java.util.ArrayList<>(Arrays.asList(headers));
        if (!credential.isEmpty()) {
            all.addAll(List.of("Authorization", "Bearer " + credential));
        }
        return Browser.send(at.url(), "POST", "/mcp", body, all.toArray(String[]::new));
    }

    static Got list(String credential) {
        return rpc(engine, credential, "tools/list", "{}", "X-MCP-Toolsets", "all");
    }

    static List<String> tools(String credential) {
        var got = list(credential);
        assertThat(got.status()).as(got.toString()).isEqualTo(200);
        return got.json()
                .at("/result/tools")
                .valueStream()
                .map(tool -> tool.path("name").asString(""))
                .toList();
    }

    static Got call(String credential, String tool, String arguments) {
        return rpc(engine, credential, "tools/call", "{'name':'%s','arguments':%s}".formatted(tool, arguments));
    }

    static void assertInvalid(Got got, String what) {
        assertThat(got.status()).as(what + got).isEqualTo(401);
        assertThat(got.header(CHALLENGE))
                .as(what)
                .startsWith("Bearer error=\"invalid_token\", error_description=\"")
                .endsWith(PLACE);
        assertThat(got.at("/error/data/error")).isEqualTo("unauthenticated");
    }
}

package io.agentworkspace.engine.identity.signin;

import io.agentworkspace.engine.identity.signin.Browser.Got;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestClock;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import io.jsonwebtoken.JwtBuilder;
import io.jsonwebtoken.Jwts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.time.Duration;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import tools.jackson.databind.node.ObjectNode;

/** An engine that trusts the assertions of a provider (ID-JAG), and a client with a secret. */
abstract class IdentityAssertionsFixture {
    static final TestClock CLOCK = new TestClock();
    static final String JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";

    static TestTenant tenant;
    static LocalIssuer issuer;
    static LocalIssuer stranger;
    static Replica engine;
    static Replica other;
    static Got client;

    @BeforeAll
    static void start() throws IOException {
        tenant = new TestTenant();
        issuer = new LocalIssuer(CLOCK);
        stranger = new LocalIssuer(CLOCK);
        var name = TestDatabase.db()
                .sql("SELECT name FROM tenant WHERE tenant_id = :id")
                .set("id", tenant.id(ClientApi.REST))
                .one(row -> row.text("name"))
                .orElseThrow();
        var settings = Map.of(
                "ENGINE_STRANGER_LIMIT", "off",
                "ENGINE_BASE_URL", "https://engine.example",
                "ENGINE_MCP_URL", "https://mcp.example",
                "ENGINE_OAUTH_LOCAL_ISSUER", issuer.address(),
                "ENGINE_OAUTH_LOCAL_CLIENT_ID", "engine",
                "ENGINE_OAUTH_LOCAL_TENANT", name,
                "ENGINE_OAUTH_LOCAL_EMAIL_DOMAINS", "example.org",
                "ENGINE_OAUTH_STRANGER_ISSUER", stranger.address(),
                "ENGINE_OAUTH_STRANGER_CLIENT_ID", "engine");
        engine = Replica.readingHere(settings, CLOCK);
        other = Replica.start(settings, CLOCK);
        client = registered("client_secret_post");
    }

    @AfterAll
    static void stop() {
        other.close();
        engine.close();
        stranger.close();
        issuer.close();
    }

    /** The keys of an issuer may be fetched again. */
    @BeforeEach
    void later() {
        CLOCK.advance(Duration.ofMinutes(2));
    }

    static Got registered(String method) {
        CLOCK.advance(Duration.ofSeconds(2)); // Registrations are limited by address.
        var body = Json.object().put("client_name", "Acme (IDE)").put("token_endpoint_auth_method", method);
        body.putArray("redirect_uris").add("https://client.example/callback");
        return Browser.send(engine.url(), "POST", "/oauth/register", Json.text(body));
    }

    static JwtBuilder draft(String subject) {
        return draft(issuer, subject);
    }

    static JwtBuilder draft(LocalIssuer of, String subject) {
        var now = CLOCK.instant();
        return Jwts.builder()
                .json(TokenJson.WRITER)
                .header()
                .type("oauth-id-jag+jwt")
                .and()
                .issuer(of.address())
                .subject(subject)
                .claim("aud", "https://engine.example")
                .claim("client_id", client.at("/client_id"))
                .claim("resource", "https://mcp.example/mcp")
                .claim("scope", "agent:read bank:read")
                .claim("email", subject + "@example.org")
                .claim("email_verified", true)
                .id(UUID.randomUUID().toString())
                .issuedAt(Date.from(now))
                .expiration(Date.from(now.plus(Duration.ofMinutes(5))));
    }

    static Map<String, String> parameters(String assertion) {
        var parameters = new LinkedHashMap<String, String>();
        parameters.put("grant_type", JWT_BEARER);
        parameters.put("client_id", client.at("/client_id"));
        parameters.put("client_secret", client.at("/client_secret"));
        parameters.put("assertion", assertion);
        return parameters;
    }

    static Got token(Replica at, Map<String, String> parameters) {
        return AuthorizationServerFixture.form(at, "/oauth/token", AuthorizationServerFixture.encoded(parameters));
    }

    static Got token(JwtBuilder draft) {
        return token(engine, parameters(issuer.signed(draft)));
    }

    static long agents(String like) {
        return TestDatabase.db()
                .sql("SELECT count(*) AS n FROM agent WHERE tenant_id = :tenant AND name LIKE :like")
                .set("tenant", tenant.id(ClientApi.REST))
                .set("like", like)
                .one(row -> row.number("n"))
                .orElseThrow();
    }

    /** Returns the address that is stored of a user; the empty text for none, and nothing for an unknown user. */
    static Optional<String> email(String subject) {
        return TestDatabase.db()
                .sql("""
                        SELECT COALESCE(email, '') AS email FROM external_identity
                         WHERE tenant_id = :tenant AND subject = :subject""")
                .set("tenant", tenant.id(ClientApi.REST))
                .set("subject", subject)
                .one(row -> row.text("email"));
    }

    static JwtBuilder named(String subject, String subId) {
        return draft(subject).subject(null).claim("sub_id", map(subId.replace("ISSUER", issuer.address())));
    }

    static Map<?, ?> map(String json) {
        return Json.bind(object(json), Map.class);
    }

    static Got proven(Map<String, String> parameters, KeyPair key) {
        var proof = Proofs.draft(key, "POST", "https://engine.example/oauth/token", CLOCK.instant());
        var body = AuthorizationServerFixture.encoded(parameters);
        return AuthorizationServerFixture.form(engine, "/oauth/token", body, "DPoP", Proofs.signed(proof, key));
    }

    static ObjectNode object(String json) {
        return Json.readObject(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }
}

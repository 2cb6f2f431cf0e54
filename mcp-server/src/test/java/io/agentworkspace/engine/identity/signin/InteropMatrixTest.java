package io.agentworkspace.engine.identity.signin;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.agentworkspace.engine.identity.signin.Browser.Got;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Golden;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestClock;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import io.jsonwebtoken.JwtBuilder;
import io.jsonwebtoken.Jwts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.time.Duration;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** Fills in the matrices of the OpenID Foundation's interoperability event for MCP with real requests. */
class InteropMatrixTest {
    private static final TestClock CLOCK = new TestClock();
    private static final String BASE = "https://engine.example";
    private static final String BACK = AuthorizationServerFixture.BACK;
    private static final KeyPair KEY = Jwts.SIG.ES256.keyPair().build();
    private static final String BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";

    private static LocalIssuer issuer;
    private static HttpServer documents;
    private static Replica engine;
    private static Browser browser;
    private static String robot;

    @BeforeAll
    static void start() throws IOException {
        var tenant = new TestTenant();
        issuer = new LocalIssuer(CLOCK);
        var name = TestDatabase.db()
                .sql("SELECT name FROM tenant WHERE tenant_id = :id")
                .set("id", tenant.id(ClientApi.REST))
                .one(row -> row.text("name"))
                .orElseThrow();
        var settings = Map.of(
                "ENGINE_BASE_URL",
                BASE,
                "ENGINE_OAUTH_LOCAL_ISSUER",
                issuer.address(),
                "ENGINE_OAUTH_LOCAL_CLIENT_ID",
                "engine",
                "ENGINE_OAUTH_LOCAL_TENANT",
                name);
        engine = Replica.readingHere(settings, CLOCK);
        documents = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        documents.start();
        browser = Browser.signIn(engine.url(), tenant.key(ClientApi.REST, "maria", Role.MEMBER, List.of("*")));
        browser.change("POST", Browser.CREATE, "{\"vx\":{\"name\":\"Robot\",\"description\":\"d\"}}");
        robot = browser.change("POST", "/api/keys", """
                {"name":"robot","agent":"Robot","capabilities":["agent:read"]}""").at("/api_key");
    }

    @AfterAll
    static void stop() {
        documents.stop(0);
        engine.close();
        issuer.close();
    }

    private static ObjectNode metadata(String path) {
        return Browser.send(engine.url(), "GET", "/.well-known/" + path, "").json();
    }

    private static String address(String path) {
        return "http://127.0.0.1:%d%s".formatted(documents.getAddress().getPort(), path);
    }

    private static String serve(String path, ObjectNode document) {
        documents.createContext(path, exchange -> {
            var bytes = Json.text(document).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        return address(path);
    }

    private static ObjectNode keys() {
        var set = Json.object();
        set.putArray("keys").add(Json.valueTree(Proofs.jwk(KEY)));
        return set;
    }

    /** Returns the id of a client with a metadata document. */
    private static String described(UnaryOperator<ObjectNode> more) {
        var path = "/" + UUID.randomUUID() + "/client.json";
        var document = Json.object().put("client_id", address(path)).put("client_name", "Partner");
        document.putArray("redirect_uris").add(BACK);
        return serve(path, more.apply(document));
    }

    private static String keyed() {
        return described(one -> {
            one.put("token_endpoint_auth_method", "private_key_jwt").set("jwks", keys());
            return one;
        });
    }

    private static String keyedElsewhere() {
        var set = serve("/" + UUID.randomUUID() + "/jwks", keys());
        return described(
                one -> one.put("token_endpoint_auth_method", "private_key_jwt").put("jwks_uri", set));
    }

    private static Got registered(String method) {
        CLOCK.advance(Duration.ofSeconds(2)); // Registrations are limited by address.
        var body = Json.object().put("client_name", "Partner").put("token_endpoint_auth_method", method);
        body.putArray("redirect_uris").add(BACK);
        return Browser.send(engine.url(), "POST", "/oauth/register", Json.text(body));
    }

    private static Map<String, String> signed(String id) {
        var assertion = Jwts.builder()
                .json(TokenJson.WRITER)
                .issuer(id)
                .subject(id)
                .claim("aud", BASE)
                .id(UUID.randomUUID().toString())
                .expiration(Date.from(CLOCK.instant().plus(Duration.ofMinutes(5))))
                .signWith(KEY.getPrivate(), Jwts.SIG.ES256)
                .compact();
        return Map.of("client_assertion_type", ClientAssertions.TYPE, "client_assertion", assertion);
    }

    private static Map<String, String> secret(Got client) {
        return Map.of("client_secret", client.at("/client_secret"));
    }

    private static Got token(Map<String, String> form, String... headers) {
        var body = AuthorizationServerFixture.encoded(form);
        return AuthorizationServerFixture.form(engine, "/oauth/token", body, headers);
    }

    private static boolean works(Got got) {
        return got.status() == 200 && AuthorizationServerFixture.mcp(engine, got.at("/access_token")) == 200;
    }

    private static Got exchanged(String id, Map<String, String> login, String redirect, String... headers) {
        var query = new LinkedHashMap<>(Map.of("response_type", "code", "client_id", id, "redirect_uri", redirect));
        query.put("code_challenge", Proofs.hash(AuthorizationServerFixture.VERIFIER));
        query.put("code_challenge_method", "S256");
        var decision = Json.object().put("allow", true).put("agent", "Partner " + UUID.randomUUID());
        decision.putArray("capabilities").add("agent:read");
        var page = "/oauth/authorize?" + AuthorizationServerFixture.encoded(query);
        var decided = browser.change("POST", page, Json.text(decision));
        if (decided.status() != 200) {
            return decided;
        }
        var form = new LinkedHashMap<>(login);
        form.putAll(Map.of("grant_type", "authorization_code", "client_id", id, "redirect_uri", redirect));
        form.put(
                "code",
                AuthorizationServerFixture.parameters(decided.at("/location")).get("code"));
        form.put("code_verifier", AuthorizationServerFixture.VERIFIER);
        return token(form, headers);
    }

    private static JwtBuilder assertion(String id) {
        return Jwts.builder()
                .json(TokenJson.WRITER)
                .header()
                .type("oauth-id-jag+jwt")
                .and()
                .issuer(issuer.address())
                .subject("paula")
                .claim("aud", BASE)
                .claim("client_id", id)
                .claim("resource", BASE + "/mcp")
                .id(UUID.randomUUID().toString())
                .issuedAt(Date.from(CLOCK.instant()))
                .expiration(Date.from(CLOCK.instant().plus(Duration.ofMinutes(5))));
    }

    private static Got asserted(String id, UnaryOperator<JwtBuilder> change, String... headers) {
        var form = new LinkedHashMap<>(signed(id));
        form.put("grant_type", BEARER);
        form.put("client_id", id);
        form.put("assertion", issuer.signed(change.apply(assertion(id))));
        return token(form, headers);
    }

    private static boolean isRefused(Got got) {
        return got.status() >= 400 && got.status() < 500 && !got.json().has("access_token");
    }

    private static boolean supportsMtls() {
        return metadata("oauth-authorization-server")
                .path("token_endpoint_auth_methods_supported")
                .toString()
                .contains("tls_client_auth");
    }

    private static final class Matrix {
        private final StringBuilder text = new StringBuilder();

        private void table(String title, String role) {
            text.append("\n### %s: the engine as %s\n\n| feature | supported |\n|---|---|\n".formatted(title, role));
        }

        private void row(String feature, boolean isSupported, String otherwise) {
            text.append("| %s | %s |\n".formatted(feature, isSupported ? "yes" : "no: " + otherwise));
        }

        private void row(String feature, boolean isSupported) {
            assertThat(isSupported).as(feature).isTrue();
            row(feature, true, "");
        }
    }

    @Test
    void theMatricesAreFilledIn() {
        var matrix = new Matrix();
        oauth(matrix);
        documents(matrix);
        enterprise(matrix);
        possession(matrix);
        Golden.checkPart(Repository.file("docs/dev/conformance.md"), "interop", INTRODUCTION + matrix.text);
    }

    private static final String INTRODUCTION = """

            The AI Identity Management Community Group of the OpenID Foundation holds an interoperability event for MCP security, whose results are due
            at the Gartner IAM Summit of December 2026 ("MCP-Based AI Agent Security with Open Identity Standards"). Its plan was not at hand: these are
            the rows of its matrices as participants published them between 2026-07-20 and 2026-08-07, for the roles that the engine has.
            `InteropMatrixTest` fills them in with requests to the engine, without another participant:
            `./engine test -Dtest=InteropMatrixTest -Dsurefire.failIfNoSpecifiedTests=false -Dgolden=update`.
            """;

    private static void oauth(Matrix matrix) {
        matrix.table("OAuth", "MCP server");
        var resource = metadata("oauth-protected-resource/mcp");
        matrix.row(
                "OAuth Protected Resource Metadata",
                resource.path("resource").asString("").equals(BASE + "/mcp")
                        && resource.path("authorization_servers").toString().equals("[\"" + BASE + "\"]"));
        var challenge = Browser.send(engine.url(), "POST", "/mcp", "{}").header("WWW-Authenticate");
        matrix.row(
                "`scope` in `WWW-Authenticate`",
                challenge.matches("Bearer .*resource_metadata=.*scope=\"agent:read .*"));
    }

    private static void documents(Matrix matrix) {
        matrix.table("Client ID Metadata Documents (CIMD)", "authorization server");
        var confidential = registered("client_secret_post");
        var open = described(one -> one);
        var inline = keyed();
        var elsewhere = keyedElsewhere();
        matrix.row("client id metadata: pre-registered client", confidential.status() == 201);
        matrix.row(
                "client id metadata: `redirect_uris`",
                works(exchanged(open, Map.of(), BACK))
                        && isRefused(exchanged(open, Map.of(), "https://evil.example/callback")));
        matrix.row(
                "client id metadata: `jwks_uri`",
                works(exchanged(elsewhere, signed(elsewhere), BACK))
                        && isRefused(exchanged(elsewhere, Map.of(), BACK)));
        matrix.row("client id metadata: `jwks`", works(exchanged(inline, signed(inline), BACK)));
        matrix.row(
                "authorization code with PKCE: client secret",
                works(exchanged(confidential.at("/client_id"), secret(confidential), BACK)));
        matrix.row("authorization code with PKCE: JWT", works(exchanged(inline, signed(inline), BACK)));
        matrix.row("authorization code with PKCE: MTLS", supportsMtls(), "the engine sees no client certificates");
        var form =
                Map.of("grant_type", "client_credentials", "client_id", robot.substring(3, 15), "client_secret", robot);
        matrix.row("client credentials: client secret (an API key of an agent)", works(token(form)));
        var byKey = new LinkedHashMap<>(signed(inline));
        byKey.putAll(Map.of("grant_type", "client_credentials", "client_id", inline));
        matrix.row(
                "client credentials: JWT",
                works(token(byKey)),
                "a document names no tenant, user or agent; programs have an API key");
        matrix.row("client credentials: MTLS", supportsMtls(), "the engine sees no client certificates");
    }

    private static void enterprise(Matrix matrix) {
        matrix.table("Enterprise-Managed Authorization (EMA)", "authorization server of the resource");
        var id = keyed();
        matrix.row(
                "valid ID-JAG",
                works(asserted(id, one -> one))
                        && isRefused(asserted(id, one -> one.claim("aud", "https://evil.example")))
                        && isRefused(asserted(id, one -> one.issuer("https://evil.example")))
                        && isRefused(asserted(id, one -> one.claim("client_id", "https://evil.example/client.json")))
                        && isRefused(
                                asserted(id, one -> one.header().type("JWT").and())));
        var narrow = asserted(id, one -> one.claim("resource", BASE + "/mcp/x/work"));
        matrix.row(
                "`resource`",
                narrow.at("/resource").equals(BASE + "/mcp/x/work")
                        && !works(narrow)
                        && isRefused(asserted(id, one -> one.claim("resource", "https://evil.example/mcp"))));
        var named = Map.of("format", "iss_sub", "iss", issuer.address(), "sub", "paula");
        matrix.row(
                "`sub_id`",
                works(asserted(id, one -> one.subject(null).claim("sub_id", named)))
                        && isRefused(asserted(id, one -> one.subject("eve").claim("sub_id", named))));
        var scoped = asserted(id, one -> one.claim("scope", "agent:read"));
        matrix.row("`scope`", scoped.at("/scope").equals("agent:read"));
    }

    /** Not a matrix of the event, but what its participants also exchange. */
    private static void possession(Matrix matrix) {
        matrix.table("DPoP (RFC 9449; SEP-1932 of MCP is a draft)", "authorization server and MCP server");
        var address = BASE + "/oauth/token";
        var now = CLOCK.instant();
        var open = described(one -> one);
        UnaryOperator<JwtBuilder> plain = one -> one;
        matrix.row(
                "`dpop_signing_alg_values_supported`",
                metadata("oauth-authorization-server")
                                .path("dpop_signing_alg_values_supported")
                                .toString()
                                .contains("ES256")
                        && metadata("oauth-protected-resource/mcp")
                                .path("dpop_signing_alg_values_supported")
                                .toString()
                                .contains("ES256"));
        var bound = exchanged(open, Map.of(), BACK, "DPoP", proof("POST", address, plain));
        var token = bound.at("/access_token");
        UnaryOperator<JwtBuilder> hash = one -> one.claim("ath", Proofs.hash(token));
        matrix.row("bound token at the token endpoint", bound.at("/token_type").equals("DPoP"));
        var proof = proof("POST", BASE + "/mcp", hash);
        matrix.row("proof at the MCP endpoint", called(token, proof) == 200);
        matrix.row("replay of a proof is refused", called(token, proof) == 401);
        matrix.row("bound token as `Bearer` is refused", AuthorizationServerFixture.mcp(engine, token) == 401);
        UnaryOperator<JwtBuilder> old = one -> hash.apply(one).issuedAt(Date.from(now.minusSeconds(400)));
        var late = sent(token, proof("POST", BASE + "/mcp", old));
        var nonce = late.header("DPoP-Nonce");
        matrix.row(
                "`iat` more than 5 minutes off needs a nonce",
                late.header("WWW-Authenticate").startsWith("DPoP error=\"use_dpop_nonce\"")
                        && called(
                                        token,
                                        proof(
                                                "POST",
                                                BASE + "/mcp",
                                                one -> old.apply(one).claim("nonce", nonce)))
                                == 200);
        var refresh =
                Map.of("grant_type", "refresh_token", "client_id", open, "refresh_token", bound.at("/refresh_token"));
        matrix.row("refresh token of a public client is bound", isRefused(token(refresh)));
        var id = keyed();
        var jag = asserted(
                id,
                one -> one.claim("cnf", Map.of("jkt", Proofs.thumbprint(KEY))),
                "DPoP",
                proof("POST", address, plain));
        matrix.row(
                "ID-JAG that is bound to a key (`cnf`)",
                jag.at("/token_type").equals("DPoP")
                        && isRefused(asserted(id, one -> one.claim("cnf", Map.of("jkt", Proofs.thumbprint(KEY))))));
    }

    private static String proof(String method, String address, UnaryOperator<JwtBuilder> more) {
        return Proofs.signed(more.apply(Proofs.draft(KEY, method, address, CLOCK.instant())), KEY);
    }

    private static int called(String token, String proof) {
        return sent(token, proof).status();
    }

    private static Got sent(String token, String proof) {
        var body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}";
        return Browser.send(engine.url(), "POST", "/mcp", body, "Authorization", "DPoP " + token, "DPoP", proof);
    }
}

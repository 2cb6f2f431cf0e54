package io.agentworkspace.engine.identity.signin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.identity.credentials.SessionSecret;
import io.agentworkspace.engine.identity.signin.Browser.Got;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.Golden;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestClock;
import io.agentworkspace.engine.testing.TestTenant;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.node.ObjectNode;

/**
 * The requests of widespread clients, in their order, as their makers document them or as others captured them (November 2026). Each
 * connects, renews its token from two addresses at once, survives a restart, and learns that its access was revoked.
 */
class ConnectorsTest {
    private static final TestClock CLOCK = new TestClock();
    private static final String VERIFIER = AuthorizationServerFixture.VERIFIER;

    /** At the root of a host, and below a path, which the proxy passes on. */
    private static final List<String> BASES = List.of("https://engine.example", "https://engine.example/engine");

    private static TestTenant tenant;
    private static String key;

    /** An engine with two replicas, and how its paths begin. */
    private record Site(String base, String prefix, Replica one, Replica two) implements AutoCloseable {
        static Site start(String base) {
            return new Site(base, URI.create(base).getRawPath(), replica(base), replica(base));
        }

        private static Replica replica(String base) {
            return Replica.start(Map.of("ENGINE_BASE_URL", base, "ENGINE_STRANGER_LIMIT", "off"), CLOCK);
        }

        /** Returns the same site after a restart, which nothing is left of but the database. */
        Site restarted() {
            var anew = replica(base);
            return new Site(base, prefix, anew, anew);
        }

        Got send(Replica at, String method, String url, String body, String... headers) {
            var uri = URI.create(url);
            assertThat(url).startsWith("https://engine.example/");
            var query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
            return Browser.send(at.url(), method, uri.getRawPath() + query, body, headers);
        }

        Got form(Replica at, String url, Map<String, String> form, String... headers) {
            return AuthorizationServerFixture.form(
                    at, URI.create(url).getRawPath(), AuthorizationServerFixture.encoded(form), headers);
        }

        @Override
        public void close() {
            one.close();
            two.close();
        }
    }

    private static List<Site> sites;

    @BeforeAll
    static void start() {
        tenant = new TestTenant();
        key = tenant.key(ClientApi.REST, "maria", Role.MEMBER, List.of("*"));
        sites = BASES.stream().map(Site::start).toList();
    }

    @AfterAll
    static void stop() {
        sites.forEach(Site::close);
    }

    /**
     * A client.
     *
     * @param path of the MCP endpoint that the user entered
     * @param probe the method of its first request
     * @param readsChallenge whether it takes the address of the metadata from the challenge; else it tries the well-known ones
     * @param isStrict whether it accepts only metadata of the very address that it calls
     * @param id of its metadata document; empty if it registers
     * @param registration what it registers with
     * @param redirect where the browser is sent back to
     * @param scope what it asks for; {@code *} for all that the metadata list, empty for nothing
     */
    private record Connector(
            String name,
            String path,
            String probe,
            boolean readsChallenge,
            boolean isStrict,
            String id,
            String registration,
            String redirect,
            String scope) {
        @Override
        public String toString() {
            return name + " at " + path;
        }
    }

    private static final String VS_CODE = """
            {"client_name":"Visual Studio Code","client_uri":"https://code.visualstudio.com",
             "grant_types":["authorization_code","refresh_token","urn:ietf:params:oauth:grant-type:device_code"],"response_types":["code"],
             "redirect_uris":["https://insiders.vscode.dev/redirect","https://vscode.dev/redirect","http://127.0.0.1/","http://127.0.0.1:33418/"],
             "token_endpoint_auth_method":"none","application_type":"native"}""";
    private static final String CURSOR = """
            {"client_name":"Cursor","grant_types":["authorization_code","refresh_token"],"response_types":["code"],
             "redirect_uris":["http://localhost:8787/callback","https://www.cursor.com/agents/mcp/oauth/callback","cursor://anysphere.cursor-mcp/oauth/callback"],
             "token_endpoint_auth_method":"none"}""";
    private static final String REMOTE = """
            {"client_name":"MCP CLI Proxy","client_uri":"https://github.com/modelcontextprotocol/mcp-cli",
             "redirect_uris":["http://localhost:3334/oauth/callback"],"token_endpoint_auth_method":"none",
             "grant_types":["authorization_code","refresh_token"],"response_types":["code"],"software_id":"2e6dc280-f3c3-4e01-99a7-8181dbd1d23d","software_version":"0.1.38"}""";

    private static Stream<Connector> connectors() {
        var claude = "https://claude.ai/api/mcp/auth_callback";
        return Stream.of(
                new Connector(
                        "claude.ai",
                        "/mcp",
                        "HEAD",
                        true,
                        false,
                        "https://claude.ai/oauth/mcp-oauth-client-metadata",
                        "",
                        claude,
                        "claudeai"),
                new Connector("claude.ai, registered", "/mcp/", "POST", false, false, "", """
                        {"client_name":"Claude","redirect_uris":["https://claude.ai/api/mcp/auth_callback"],"grant_types":["authorization_code","refresh_token"],
                         "response_types":["code"],"token_endpoint_auth_method":"client_secret_post","scope":"claudeai"}""", claude, "claudeai"),
                new Connector(
                        "ChatGPT",
                        "/mcp",
                        "POST",
                        true,
                        false,
                        "https://chatgpt.com/oauth/client.json",
                        "",
                        "https://chatgpt.com/connector_platform_oauth_redirect",
                        "*"),
                new Connector(
                        "ChatGPT, registered",
                        "/mcp/x/work",
                        "POST",
                        false,
                        true,
                        "",
                        """
                        {"client_name":"ChatGPT","redirect_uris":["https://chatgpt.com/connector/oauth/4f1a"],"grant_types":["authorization_code","refresh_token"],
                         "response_types":["code"],"token_endpoint_auth_method":"client_secret_basic"}""",
                        "https://chatgpt.com/connector/oauth/4f1a",
                        "*"),
                new Connector(
                        "Claude Desktop, with mcp-remote",
                        "/mcp",
                        "POST",
                        true,
                        false,
                        "",
                        REMOTE,
                        "http://localhost:3334/oauth/callback",
                        ""),
                new Connector(
                        "Claude Code",
                        "/mcp/x/work",
                        "POST",
                        true,
                        false,
                        "https://claude.ai/oauth/claude-code-client-metadata",
                        "",
                        "http://localhost:3118/callback",
                        ""),
                new Connector(
                        "VS Code",
                        "/mcp/x/work",
                        "POST",
                        true,
                        true,
                        "https://vscode.dev/oauth/client-metadata.json",
                        "",
                        "http://127.0.0.1:33418/",
                        "*"),
                new Connector(
                        "VS Code, registered",
                        "/mcp/",
                        "POST",
                        true,
                        true,
                        "",
                        VS_CODE,
                        "http://127.0.0.1:59656/",
                        "*"),
                new Connector(
                        "Cursor", "/mcp", "POST", false, false, "", CURSOR, "http://localhost:8787/callback", "*"),
                new Connector(
                        "Cursor in the cloud",
                        "/mcp/x/work/",
                        "POST",
                        true,
                        true,
                        "",
                        CURSOR,
                        "https://www.cursor.com/agents/mcp/oauth/callback",
                        "*"),
                new Connector(
                        "Codex",
                        "/mcp",
                        "POST",
                        true,
                        false,
                        "https://chatgpt.com/oauth/codex/client.json",
                        "",
                        "http://127.0.0.1:5000/callback",
                        ""));
    }

    static Stream<Arguments> cases() {
        return BASES.stream()
                .flatMap(base -> connectors().map(connector -> Arguments.of(BASES.indexOf(base), connector)));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void itConnectsStaysAndLearnsThatItsAccessHasEnded(int index, Connector connector) {
        CLOCK.advance(Duration.ofSeconds(2)); // Registrations are limited by address.
        var site = sites.get(index);
        var mcp = site.base() + connector.path();
        var resource = discovered(site, connector, mcp);
        var server = server(site, resource.path("authorization_servers").get(0).asString(""));
        var client = client(site, connector, server);
        var named = resource.path("resource").asString("");
        var code = code(site, connector, server, client, resource, named);

        var form = login(client);
        form.putAll(Map.of("grant_type", "authorization_code", "code", code, "redirect_uri", connector.redirect()));
        form.putAll(Map.of("code_verifier", VERIFIER, "resource", named));
        var endpoint = server.path("token_endpoint").asString("");
        var got = site.form(site.one(), endpoint, form, basic(client));
        assertThat(got.status()).as(got.toString()).isEqualTo(200);
        assertThat(got.json().path("expires_in").asLong()).isEqualTo(3600);
        assertWorks(site, mcp, got);

        var renewed = refreshedFromTwoAddresses(site, client, endpoint, named, got);
        assertWorks(site, mcp, renewed);
        try (var restarted = site.restarted()) {
            assertWorks(restarted, mcp, renewed);
            renewed = refreshed(restarted, restarted.one(), client, endpoint, "", renewed);
        }
        CLOCK.advance(Duration.ofMinutes(61));
        var expired = call(site, site.two(), mcp, renewed);
        assertChallenge(expired, mcp, "error=\"invalid_token\"");
        var last = refreshed(site, site.two(), client, endpoint, named, renewed);
        assertWorks(site, mcp, last);

        var revocation = login(client);
        revocation.put("token", last.at("/refresh_token"));
        var address = server.path("revocation_endpoint").asString("");
        assertThat(site.form(site.one(), address, revocation, basic(client)).status())
                .isEqualTo(200);
        for (var at : List.of(site.one(), site.two())) {
            await().until(() -> call(site, at, mcp, last).status() == 401);
        }
        var refused = call(site, site.one(), mcp, last);
        assertChallenge(refused, mcp, "error=\"invalid_token\"");
        var dead = login(client);
        dead.putAll(Map.of("grant_type", "refresh_token", "refresh_token", last.at("/refresh_token")));
        var ended = site.form(site.two(), endpoint, dead, basic(client));
        assertThat(ended.status()).isEqualTo(400);
        assertThat(ended.at("/error")).isEqualTo("invalid_grant");
        assertThat(discovered(site, connector, mcp)).as("it can begin again").isEqualTo(resource);
    }

    @Test
    void theClientsAreListed() {
        var page = new StringBuilder("""

                `ConnectorsTest` sends the requests of these clients in their order, as their makers document them or others captured
                them, looked up in November 2026. The clients themselves were not run, since most of them run on the internet. Each row runs at
                the root of a host and below a path: metadata, registration or metadata document, PKCE, a refresh from two addresses at once and
                once more after 50 seconds, a restart of the engine, an expired token, and the challenge after revocation.

                | client | MCP path | identifies itself with | redirect URI |
                |---|---|---|---|
                """);
        connectors()
                .forEach(one -> page.append("| %s | `%s` | %s | `%s` |\n"
                        .formatted(
                                one.name(),
                                one.path(),
                                one.id().isEmpty() ? "a registration" : "`" + one.id() + "`",
                                one.redirect())));
        Golden.checkPart(Repository.file("docs/dev/conformance.md"), "connectors", page.toString());
    }

    /** Returns the metadata of the resource, found as the client finds them. */
    private static ObjectNode discovered(Site site, Connector connector, String mcp) {
        var body = connector.probe().equals("POST") ? """
                {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}""" : "";
        var probe =
                site.send(site.one(), connector.probe(), mcp, body, "Accept", "application/json, text/event-stream");
        assertThat(probe.status()).isEqualTo(401);
        var inserted = "https://engine.example/.well-known/oauth-protected-resource"
                + URI.create(mcp).getRawPath();
        var root = "https://engine.example/.well-known/oauth-protected-resource";
        var places = connector.readsChallenge() ? List.of(metadata(probe)) : List.of(inserted, root);
        for (var place : places) {
            var got = site.send(
                    site.two(), "GET", place, "", "Accept", "application/json", "MCP-Protocol-Version", "2025-11-25");
            if (got.status() == 200) {
                var resource = got.at("/resource");
                assertThat(mcp).startsWith(resource);
                if (connector.isStrict()) {
                    assertThat(resource).isEqualTo(mcp);
                }
                return got.json();
            }
            assertThat(got.status()).as(place).isEqualTo(404);
        }
        throw new AssertionError("no metadata at " + places);
    }

    private static String metadata(Got refused) {
        var challenge = refused.header("WWW-Authenticate");
        assertThat(challenge).startsWith("Bearer ");
        return challenge.replaceFirst(".*resource_metadata=\"([^\"]+)\".*", "$1");
    }

    private static void assertChallenge(Got refused, String mcp, String error) {
        assertThat(refused.status()).as(refused.toString()).isEqualTo(401);
        assertThat(refused.header("WWW-Authenticate")).contains(error);
        var path = URI.create(mcp).getRawPath();
        assertThat(metadata(refused)).startsWith("https://engine.example").endsWith(path.replace("/engine", ""));
    }

    /** Clients insert the well-known path before that of the issuer, or add it after it; those that are not found lead to the next. */
    private static ObjectNode server(Site site, String issuer) {
        assertThat(issuer).isEqualTo(site.base());
        ObjectNode first = null;
        for (var place : List.of(
                "https://engine.example/.well-known/oauth-authorization-server" + site.prefix(),
                "https://engine.example/.well-known/openid-configuration" + site.prefix(),
                issuer + "/.well-known/openid-configuration")) {
            var got = site.send(site.one(), "GET", place, "", "Accept", "application/json");
            assertThat(got.status()).as(place).isEqualTo(200);
            assertThat(got.at("/issuer")).isEqualTo(issuer);
            assertThat(got.json().path("code_challenge_methods_supported").toString())
                    .contains("S256");
            assertThat(got.json()
                            .path("authorization_response_iss_parameter_supported")
                            .asBoolean())
                    .isTrue();
            first = first == null ? got.json() : first;
        }
        return first;
    }

    /** Returns the client's registration, or what stands for it. */
    private static ObjectNode client(Site site, Connector connector, ObjectNode server) {
        if (!connector.id().isEmpty()) {
            assertThat(server.path("client_id_metadata_document_supported").asBoolean())
                    .isTrue();
            return Json.object().put("client_id", connector.id());
        }
        var address = server.path("registration_endpoint").asString("");
        var got = site.send(site.one(), "POST", address, connector.registration());
        assertThat(got.status()).as(got.toString()).isEqualTo(201);
        return got.json();
    }

    private static Map<String, String> login(ObjectNode client) {
        var form = new LinkedHashMap<String, String>();
        var isBasic = client.path("token_endpoint_auth_method").asString("").equals("client_secret_basic");
        if (!isBasic) {
            form.put("client_id", client.path("client_id").asString(""));
        }
        if (!isBasic && client.has("client_secret")) {
            form.put("client_secret", client.path("client_secret").asString(""));
        }
        return form;
    }

    private static String[] basic(ObjectNode client) {
        if (!client.path("token_endpoint_auth_method").asString("").equals("client_secret_basic")) {
            return new String[0];
        }
        var pair = client.path("client_id").asString("") + ":"
                + client.path("client_secret").asString("");
        var encoded = java.util.Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
        return new String[] {"Authorization", "Basic " + encoded};
    }

    private static String code(
            Site site, Connector connector, ObjectNode server, ObjectNode client, ObjectNode resource, String named) {
        var query = new LinkedHashMap<String, String>();
        query.put("response_type", "code");
        query.put("client_id", client.path("client_id").asString(""));
        query.put("redirect_uri", connector.redirect());
        query.put("code_challenge", Proofs.hash(VERIFIER));
        query.put("code_challenge_method", "S256");
        query.put("state", UUID.randomUUID().toString());
        query.put("resource", named);
        if (!connector.scope().isEmpty()) {
            query.put(
                    "scope",
                    connector.scope().equals("*")
                            ? String.join(
                                    " ",
                                    resource.path("scopes_supported")
                                            .valueStream()
                                            .map(one -> one.asString(""))
                                            .toList())
                            : connector.scope());
        }
        var page = server.path("authorization_endpoint").asString("") + "?" + AuthorizationServerFixture.encoded(query);
        var session = Browser.begin(site.one().url() + site.prefix(), key);
        // Below a path, a cookie cannot be for the whole host.
        var name =
                site.prefix().isEmpty() ? SessionSecret.COOKIE : SessionSecret.COOKIE.replace("__Host-", "__Secure-");
        var cookie = name + "=" + session.cookie();
        assertThat(site.send(site.two(), "GET", page, "").status()).isEqualTo(200);
        var question =
                site.send(site.one(), "GET", page.replace("/oauth/authorize", "/oauth/question"), "", "Cookie", cookie);
        var decision = Json.object().put("allow", true).put("agent", "Connector " + UUID.randomUUID());
        question.json()
                .path("capabilities")
                .valueStream()
                .filter(one -> one.path("requested").asBoolean())
                .forEach(one -> decision.withArray("/capabilities").add(one.path("name")));
        var decided = site.send(
                site.one(),
                "POST",
                page,
                Json.text(decision),
                "Cookie",
                cookie,
                "X-CSRF-Token",
                session.at("/csrf_token"),
                "Sec-Fetch-Site",
                "same-origin");
        var back = decided.at("/location");
        assertThat(back).as(decided.toString()).startsWith(connector.redirect() + "?");
        var outcome = AuthorizationServerFixture.parameters(back);
        assertThat(outcome).containsEntry("state", query.get("state")).containsEntry("iss", site.base());
        return outcome.get("code");
    }

    private static Got refreshed(Site site, Replica at, ObjectNode client, String endpoint, String named, Got tokens) {
        var form = login(client);
        form.putAll(Map.of("grant_type", "refresh_token", "refresh_token", tokens.at("/refresh_token")));
        if (!named.isEmpty()) {
            form.put("resource", named);
        }
        var got = site.form(at, endpoint, form, basic(client));
        assertThat(got.status()).as(got.toString()).isEqualTo(200);
        return got;
    }

    /** A client in the cloud has many machines, whose requests overlap. All get tokens, and the one that comes late does, too. */
    private static Got refreshedFromTwoAddresses(
            Site site, ObjectNode client, String endpoint, String named, Got tokens) {
        Callable<Got> here = () -> refreshed(site, site.one(), client, endpoint, named, tokens);
        Callable<Got> there = () -> refreshed(site, site.two(), client, endpoint, "", tokens);
        var got = Concurrently.all(List.of(here, there, here, there));
        CLOCK.advance(Duration.ofSeconds(50));
        var late = refreshed(site, site.two(), client, endpoint, named, tokens);
        got.forEach(one -> assertWorks(site, site.base() + "/mcp/x/work/readonly", one));
        return refreshed(site, site.one(), client, endpoint, named, late);
    }

    private static Got call(Site site, Replica at, String mcp, Got tokens) {
        var body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}";
        return site.send(at, "POST", mcp, body, "Authorization", "Bearer " + tokens.at("/access_token"));
    }

    private static void assertWorks(Site site, String mcp, Got tokens) {
        for (var at : List.of(site.one(), site.two())) {
            var got = call(site, at, mcp, tokens);
            assertThat(got.status()).as(got.toString()).isEqualTo(200);
        }
    }
}

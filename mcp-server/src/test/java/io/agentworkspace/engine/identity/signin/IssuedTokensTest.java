package io.agentworkspace.engine.identity.signin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.identity.credentials.IssuedToken;
import io.agentworkspace.engine.identity.credentials.ProtectedResource;
import io.agentworkspace.engine.identity.signin.Browser.Got;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import io.agentworkspace.engine.testing.WaitingCall;
import io.jsonwebtoken.Jwts;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What access tokens of another issuer allow at the MCP endpoint, and how clients learn which others to get. */
@Tag("slow")
class IssuedTokensTest extends IssuedTokensFixture {
    private static final String METADATA = "/.well-known/oauth-protected-resource/mcp";

    @Test
    void theMetadataIsPublicAndOnlyThereWhereItIsSetUp() {
        for (var path : ProtectedResource.PATHS) {
            var got = Browser.send(engine.url(), "GET", path, "", "Origin", "https://anywhere.example");
            assertThat(got.status()).isEqualTo(200);
            assertThat(got.header("Content-Type")).isEqualTo("application/json");
            assertThat(got.header("Access-Control-Allow-Origin")).isEqualTo("*");
            assertThat(got.at("/resource")).isEqualTo(RESOURCE);
            assertThat(got.at("/authorization_servers/0")).isEqualTo(issuer.address());
            assertThat(got.at("/bearer_methods_supported/0")).isEqualTo("header");
            assertThat(got.at("/resource_name")).isNotEmpty();
            assertThat(got.at("/resource_documentation")).startsWith(MCP);
            assertThat(got.json()
                            .path("scopes_supported")
                            .valueStream()
                            .map(scope -> scope.asString(""))
                            .toList())
                    .isEqualTo(Arrays.stream(Capability.values())
                            .map(Capability::word)
                            .toList());
            assertThat(Browser.send(TestServer.url(), "GET", path, "").at("/authorization_servers/0"))
                    .as("of an engine without a provider")
                    .isEqualTo(TestServer.url());
        }
        assertThat(Browser.send(engine.url(), "GET", "/.well-known/oauth-authorization-server", "")
                        .status())
                .as("the engine's own server, next to a provider")
                .isEqualTo(404);
    }

    /** RFC 9728: clients look for the metadata of the address that they were given, and compare it with the resource. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/x/agent",
                "/x/work",
                "/x/default",
                "/x/discovery",
                "/x/Agent",
                "/readonly",
                "/x/bank/readonly",
                "/x/agent/",
                "/"
            })
    void eachAddressOfTheEndpointHasMetadataOfItsOwn(String path) {
        var got = Browser.send(engine.url(), "GET", METADATA + path, "");
        assertThat(got.status()).isEqualTo(200);
        assertThat(got.at("/resource")).isEqualTo(RESOURCE + path);
        assertThat(got.at("/authorization_servers/0")).isEqualTo(issuer.address());
        var token = issuer.signed(issuer.draft(RESOURCE + path, "ann", "agent:read"));
        assertThat(Browser.send(
                                engine.url(),
                                "POST",
                                "/mcp" + path,
                                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}",
                                "Authorization",
                                "Bearer " + token)
                        .status())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/x/nothing", "/x", "/x/", "/x/agent/more", "/readonly/x/agent", "x", "/x/agent,bank"})
    void otherPathsHaveNone(String path) {
        assertThat(Browser.send(engine.url(), "GET", METADATA + path, "").status())
                .isEqualTo(404);
    }

    @Test
    void onlyWhoCameWithNothingOrATokenIsTold() {
        var nothing = rpc(engine, "", "tools/list", "{}");
        assertThat(nothing.status()).isEqualTo(401);
        assertThat(nothing.header(CHALLENGE))
                .startsWith("Bearer ")
                .contains(PLACE)
                .contains("scope=\"agent:read domain:read ")
                .doesNotContain("write");
        assertThat(Browser.send(engine.url(), "POST", Browser.LIST, "{}").header(CHALLENGE))
                .isEqualTo("Bearer realm=\"engine\"");
        for (var bad : List.of("ek_nobody", "opaque", owner + "x", owner.replaceFirst("....$", "AAAA"))) {
            assertSilent(list(bad));
            assertSilent(rpc(engine, "", "tools/list", "{}", "X-Api-Key", bad));
        }
        assertSilent(rpc(engine, token("ann", ""), "tools/list", "{}", "X-Api-Key", "ek_other"));
        var ours = Jwts.builder().json(TokenJson.WRITER).issuer("https://engine.example");
        assertSilent(list(
                ours.signWith(issuer.key("one").getPrivate(), Jwts.SIG.ES256).compact()));
        assertThat(tools(owner)).contains("US_Create");
    }

    private static void assertSilent(Got got) {
        assertThat(got.status()).as(got.toString()).isBetween(400, 401);
        assertThat(got.headers(CHALLENGE)).isEmpty();
    }

    @Test
    void aTokenAllowsWhatItsScopesSayAtTheMcpDoorOnly() {
        var token = token("ann", "openid agent:read unknown:word");
        assertThat(tools(token)).contains("AP_List", "AP_Read").doesNotContain("AP_Create", "DM_List", "US_Create");
        assertThat(call(token, "AP_List", "{}").at("/result/structuredContent/status/success"))
                .isEqualTo("true");
        for (var path : List.of(Browser.LIST, "/api/agents", "/api/mcp/tools")) {
            var method = path.equals(Browser.LIST) ? "POST" : "GET";
            var elsewhere = Browser.send(
                    engine.url(), method, path, method.equals("POST") ? "{}" : "", "Authorization", "Bearer " + token);
            assertThat(elsewhere.status()).as(path).isEqualTo(401);
            assertThat(elsewhere.headers(CHALLENGE)).isEmpty();
        }
        assertThat(tools(token("ann", ""))).isEmpty();
        assertThat(tools(issuer.signed(issuer.draft(MCP, "ann", "agent:read")))).contains("AP_List");
        assertThat(tools(issuer.signed(
                        issuer.draft(RESOURCE, "ann", "").claim("scope", null).claim("scp", List.of("agent:read")))))
                .contains("AP_List");
        assertThat(issuer.askedForOther()).as("the token is not sent anywhere").isZero();
    }

    @Test
    void itWorksForTheAgentsOfA2a() {
        var ask = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ListTasks\"}";
        for (var audience : List.of(RESOURCE, "https://engine.example/a2a")) {
            var token = issuer.signed(issuer.draft(audience, "a2a", "agent:read agent:write"));
            var got = Browser.send(
                    engine.url(), "POST", "/a2a", ask, "Authorization", "Bearer " + token, "A2A-Version", "1.0");
            assertThat(got.status()).as(audience + got).isEqualTo(200);
        }
        var expired = issuer.draft(RESOURCE, "a2a", "agent:read").expiration(Date.from(Instant.EPOCH));
        for (var wrong : List.of(issuer.draft("https://other.example", "a2a", "agent:read"), expired)) {
            var refused =
                    Browser.send(engine.url(), "POST", "/a2a", ask, "Authorization", "Bearer " + issuer.signed(wrong));
            assertThat(refused.status()).isEqualTo(401);
            assertThat(refused.header(CHALLENGE)).contains("invalid_token", "https://engine.example/.well-known");
        }
    }

    @Test
    void theRoleIsTheLimitWhateverTheScopesSay() {
        var token = token("ann", "*");
        assertThat(tools(token)).contains("AP_Create").doesNotContain("US_Create");
        for (var scopes : List.of("*", "agent:read")) {
            var refused = call(token("ann", scopes), "US_Create", "{'vx':{'name':'x'}}");
            assertThat(refused.status()).isEqualTo(200);
            assertThat(refused.headers(CHALLENGE)).isEmpty();
            assertThat(refused.at("/result/structuredContent/status/error")).isEqualTo("not_permitted");
            assertThat(refused.at("/result/structuredContent/status/note"))
                    .as("another token would not help")
                    .contains("your role is 'member'", "US_Update")
                    .doesNotContain("access token");
        }
    }

    @Test
    void aScopeThatIsMissingIsAskedForInEveryLane() {
        var token = token("ann", "agent:read bank:read");
        var create = "{'name':'AP_Create','arguments':{'vx':{'name':'Never','description':'d'}}}";
        assertStepUp(rpc(engine, token, "tools/call", create));
        assertStepUp(rpc(engine, token, "tools/call", create, "Accept", "application/json, text/event-stream"));
        var handshake = rpc(engine, token, "initialize", """
                {'protocolVersion':'2025-11-25','capabilities':{},'clientInfo':{'name':'t','version':'1'}}""");
        var session = handshake.header("Mcp-Session-Id");
        assertStepUp(rpc(engine, token, "tools/call", create, "Mcp-Session-Id", session));
        var modern = create.replaceFirst(
                "\\{",
                "{'_meta':{'io.modelcontextprotocol/protocolVersion':'2026-07-28',"
                        + "'io.modelcontextprotocol/clientCapabilities':{}},");
        assertStepUp(rpc(
                engine,
                token,
                "tools/call",
                modern,
                "MCP-Protocol-Version",
                "2026-07-28",
                "Mcp-Method",
                "tools/call",
                "Mcp-Name",
                "AP_Create"));
        var run = "{'name':'run_tool','arguments':%s}".formatted(create);
        assertStepUp(rpc(engine, token, "tools/call", run, "X-MCP-Toolsets", "discovery"));
        var more = token("ann", "agent:read bank:read agent:write");
        var done = rpc(engine, more, "tools/call", create, "Mcp-Session-Id", session);
        assertThat(done.at("/result/structuredContent/status/success"))
                .as("the session continues with the client's next token")
                .isEqualTo("true");
    }

    @Test
    void theScopeToReadIsEnoughForWhatOnlyReads() {
        var report = "{'target':{'bank':'none'}}";
        var set = "{'target':{'bank':'none','agent':'a'},'vx':{'access':'read'}}";
        var reader = token("ann", "bank:read");
        assertThat(call(reader, "MB_Permissions", report).at("/result/structuredContent/status/error"))
                .isEqualTo("not_found");
        assertThat(call(reader, "MB_Permissions", set).header(CHALLENGE)).contains("scope=\"bank:read bank:write\"");
        assertThat(call(token("ann", "agent:read"), "MB_Permissions", report).header(CHALLENGE))
                .contains("'bank:read'")
                .doesNotContain("bank:write");
        var writer = token("ann", "bank:write");
        assertThat(call(writer, "MB_Permissions", report).at("/result/structuredContent/status/error"))
                .isEqualTo("not_found");
    }

    private static void assertStepUp(Got got) {
        assertThat(got.status()).as(got.toString()).isEqualTo(403);
        var challenge = got.header(CHALLENGE);
        assertThat(challenge)
                .startsWith("Bearer error=\"insufficient_scope\", ")
                .contains(PLACE);
        var scopes = challenge.replaceFirst(".*scope=\"([^\"]*)\".*", "$1").split(" ");
        assertThat(scopes).containsExactlyInAnyOrder("agent:read", "bank:read", "agent:write");
        assertThat(challenge).contains("error_description=\"your access token lacks the scope 'agent:write'");
        assertThat(got.at("/id")).isEqualTo("its id");
        assertThat(got.at("/error/data/error")).isEqualTo("not_permitted");
    }

    @Test
    void aKeyThatLacksACapabilityKeepsItsOrdinaryResult() {
        var key = tenant.key(ClientApi.MCP, "narrow", Role.MEMBER, List.of("agent:read"));
        var refused = call(key, "AP_Create", "{'vx':{'name':'x','description':'d'}}");
        assertThat(refused.status()).isEqualTo(200);
        assertThat(refused.headers(CHALLENGE)).isEmpty();
        assertThat(refused.at("/result/structuredContent/status/error")).isEqualTo("not_permitted");
    }

    @Test
    void onlyWhomTheSettingsProvideForGetsIn() {
        var foreign = issuer.signed(issuer.draft(RESOURCE, "eve", "*").claim("email", "eve@evil.example"));
        var refused = list(foreign);
        assertThat(refused.status()).isEqualTo(403);
        assertThat(refused.headers(CHALLENGE))
                .as("another token would not help")
                .isEmpty();
        assertThat(refused.at("/error/data/error")).isEqualTo("not_permitted");
    }

    @Test
    void whoJoinsWithATokenIsInTheAuditOnce() {
        for (var i = 0; i < 2; i++) {
            CLOCK.advance(java.time.Duration.ofSeconds(1));
            assertThat(list(token("newcomer", "agent:read")).status()).isEqualTo(200);
        }
        var audit = Browser.send(engine.url(), "GET", "/api/audit?tool=user.joined", "", "X-Api-Key", owner);
        var entries = audit.json()
                .path("entries")
                .valueStream()
                .filter(entry -> entry.path("user").asString().startsWith("newcomer"))
                .toList();
        assertThat(entries).as(audit.toString()).hasSize(1);
        var entry = entries.getFirst();
        assertThat(entry.path("target_kind").asString()).isEqualTo("user");
        assertThat(entry.path("target").asString()).isEqualTo(entry.path("user").asString());
        assertThat(entry.path("credential").asString()).isEqualTo("oidc");
        assertThat(entry.path("door").asString()).isEqualTo("mcp");
    }

    /** Returns a token of a user with a new, a changed or an unverified address. */
    private static String moved(Object email, boolean isVerified) {
        return issuer.signed(issuer.draft(RESOURCE, "mia", "agent:read")
                .claim("email", email)
                .claim("email_verified", isVerified));
    }

    private static void assertFound(String user, boolean isFound) {
        for (var api : ClientApi.values()) {
            var arguments = Json.object();
            arguments.putObject("target").put("user", user);
            var reply = api.call(engine.url(), owner, "US_Read", arguments);
            if (isFound) {
                assertThat(reply.ok().text("/profile/0/user")).isEqualTo("mia");
            } else {
                reply.refused(3001, user);
            }
        }
    }

    @Test
    void theNewestTokenSaysByWhichAddressItsUserIsFound() {
        assertThat(list(moved("mia@example.org", true)).status()).isEqualTo(200);
        assertFound("MIA@example.org", true);
        var old = moved("old@example.org", true);
        CLOCK.advance(Duration.ofMinutes(1));
        assertThat(list(moved("mia2@example.org", true)).status()).isEqualTo(200);
        assertFound("mia@example.org", false);
        assertFound("mia2@example.org", true);
        assertThat(list(old).status()).isEqualTo(200);
        assertFound("old@example.org", false);
        assertThat(list(moved(null, true)).status()).isEqualTo(200);
        assertFound("mia2@example.org", true);
        assertThat(list(moved("mia2@example.org", false)).status()).isEqualTo(200);
        assertFound("mia2@example.org", false);
    }

    @Test
    void aUserOfAnotherTenantIsNobodyHere() {
        var elsewhere = new TestTenant();
        var store = new SignInStore(TestDatabase.db(), TestDatabase.audit());
        store.join(
                new SignInStore.Identity(elsewhere.id(ClientApi.MCP), issuer.address(), "their user"),
                Name.of("their user"),
                CLOCK.instant(),
                RequestOrigin.withToken(CLOCK)::joined);
        var silent = issuer.draft(RESOURCE, "their user", "*").claim("email", null);
        assertThat(list(issuer.signed(silent)).status()).isEqualTo(403);
        var key = elsewhere.key(ClientApi.MCP, "owner", Role.OWNER, List.of("*"));
        assertThat(call(key, "AP_Create", "{'vx':{'name':'Theirs','description':'d'}}")
                        .status())
                .isEqualTo(200);
        var joined = issuer.signed(issuer.draft(RESOURCE, "their user", "*").claim("email", "t@example.org"));
        assertThat(call(joined, "AP_Read", "{'target':{'agent':'Theirs'}}")
                        .at("/result/structuredContent/status/error"))
                .as("a member of this tenant, and of no other")
                .isEqualTo("not_found");
    }

    @Test
    void changesOfTheUserAreInForceAtOnce() {
        var token = issuer.signed(issuer.draft(RESOURCE, "carl", "*"));
        assertThat(tools(token)).doesNotContain("US_Create");
        assertThat(call(owner, "US_Update", "{'target':{'user':'carl'},'vx':{'access':'admin'}}")
                        .at("/result/structuredContent/status/success"))
                .isEqualTo("true");
        await().untilAsserted(() -> assertThat(tools(token)).contains("US_Create"));
        assertThat(call(owner, "US_Remove", "{'target':{'user':'carl'}}")
                        .at("/result/structuredContent/status/success"))
                .isEqualTo("true");
        await().untilAsserted(() -> assertThat(list(token).status()).isEqualTo(403));
        var removed = list(token("carl", "*"));
        assertThat(removed.status()).isEqualTo(403);
        assertThat(removed.at("/error/data/note")).contains("signing in does not bring it back", "AK_Create");
    }

    @Test
    void workThatWasBegunGoesOnWhileUserAndTokenLast() {
        var watch = TestDatabase.watch();
        try (var http = new ProviderHttp()) {
            var here = tokens(http, new TokenGrantStore(TestDatabase.db(), watch));
            var there = tokens(http, new TokenGrantStore(TestDatabase.db(), watch));
            var caller = here.caller(new IssuedToken(token("dora", "agent:read")));
            assertThat(caller.principal()).matches("oauth:local:[\\w-]{22}");
            assertThat(there.current(caller.principal()))
                    .contains(caller.with(caller.credential().at(null)));
            CLOCK.advance(Duration.ofMinutes(4));
            var next = here.caller(new IssuedToken(token("dora", "agent:read agent:write")));
            assertThat(next.principal()).isEqualTo(caller.principal());
            CLOCK.advance(Duration.ofMinutes(4));
            assertThat(there.current(caller.principal()).orElseThrow().capabilities())
                    .as("the newest token counts")
                    .isEqualTo(Set.of("agent:read", "agent:write"));
            CLOCK.advance(Duration.ofMinutes(1));
            assertThat(there.current(caller.principal())).isEmpty();
            var last = here.caller(new IssuedToken(token("dora", "*"))).principal();
            assertThat(there.current(last)).isPresent();
            TestDatabase.db()
                    .sql("DELETE FROM external_identity WHERE tenant_id = :tenant AND subject = 'dora'")
                    .set("tenant", tenant.id(ClientApi.MCP))
                    .run();
            await().untilAsserted(() -> assertThat(there.current(last)).isEmpty());
            assertThat(here.current("oauth:other:" + "a".repeat(22))).isEmpty();
        } finally {
            watch.close();
        }
    }

    private static IssuedTokens tokens(ProviderHttp http, TokenGrantStore grants) {
        var at = URI.create(issuer.address());
        var provider = new Provider("local", at, "engine", null, tenantName(), Set.of());
        var resource = new ProtectedResource(MCP, at, "https://engine.example");
        var issuer = SignInEndpoint.issuers(List.of(provider), http, CLOCK).getFirst();
        return new IssuedTokens(
                resource, issuer, new SignInStore(TestDatabase.db(), TestDatabase.audit()), grants, CLOCK);
    }

    @Test
    void anIdempotencyKeyHoldsForTheTokensOfOneClient() {
        var arguments = "{'vx':{'name':'Once','description':'d'},'idempotency_key':'k'}";
        var first = call(token("ann", "agent:write"), "AP_Create", arguments);
        assertThat(first.at("/result/structuredContent/status/success")).isEqualTo("true");
        var again = call(token("ann", "agent:read agent:write"), "AP_Create", arguments);
        assertThat(again.header("Idempotency-Replayed")).isEqualTo("true");
    }

    @Test
    void whoseIdentityIsTakenAwayLeavesNoKeyBehind() {
        var token = issuer.signed(issuer.draft(RESOURCE, "gone", "key:write agent:read"));
        assertThat(list(token).status()).isEqualTo(200);
        var got = WaitingCall.by(
                () -> {
                    var db = TestDatabase.db();
                    db.sql("SELECT 1 FROM tenant_plan WHERE tenant_id = :id FOR UPDATE")
                            .set("id", tenant.id(ClientApi.MCP))
                            .one(_ -> true);
                    db.sql("DELETE FROM external_identity WHERE tenant_id = :tenant AND subject = 'gone'")
                            .set("tenant", tenant.id(ClientApi.MCP))
                            .run();
                },
                () -> call(
                        token, "AK_Create", "{'name':'mine','capabilities':['agent:read'],'expires_in_seconds':60}"));
        assertThat(got.at("/result/structuredContent/status/error"))
                .as(got.toString())
                .isEqualTo("unauthenticated");
    }

    @Test
    void aKeyThatATokenMakesIsWorthNoMoreThanTheToken() {
        var token = issuer.signed(issuer.draft(RESOURCE, "ann", "key:write agent:read"));
        var key = "{'name':'mine','capabilities':['%s'],'expires_in_seconds':%d}";
        var error = "/result/structuredContent/status/error";
        assertThat(call(token, "AK_Create", key.formatted("agent:write", 60)).at(error))
                .isEqualTo("not_permitted");
        assertThat(call(token, "AK_Create", key.formatted("agent:read", 86_400)).at(error))
                .isEqualTo("not_permitted");
        assertThat(call(token, "AK_Create", key.formatted("agent:read", 60))
                        .at("/result/structuredContent/status/success"))
                .isEqualTo("true");
    }

    @Test
    void aTokenThatItsIssuerBoundToAKeyNeedsAProofOfIt() {
        var key = Jwts.SIG.ES256.keyPair().build();
        var other = Jwts.SIG.ES256.keyPair().build();
        var draft = issuer.draft(RESOURCE, "bea", "agent:read").claim("cnf", Map.of("jkt", Proofs.thumbprint(key)));
        var token = issuer.signed(draft);
        var body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}";
        for (var proven : List.of(key, other)) {
            var proof = Proofs.draft(proven, "POST", RESOURCE, CLOCK.instant()).claim("ath", Proofs.hash(token));
            var text = Proofs.signed(proof, proven);
            var got = Browser.send(engine.url(), "POST", "/mcp", body, "Authorization", "DPoP " + token, "DPoP", text);
            assertThat(got.status()).as(got.toString()).isEqualTo(proven == key ? 200 : 401);
        }
        var bearer = list(token);
        assertThat(bearer.status()).isEqualTo(401);
        assertThat(bearer.header(CHALLENGE)).startsWith("DPoP error=\"invalid_token\"");
    }
}

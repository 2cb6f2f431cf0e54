package io.agentworkspace.engine.integrations.upstreams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.integrations.upstreams.ScriptedUpstream.Manner;
import io.agentworkspace.engine.mcp.endpoint.RawMcpClient;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Users connect accounts of their own at a server, which its tools are then called with. */
class UpstreamAccountsTest {
    private static final String ECHO = "{'name':'files_echo','arguments':{'message':'hi'}}";
    private static final String INVOKE = "/api/mcp/tools/files_echo/invoke";

    private final TestTenant tenant = new TestTenant();
    private final String rootKey = tenant.key(ClientApi.REST, "root", Role.OWNER, List.of("*"));
    private final String miaKey = tenant.key(ClientApi.REST, "mia", Role.MEMBER, List.of("*"));
    private final TestCaller root = TestCaller.of(ClientApi.REST, rootKey);
    private final AccountProvider provider = new AccountProvider();
    private ScriptedUpstream upstream = new ScriptedUpstream(true, ScriptedUpstream.ECHO);

    @AfterEach
    void close() {
        upstream.close();
        provider.close();
    }

    private static AccountBrowser browser(String key) {
        return AccountBrowser.signIn(TestServer.url(), key);
    }

    private void install(String credential) {
        provider.guard(upstream);
        var made = root.call(
                        "UP_Install",
                        "{'name':'files','url':'%s','credential':{'kind':'user_oauth'%s}}"
                                .formatted(upstream.url(), credential))
                .ok();
        assertThat(made.text("/upstream/last_error"))
                .contains("you have not connected an account", "/console/upstreams/files/connect");
        browser(rootKey).connect("files", provider);
        root.call("UP_Refresh", "{'name':'files'}").ok();
        assertThat(root.call("UP_Approve", "{'name':'files'}")
                        .ok()
                        .at("/approved")
                        .toString())
                .isEqualTo("[\"files_echo\"]");
    }

    private static JsonNode overMcp(String key) {
        return new RawMcpClient(TestServer.url() + "/mcp", key).modern("tools/call", ECHO);
    }

    private static JsonNode overRest(String key) {
        return Json.readObject(ClientApi.post(TestServer.url() + INVOKE, key, "{\"message\":\"hi\"}")
                .body());
    }

    /** Returns what the server got as the credential of the last call of a tool. */
    private String used() {
        var call = upstream.requests.stream()
                .filter(request -> request.path("method").asString("").equals("tools/call"))
                .reduce((_, last) -> last)
                .orElseThrow();
        return upstream.headersOf(call).get("Authorization").getFirst();
    }

    private String connected() {
        return root.call("UP_Read", "{'name':'files'}")
                .ok()
                .at("/upstream/connected")
                .toString();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void eachUserCallsWithTheirOwnAccount(boolean modern) {
        upstream.close();
        upstream = new ScriptedUpstream(modern, ScriptedUpstream.ECHO);
        install("");
        assertThat(overMcp(rootKey).at("/result/content/0/text").asString()).isEqualTo("Echo: hi");
        var ofRoot = used();

        // Mia is asked to connect an account of hers, in an ordinary result.
        var asked = overMcp(miaKey).path("result");
        assertThat(asked.path("isError").asBoolean()).isTrue();
        var page = TestServer.url() + "/console/upstreams/files/connect";
        assertThat(asked.at("/content/0/text").asString()).contains("you have not connected an account", page);
        assertThat(asked.at("/structuredContent/connect_url").asString()).isEqualTo(page);
        assertThat(overRest(miaKey).toString()).contains("you have not connected an account", page);
        assertThat(connected()).isEqualTo("[\"root\"]");

        var browser = browser(miaKey);
        assertThat(browser.read("files").path("connected").asBoolean()).isFalse();
        var leaving = AccountProvider.query(URI.create(browser.leave("files")).getRawQuery());
        assertThat(leaving)
                .containsEntry("response_type", "code")
                .containsEntry("code_challenge_method", "S256")
                .containsEntry("resource", upstream.url())
                .containsEntry("scope", "files")
                .containsEntry("redirect_uri", TestServer.url() + "/oauth/upstreams/files/callback");
        var arrived = browser.arrive(provider.consented(browser.leave("files")));
        assertThat(arrived.statusCode()).isEqualTo(302);
        assertThat(arrived.headers().firstValue("Location")).hasValue(page);
        assertThat(browser.read("files").path("connected").asBoolean()).isTrue();
        assertThat(overRest(miaKey).at("/result/content/0/text").asString()).isEqualTo("Echo: hi");
        assertThat(overMcp(miaKey).at("/result/content/0/text").asString()).isEqualTo("Echo: hi");
        assertThat(used()).startsWith("Bearer access-").isNotEqualTo(ofRoot);
        assertThat(provider.registrations).hasSize(1);
        assertThat(connected()).isEqualTo("[\"mia\",\"root\"]");

        var ended = Json.readObject(
                browser.send("DELETE", AccountBrowser.path("files")).body());
        assertThat(ended.path("revoked").asBoolean()).isTrue();
        assertThat(provider.revoked.getLast()).containsEntry("token_type_hint", "refresh_token");
        assertThat(overMcp(miaKey).toString()).contains("you have not connected an account");
        assertThat(overMcp(rootKey).at("/result/content/0/text").asString()).isEqualTo("Echo: hi");

        // A session of the server's does not go on with another account.
        var sessions = upstream.calls("initialize");
        browser.connect("files", provider);
        await().untilAsserted(() -> {
            assertThat(overMcp(miaKey).at("/result/content/0/text").asString()).isEqualTo("Echo: hi");
            assertThat(upstream.calls("initialize")).isGreaterThanOrEqualTo(modern ? 0 : sessions + 1);
        });
    }

    @Test
    void aTokenThatExpiresIsRenewedOnceByAllReplicasTogether() {
        install("");
        browser(miaKey).connect("files", provider);
        try (var other = TestServer.replica()) {
            age();
            var renewals = provider.forms.size();
            var answers = Concurrently.of(12, number -> {
                var url = number % 2 == 0 ? TestServer.url() : other.url();
                return Json.readObject(ClientApi.post(url + INVOKE, miaKey, "{\"message\":\"hi\"}")
                        .body());
            });
            assertThat(answers)
                    .hasSize(12)
                    .allSatisfy(answer -> assertThat(
                                    answer.at("/result/content/0/text").asString())
                            .as(answer.toString())
                            .isEqualTo("Echo: hi"));
            assertThat(provider.forms).hasSize(renewals + 1);
            assertThat(provider.forms.getLast())
                    .containsEntry("grant_type", "refresh_token")
                    .containsEntry("resource", upstream.url());
            age();
            assertThat(overRest(miaKey).at("/result/content/0/text").asString())
                    .as("with the refresh token that came with the last renewal")
                    .isEqualTo("Echo: hi");
        }
    }

    /** Lets the access tokens of mia expire, as her engine knows and the provider does. */
    private void age() {
        provider.expire();
        TestDatabase.db().sql("""
                UPDATE upstream_account a SET renew_at = now() - interval '1 hour', renewed_at = now() - interval '2 hours'
                 WHERE a.tenant_id = :tenant
                """).set("tenant", tenant.id(ClientApi.REST)).run();
    }

    @Test
    void aTokenThatTheServerRefusesIsRenewedAtOnce() {
        provider.expiresIn = 0;
        install("");
        assertThat(overRest(rootKey).at("/result/content/0/text").asString()).isEqualTo("Echo: hi");
        age();
        TestDatabase.db()
                .sql("UPDATE upstream_account SET renew_at = NULL WHERE tenant_id = :tenant")
                .set("tenant", tenant.id(ClientApi.REST))
                .run();
        assertThat(overRest(rootKey).at("/result/content/0/text").asString()).isEqualTo("Echo: hi");

        // The provider has ended the access: the user has to connect again.
        age();
        provider.end();
        assertThat(overRest(rootKey).toString()).contains("its access has ended", "/console/upstreams/files/connect");
        assertThat(browser(rootKey).read("files").path("connected").asBoolean()).isFalse();
    }

    @Test
    void aProviderThatIsDownEndsNothing() {
        install("");
        age();
        provider.manners.put(
                "/token", exchange -> AccountProvider.send(exchange, 502, "text/html", "<h1>Bad gateway</h1>"));
        assertThat(overRest(rootKey).toString()).contains("token endpoint answered 502");
        provider.manners.clear();
        assertThat(overRest(rootKey).at("/result/content/0/text").asString()).isEqualTo("Echo: hi");
    }

    @Test
    void aTokenWithoutARefreshTokenEndsWithItsTime() {
        provider.hasRefresh = false;
        install("");
        age();
        assertThat(overRest(rootKey).toString()).contains("you have not connected an account");
    }

    @Test
    void aProgramConnectsNothing() {
        install("");
        for (var method : List.of("POST", "DELETE")) {
            var answer =
                    ClientApi.send(HttpRequest.newBuilder(URI.create(TestServer.url() + AccountBrowser.path("files")))
                            .header("X-Api-Key", rootKey)
                            .method(method, HttpRequest.BodyPublishers.noBody())
                            .build());
            assertThat(answer.statusCode()).isEqualTo(403);
            assertThat(new String(answer.body()))
                    .contains("in a browser that is signed in", "/console/upstreams/files/connect");
        }
        var limited = tenant.key(ClientApi.REST, "lea", Role.MEMBER, List.of("agent:read"));
        assertThat(browser(limited).send("POST", AccountBrowser.path("files")).statusCode())
                .as("without the capability upstream:files")
                .isEqualTo(404);
        root.call("UP_Install", "{'name':'plain','url':'%s'}".formatted(upstream.url()))
                .ok();
        var answer = browser(rootKey).send("POST", AccountBrowser.path("plain"));
        assertThat(answer.statusCode()).isEqualTo(409);
        assertThat(new String(answer.body())).contains("of the kind none");
    }

    /** A redirect that another person's browser follows, or another session of the same person, connects nothing. */
    @Test
    void aConnectionReturnsToTheSessionThatBeganItOnce() {
        install("");
        var mia = browser(miaKey);
        var address = provider.consented(mia.leave("files"));
        assertThat(browser(rootKey).arrive(address).statusCode())
                .as("another person")
                .isEqualTo(400);
        assertThat(mia.arrive(address).statusCode()).as("it is taken").isEqualTo(400);
        var second = provider.consented(mia.leave("files"));
        assertThat(browser(miaKey).arrive(second).statusCode())
                .as("another session")
                .isEqualTo(400);
        var third = provider.consented(mia.leave("files"));
        assertThat(mia.arrive(third).statusCode()).isEqualTo(302);
        assertThat(mia.arrive(third).statusCode()).as("twice").isEqualTo(400);
        var stranger = ClientApi.send(HttpRequest.newBuilder(URI.create(third)).build());
        assertThat(stranger.statusCode()).isEqualTo(401);
        var forged = mia.leave("files");
        assertThat(mia.arrive(provider.consented(forged).replaceAll("state=[^&]*", "state=forged"))
                        .statusCode())
                .isEqualTo(400);
        assertThat(mia.arrive(provider.consented(mia.leave("files")) + "&code=another")
                        .statusCode())
                .isEqualTo(400);
    }

    @Test
    void anotherTenantsServerIsAsIfItWereNotThere() {
        install("");
        var stranger = browser(new TestTenant().key(ClientApi.REST, "eve", Role.OWNER, List.of("*")));
        var mia = browser(miaKey);
        var address = provider.consented(mia.leave("files"));
        for (var method : List.of("GET", "POST", "DELETE")) {
            var theirs = stranger.send(method, AccountBrowser.path("files"));
            var missing = stranger.send(method, AccountBrowser.path("filez"));
            assertThat(theirs.statusCode()).isEqualTo(404);
            assertThat(anonymous(theirs.body(), "files")).isEqualTo(anonymous(missing.body(), "filez"));
        }
        assertThat(stranger.arrive(address).statusCode()).isEqualTo(400);
        assertThat(mia.arrive(address).statusCode())
                .as("the stranger took nothing")
                .isEqualTo(302);
    }

    private static String anonymous(byte[] body, String name) {
        return new String(body).replace(name, "#").replaceAll("\"(request_id|instance)\":\"[^\"]*\"", "");
    }

    @Test
    void tokensAreEncryptedAndNowhereElse() {
        install(",'client_id':'given','client_secret':'secret-of-files','audience':'%s'".formatted(provider.url()));
        assertThat(provider.registrations).isEmpty();
        overRest(rootKey);
        var token = used().substring("Bearer ".length());
        var seen = Stream.of(
                        root.call("UP_Read", "{'name':'files'}").toString(),
                        root.call("UP_List").toString(),
                        root.call("AC_Audit").toString(),
                        overRest(rootKey).toString(),
                        browser(rootKey).read("files").toString())
                .toList();
        assertThat(seen)
                .noneMatch(
                        text -> text.contains(token) || text.contains("refresh-") || text.contains("secret-of-files"));
        var stored = TestDatabase.db()
                .sql("SELECT (to_jsonb(a))::text AS row FROM upstream_account a WHERE tenant_id = :tenant")
                .set("tenant", tenant.id(ClientApi.REST))
                .list(row -> row.text("row"));
        assertThat(stored).hasSize(1).noneMatch(text -> text.contains("access-") || text.contains("refresh-"));
        assertThat(root.call("AC_Audit", "{'target':'upstream:files'}").ok().texts("/entries", "tool"))
                .contains("account.connected");
    }

    @Test
    void theAccountsOfARemovedUserAreDeleted() {
        install("");
        browser(miaKey).connect("files", provider);
        assertThat(rows()).isEqualTo(2);
        root.call("US_Remove", "{'target':{'user':'mia'}}").ok();
        assertThat(rows()).isEqualTo(1);
        root.call("UP_Remove", "{'name':'files'}").ok();
        assertThat(rows()).isZero();
    }

    private long rows() {
        return TestDatabase.db()
                .sql("SELECT count(*) AS rows FROM upstream_account WHERE tenant_id = :tenant")
                .set("tenant", tenant.id(ClientApi.REST))
                .one(row -> row.number("rows"))
                .orElseThrow();
    }

    /** Tokens are for the server that the user connected to. */
    @Test
    void aServerAtAnotherAddressGetsNoTokenOfTheFirst() {
        install("");
        var mia = browser(miaKey);
        var address = provider.consented(mia.leave("files"));
        try (var other = new ScriptedUpstream(true, ScriptedUpstream.ECHO)) {
            root.call("UP_Update", "{'name':'files','url':'%s'}".formatted(other.url()))
                    .refused(1003, "credential");
            root.call(
                            "UP_Update",
                            "{'name':'files','url':'%s','credential':{'kind':'user_oauth'}}".formatted(other.url()))
                    .ok();
            assertThat(rows()).isZero();
            assertThat(overRest(rootKey).toString()).contains("you have not connected an account");
            assertThat(other.headers).noneMatch(headers -> headers.containsKey("Authorization"));
            var forms = provider.forms.size();
            assertThat(mia.arrive(address).statusCode()).isEqualTo(400);
            assertThat(provider.forms).hasSize(forms);
        }
    }

    /** A client that opens links is asked to open the page, and then repeats the call. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aClientThatOpensLinksIsAsked(boolean connects) {
        install("");
        var client = new RawMcpClient(TestServer.url() + "/mcp", miaKey);
        var capabilities = "{'elicitation':{'url':{}}}";
        var asked = client.modern("tools/call", ECHO, capabilities).path("result");
        assertThat(asked.path("resultType").asString()).isEqualTo("input_required");
        var question = asked.at("/inputRequests/link");
        assertThat(question.at("/params/mode").asString()).isEqualTo("url");
        assertThat(question.at("/params/url").asString())
                .isEqualTo(TestServer.url() + "/console/upstreams/files/connect");
        assertThat(question.at("/params/message").asString()).contains("'files'");
        if (connects) {
            browser(miaKey).connect("files", provider);
        }
        var again =
                "{'name':'files_echo','arguments':{'message':'hi'},'requestState':'%s','inputResponses':{'link':{'action':'accept'}}}"
                        .formatted(asked.path("requestState").asString());
        var result = client.modern("tools/call", again, capabilities).path("result");
        assertThat(result.path("resultType").asString("complete")).isEqualTo("complete");
        assertThat(result.path("isError").asBoolean(false)).isEqualTo(!connects);
        assertThat(result.at("/content/0/text").asString())
                .contains(connects ? "Echo: hi" : "/console/upstreams/files/connect");
        assertThat(client.modern("tools/call", ECHO, "{'elicitation':{'form':{}}}")
                        .at("/result/isError")
                        .asBoolean(false))
                .isEqualTo(!connects);
    }

    /** In a session the question goes out on the stream of the call, which waits for the answer. */
    @Test
    void aSessionThatOpensLinksIsAskedDuringTheCall() {
        install("");
        var session =
                new RawMcpClient(TestServer.url() + "/mcp", miaKey).session("2025-11-25", "{'elicitation':{'url':{}}}");
        try (var events = session.events("tools/call", ECHO)) {
            var question = events.next("elicitation/create");
            assertThat(question.at("/params/mode").asString()).isEqualTo("url");
            assertThat(question.at("/params/url").asString()).endsWith("/console/upstreams/files/connect");
            assertThat(question.at("/params/elicitationId").asString()).isNotEmpty();
            browser(miaKey).connect("files", provider);
            session.post("{'jsonrpc':'2.0','id':'%s','result':{'action':'accept'}}"
                    .formatted(question.path("id").asString()));
            assertThat(events.next().at("/result/content/0/text").asString()).isEqualTo("Echo: hi");
        }
    }

    @Test
    void aServerThatFailsIsNotTakenForAnAccountThatDoes() {
        install("");
        upstream.manner = Manner.FAILS;
        assertThat(overRest(rootKey).toString()).contains("it answered 500");
        assertThat(browser(rootKey).read("files").path("connected").asBoolean()).isTrue();
    }

    /** An engine at an https address is known by its document, where the authorization server reads documents. */
    @Test
    void theDocumentAboutTheEngineIsItsIdAsAClient() {
        install("");
        provider.metadata.put("client_id_metadata_document_supported", true);
        var published = "https://engine.example.com";
        try (var engine = TestServer.start(Map.of("ENGINE_BASE_URL", published))) {
            var local = "http://127.0.0.1:" + engine.port();
            var path = "/oauth/upstreams/files/client.json";
            var document = Json.readObject(ClientApi.send(
                            HttpRequest.newBuilder(URI.create(local + path)).build())
                    .body());
            assertThat(document.path("client_id").asString()).isEqualTo(published + path);
            assertThat(document.at("/redirect_uris/0").asString())
                    .isEqualTo(published + "/oauth/upstreams/files/callback");
            assertThat(document.path("token_endpoint_auth_method").asString()).isEqualTo("none");
            assertThat(ClientApi.send(HttpRequest.newBuilder(URI.create(local + path.replace("files", "FILES!")))
                                    .build())
                            .statusCode())
                    .isEqualTo(404);

            var browser = AccountBrowser.signIn(local, miaKey);
            var leaving = browser.leave("files");
            assertThat(AccountProvider.query(URI.create(leaving).getRawQuery()))
                    .containsEntry("client_id", published + path)
                    .containsEntry("redirect_uri", published + "/oauth/upstreams/files/callback");
            var arrived = browser.arrive(provider.consented(leaving).replace(published, local));
            assertThat(arrived.statusCode()).as(new String(arrived.body())).isEqualTo(302);
            assertThat(provider.forms.getLast()).containsEntry("client_id", published + path);
            assertThat(provider.registrations).as("that of the other replica").hasSize(1);
        }
    }

    /** The tenant of one user is an upstream server of another's: the engine's own authorization server issues the tokens, and names itself. */
    @Test
    void theEngineIsAClientOfItsOwnAuthorizationServer() {
        var behind = AccountBrowser.signIn(
                TestServer.url(), new TestTenant().key(ClientApi.REST, "zoe", Role.MEMBER, List.of("*")));
        root.call(
                        "UP_Install",
                        "{'name':'eng','url':'%s/mcp','credential':{'kind':'user_oauth'}}".formatted(TestServer.url()))
                .ok();
        var browser = browser(rootKey);
        var decision = behind.decide(
                browser.leave("eng"), "{'allow':true,'agent':'Helper','capabilities':['agent:read','user:read']}");
        var location = decision.path("location").asString();
        assertThat(location).contains("iss=");
        assertThat(browser.arrive(location.replaceAll("iss=[^&]*", "iss=https%3A%2F%2Fexample.com"))
                        .statusCode())
                .isEqualTo(400);
        var second = behind.decide(
                browser.leave("eng"), "{'allow':true,'agent':'Helper','capabilities':['agent:read','user:read']}");
        var arrived = browser.arrive(second.path("location").asString());
        assertThat(arrived.statusCode()).as(new String(arrived.body())).isEqualTo(302);
        root.call("UP_Refresh", "{'name':'eng'}").ok();
        root.call("UP_Approve", "{'name':'eng','tools':['US_Read']}").ok();
        var read = ClientApi.post(TestServer.url() + "/api/mcp/tools/eng_US_Read/invoke", rootKey, "{}");
        assertThat(new String(read.body())).contains("zoe");
        age();
        assertThat(new String(ClientApi.post(TestServer.url() + "/api/mcp/tools/eng_US_Read/invoke", rootKey, "{}")
                        .body()))
                .as("with a renewed token")
                .contains("zoe");
        assertThat(Json.readObject(browser.send("DELETE", AccountBrowser.path("eng"))
                                .body())
                        .path("revoked")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void whatIsGivenAsTheCredentialIsChecked() {
        var install = "{'name':'files','url':'%s','credential':{'kind':'user_oauth',%s}}";
        root.call("UP_Install", install.formatted(upstream.url(), "'client_secret':'s'"))
                .refused(1003, "credential.client_id");
        root.call("UP_Install", install.formatted(upstream.url(), "'token_url':'https://example.com/'"))
                .refused(1004, "leave it out");
        root.call("UP_Install", install.formatted(upstream.url(), "'client_id':'c','client_secret':'s'"))
                .refused(1003, "credential.audience");
        root.call("UP_Install", install.formatted(upstream.url(), "'audience':'https://example.com'"))
                .refused(1003, "credential.client_id");
    }
}

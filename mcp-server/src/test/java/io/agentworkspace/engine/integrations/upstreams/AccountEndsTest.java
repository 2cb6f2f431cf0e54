package io.agentworkspace.engine.integrations.upstreams;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.BusyDatabase;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What keeps the accounts of users, and ends them: changes of the server, failures of the database, leases that run out, lost access. */
class AccountEndsTest {
    private static final String INVOKE = "/api/mcp/tools/files_echo/invoke";

    private final TestTenant tenant = new TestTenant();
    private final String rootKey = tenant.key(ClientApi.REST, "root", Role.OWNER, List.of("*"));
    private final String miaKey = tenant.key(ClientApi.REST, "mia", Role.MEMBER, List.of("*"));
    private final TestCaller root = TestCaller.of(ClientApi.REST, rootKey);
    private final AccountProvider provider = new AccountProvider();
    private final ScriptedUpstream upstream = new ScriptedUpstream(true, ScriptedUpstream.ECHO);

    @AfterEach
    void close() {
        upstream.close();
        provider.close();
    }

    private static AccountBrowser browser(String key) {
        return AccountBrowser.signIn(TestServer.url(), key);
    }

    private void install() {
        provider.guard(upstream);
        root.call(
                        "UP_Install",
                        "{'name':'files','url':'%s','credential':{'kind':'user_oauth'}}".formatted(upstream.url()))
                .ok();
        browser(rootKey).connect("files", provider);
        root.call("UP_Refresh", "{'name':'files'}").ok();
        root.call("UP_Approve", "{'name':'files'}").ok();
    }

    private static JsonNode overRest(String key) {
        return Json.readObject(ClientApi.post(TestServer.url() + INVOKE, key, "{\"message\":\"hi\"}")
                .body());
    }

    /** Lets the access tokens expire, as the engine knows and the provider does. */
    private void age() {
        provider.expire();
        TestDatabase.db()
                .sql("UPDATE upstream_account SET renew_at = now() - interval '1 hour' WHERE tenant_id = :tenant")
                .set("tenant", tenant.id(ClientApi.REST))
                .run();
    }

    private long rows() {
        return TestDatabase.db()
                .sql("SELECT count(*) AS rows FROM upstream_account WHERE tenant_id = :tenant")
                .set("tenant", tenant.id(ClientApi.REST))
                .one(row -> row.number("rows"))
                .orElseThrow();
    }

    /** Who left before an admin replaced the credential does not return with the one before. */
    @Test
    void aConnectionUnderWayEndsWithTheCredential() {
        install();
        var mia = browser(miaKey);
        var address = provider.consented(mia.leave("files"));
        root.call("UP_Update", "{'name':'files','credential':{'kind':'user_oauth','client_id':'another'}}")
                .ok();
        var forms = provider.forms.size();
        var answer = mia.arrive(address);
        assertThat(answer.statusCode()).as(new String(answer.body())).isEqualTo(400);
        assertThat(provider.forms).hasSize(forms);
        assertThat(rows()).isZero();
    }

    /** As if the browser arrived while the admin writes: the row of the connection is there still. */
    @Test
    void aConnectionToAServerThatHasChangedIsRefused() {
        install();
        for (var change : List.of(
                "url = url || '/moved'",
                "created_at = created_at - interval '1 hour'",
                "credential = credential || '{\"client_id\":\"another\"}'")) {
            var mia = browser(miaKey);
            var address = provider.consented(mia.leave("files"));
            change(change);
            var answer = mia.arrive(address);
            assertThat(answer.statusCode())
                    .as(change + new String(answer.body()))
                    .isEqualTo(409);
            change("url = replace(url, '/moved', '')");
        }
        assertThat(rows()).isEqualTo(1);
    }

    /** Writes into the record of the server, past the engine. */
    private void change(String assignments) {
        TestDatabase.db()
                .sql("UPDATE upstream SET revision = revision + 1, %s WHERE tenant_id = :tenant".formatted(assignments))
                .set("tenant", tenant.id(ClientApi.REST))
                .run();
    }

    /** Who writes the database, but has no master key, sends nobody's tokens anywhere. */
    @Test
    void tokensOpenOnlyForTheirUserAndAddress() {
        install();
        browser(miaKey).connect("files", provider);
        try (var other = new ScriptedUpstream(true, ScriptedUpstream.ECHO)) {
            TestDatabase.db()
                    .sql("""
                            WITH moved AS (UPDATE upstream_account SET url = :url WHERE tenant_id = :tenant)
                            UPDATE upstream SET url = :url, revision = revision + 1 WHERE tenant_id = :tenant
                            """)
                    .set("url", other.url())
                    .set("tenant", tenant.id(ClientApi.REST))
                    .run();
            try (var replica = TestServer.replica()) {
                var answer = ClientApi.post(replica.url() + INVOKE, miaKey, "{\"message\":\"hi\"}");
                assertThat(answer.statusCode()).as(new String(answer.body())).isEqualTo(500);
            }
            assertThat(other.headers).noneMatch(headers -> headers.containsKey("Authorization"));
        }
    }

    @Test
    void theTokensOfAnotherUserDoNotOpen() {
        install();
        browser(miaKey).connect("files", provider);
        var calls = upstream.calls("tools/call");
        TestDatabase.db().sql("""
                        UPDATE upstream_account a SET tokens = b.tokens
                          FROM upstream_account b
                         WHERE a.tenant_id = :tenant AND b.tenant_id = :tenant AND a.user_id <> b.user_id
                        """).set("tenant", tenant.id(ClientApi.REST)).run();
        assertThat(ClientApi.post(TestServer.url() + INVOKE, miaKey, "{\"message\":\"hi\"}")
                        .statusCode())
                .isEqualTo(500);
        assertThat(upstream.calls("tools/call")).isEqualTo(calls);
    }

    /** A renewed refresh token is not lost when the database fails for a moment: the one before cannot be used again. */
    @Test
    void whatWasRenewedIsStoredAgainIfTheDatabaseFails() {
        install();
        age();
        var renewals = provider.forms.size();
        BusyDatabase.refusing(
                "upstream_account",
                "NEW.version > OLD.version",
                3,
                () -> assertThat(overRest(rootKey).at("/result/content/0/text").asString())
                        .isEqualTo("Echo: hi"));
        assertThat(provider.forms).hasSize(renewals + 1);
        age();
        assertThat(overRest(rootKey).at("/result/content/0/text").asString()).isEqualTo("Echo: hi");
    }

    /** A replica whose renewal took longer than its lease ends neither the lease nor the account of the one that follows. */
    @Test
    void aRenewalThatTookTooLongEndsNothingOfTheNext() {
        install();
        for (var error : List.of("invalid_grant", "temporarily_unavailable")) {
            age();
            provider.manners.put("/token", exchange -> {
                TestDatabase.db()
                        .sql(
                                "UPDATE upstream_account SET renewing_until = now() + interval '1 minute' WHERE tenant_id = :tenant")
                        .set("tenant", tenant.id(ClientApi.REST))
                        .run();
                AccountProvider.send(exchange, 400, Json.object().put("error", error));
            });
            assertThat(overRest(rootKey).toString()).doesNotContain("Echo: hi");
            assertThat(TestDatabase.db()
                            .sql(
                                    "SELECT count(*) AS rows FROM upstream_account WHERE tenant_id = :tenant AND renewing_until > now()")
                            .set("tenant", tenant.id(ClientApi.REST))
                            .one(row -> row.number("rows")))
                    .as(error)
                    .hasValue(1L);
            provider.manners.clear();
            TestDatabase.db()
                    .sql("UPDATE upstream_account SET renewing_until = now() WHERE tenant_id = :tenant")
                    .set("tenant", tenant.id(ClientApi.REST))
                    .run();
            assertThat(overRest(rootKey).at("/result/content/0/text").asString())
                    .as("the lease is over")
                    .isEqualTo("Echo: hi");
        }
    }

    /** Leases are by the clock of the database: a replica whose clock is ahead does not find them over. */
    @Test
    void aLeaseIsNotOverByTheClockOfAReplica() {
        install();
        age();
        TestDatabase.db()
                .sql(
                        "UPDATE upstream_account SET renewing_until = now() + interval '1 minute' WHERE tenant_id = :tenant")
                .set("tenant", tenant.id(ClientApi.REST))
                .run();
        var renewals = provider.forms.size();
        try (var ahead = TestServer.start(Map.of(), Clock.offset(Clock.systemUTC(), Duration.ofMinutes(2)))) {
            var answer = ClientApi.post("http://127.0.0.1:" + ahead.port() + INVOKE, rootKey, "{\"message\":\"hi\"}");
            assertThat(new String(answer.body())).contains("is being renewed");
        }
        assertThat(provider.forms).hasSize(renewals);
    }

    /** Whoever may not use the server any more can still take their tokens back. */
    @Test
    void whoLosesTheServerCanDisconnect() {
        install();
        var mia = browser(miaKey);
        mia.connect("files", provider);
        root.call("UP_Approve", "{'name':'files','refuse':true}").ok();
        assertThat(mia.read("files").path("connected").asBoolean()).isTrue();
        var ended =
                Json.readObject(mia.send("DELETE", AccountBrowser.path("files")).body());
        assertThat(ended.path("revoked").asBoolean()).as(ended.toString()).isTrue();
        assertThat(rows()).isEqualTo(1);
        assertThat(mia.send("DELETE", AccountBrowser.path("files")).statusCode())
                .as("nothing is theirs there any more")
                .isEqualTo(404);
    }

    /** One refusal of the server is no reason to delete a token that cannot be renewed. */
    @Test
    void oneRefusalEndsNoTokenWithoutARefreshToken() {
        provider.hasRefresh = false;
        install();
        TestDatabase.db()
                .sql("UPDATE upstream_account SET renewed_at = now() - interval '1 minute' WHERE tenant_id = :tenant")
                .set("tenant", tenant.id(ClientApi.REST))
                .run();
        var challenge = upstream.challenge;
        upstream.challenge = _ -> "Bearer";
        assertThat(overRest(rootKey).toString()).doesNotContain("Echo: hi");
        upstream.challenge = challenge;
        assertThat(overRest(rootKey).at("/result/content/0/text").asString()).isEqualTo("Echo: hi");
    }
}

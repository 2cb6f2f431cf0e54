package io.agentworkspace.engine.identity.signin;

import static io.agentworkspace.engine.identity.signin.Browser.SESSION;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.identity.signin.Browser.Got;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestClock;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.web.server.CapturedLog;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Sign-in with a real, certified provider: npm's oidc-provider. */
@org.junit.jupiter.api.Tag("slow")
class OAuthTest extends OAuthFixture {
    private static long users() {
        return TestDatabase.db()
                .sql("SELECT count(*) FROM app_user WHERE tenant_id = :id")
                .set("id", tenant.id(ClientApi.REST))
                .one(row -> row.number(1))
                .orElseThrow();
    }

    @Test
    void theBrowserIsSentWithEverythingThatProtectsIt() {
        var sent = Browser.send(engine.url(), "GET", START + "&return_to=/mcp-hub?tab=1", "");
        assertThat(sent.header("Set-Cookie"))
                .matches("__Host-engine_signin=[\\w-]{43}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=600");
        var start = new SignInStart(sent.header("Location"), sent.cookie());
        assertThat(start.location()).startsWith(provider.issuer() + "/auth?");
        assertThat(start.parameter("response_type")).isEqualTo("code");
        assertThat(start.parameter("code_challenge_method")).isEqualTo("S256");
        assertThat(start.parameter("redirect_uri")).isEqualTo(URLEncoder.encode(BACK, StandardCharsets.UTF_8));
        var secrets = new HashSet<String>();
        for (var one : List.of(start, begin())) {
            for (var parameter : List.of("state", "nonce", "code_challenge")) {
                assertThat(one.parameter(parameter)).matches("[\\w-]{43}");
                secrets.add(one.parameter(parameter));
            }
            secrets.add(one.cookie());
        }
        assertThat(secrets)
                .as("states, nonces, challenges and cookies are unique")
                .hasSize(8);
    }

    @Test
    void whoTheProviderProvesBecomesAMemberOnce() {
        var browser = signIn(engine, "alice");
        var session = browser.get(SESSION);
        assertThat(session.at("/user")).isEqualTo("alice");
        assertThat(session.at("/role")).isEqualTo("member");
        assertThat(session.at("/tenant")).isEqualTo(tenantName());
        assertThat(browser.change("POST", Browser.CREATE, "{\"vx\":{\"name\":\"Ada\",\"description\":\"d\"}}")
                        .error())
                .isEmpty();
        assertThat(Browser.bearer(engine.url(), browser.token()).error()).isEmpty();
        var before = users();
        var again = signIn(other, "alice");
        assertThat(again.get(SESSION).at("/user")).isEqualTo("alice");
        assertThat(users()).isEqualTo(before);
        assertThat(again.change("POST", ClientApi.path("US_Create"), "{\"vx\":{\"name\":\"x\"}}")
                        .error())
                .isEqualTo("not_permitted");
    }

    @Test
    void theBrowserEndsWhereItWantedToGoAndItsOldSessionEnds() {
        var start = begin();
        var at = provider.signIn(start.location(), "bob");
        var old = Browser.signIn(engine.url(), owner);
        var back = Browser.send(
                engine.url(),
                "GET",
                at.getRawPath() + "?" + at.getRawQuery(),
                "",
                "Cookie",
                "__Host-engine_signin=%s; %s".formatted(start.cookie(), Browser.named(old.cookie())));
        assertThat(back.header("Location")).isEqualTo(BASE + "/mcp-hub");
        assertThat(back.headers("Set-Cookie"))
                .contains("__Host-engine_signin=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0");
        assertThat(signedIn(engine, back).get(SESSION).at("/user")).isEqualTo("bob");
        assertThat(old.get(SESSION).at("/signed_in")).isEqualTo("false");
    }

    private static List<JsonNode> audit(String filters) {
        var got = Browser.send(engine.url(), "GET", "/api/audit?" + filters, "", "X-Api-Key", owner);
        assertThat(got.status()).as(got.toString()).isEqualTo(200);
        return got.json().path("entries").valueStream().toList();
    }

    private static List<String> tools(List<JsonNode> entries) {
        return entries.stream().map(entry -> entry.path("tool").asString()).toList();
    }

    @Test
    void whoArrivesIsInTheAuditEachTimeAndWhoJoinsOnce() {
        var first = signIn(engine, "dora");
        signIn(other, "dora");
        var entries = audit("user=dora");
        assertThat(tools(entries)).containsExactlyInAnyOrder("user.joined", "session.start", "session.start");
        for (var entry : entries) {
            assertThat(entry.path("user").asString()).isEqualTo("dora");
            assertThat(entry.path("credential").asString()).isEqualTo("oidc");
            assertThat(entry.path("door").asString()).isEqualTo("rest");
            assertThat(entry.path("address").asString()).isEqualTo("127.0.0.1");
            assertThat(entry.path("result").asString()).isEqualTo("done");
            assertThat(entry.has("key_id")).isFalse();
        }
        var joined = audit("user=dora&tool=user.joined").getFirst();
        assertThat(joined.path("target_kind").asString()).isEqualTo("user");
        assertThat(joined.path("target").asString()).isEqualTo("dora");
        var started = audit("user=dora&tool=session.start").getLast();
        assertThat(started.path("target_kind").asString()).isEqualTo("session");
        assertThat(started.path("request_id").asString())
                .as("joining and the session have the same request id")
                .isEqualTo(joined.path("request_id").asString())
                .isNotEmpty();
        assertThat(first.change("DELETE", SESSION, "").status()).isEqualTo(200);
        assertThat(tools(audit("target=session:" + started.path("target_id").asString())))
                .containsExactly("session.end", "session.start");
    }

    @Test
    void whoIsNotLetInNeitherJoinsNorArrivesInTheAudit() {
        var before =
                audit("tool=user.joined").size() + audit("tool=session.start").size();
        var start = begin();
        assertNobody(back(engine, provider.signIn(start.location(), "foreign"), start.cookie()), 403, "not_permitted");
        assertThat(audit("tool=user.joined").size()
                        + audit("tool=session.start").size())
                .isEqualTo(before);
    }

    /** A single transaction: if the audit entry cannot be written, there is no user and no session. */
    @Test
    void nobodyJoinsOrArrivesWithoutAnEntry() {
        var db = TestDatabase.db();
        var id = tenant.id(ClientApi.REST);
        var before = users();
        for (var event : List.of("user.joined", "session.start")) {
            db.sql("ALTER TABLE audit ADD CONSTRAINT without CHECK (tenant_id <> %d OR tool <> '%s') NOT VALID"
                            .formatted(id, event))
                    .run();
            try {
                var start = begin();
                var back = back(engine, provider.signIn(start.location(), "eve"), start.cookie());
                assertThat(back.status()).as(back.toString()).isEqualTo(500);
                assertThat(back.headers("Set-Cookie")).isEmpty();
            } finally {
                db.sql("ALTER TABLE audit DROP CONSTRAINT without").run();
            }
            assertThat(users())
                    .as("%s: a user who joined in an earlier transaction stays", event)
                    .isEqualTo(event.equals("user.joined") ? before : before + 1);
        }
        assertThat(tools(audit("user=eve"))).containsExactly("user.joined");
        var sessions = db.sql("""
                SELECT count(*) FROM browser_session s JOIN app_user u ON u.tenant_id = s.tenant_id AND u.id = s.user_id
                 WHERE u.tenant_id = :id AND u.name = 'eve'
                """).set("id", id).one(row -> row.number(1));
        assertThat(sessions).contains(0L);
    }

    @Test
    void nobodysNameIsTakenOver() {
        signIn(engine, "alice");
        assertThat(signIn(engine, "twin").get(SESSION).at("/user")).isEqualTo("alice 2");
        assertThat(signIn(engine, "twin").get(SESSION).at("/user")).isEqualTo("alice 2");
    }

    @Test
    void aUserWhoWasRemovedDoesNotComeBack() {
        var name = signIn(engine, "bob").get(SESSION).at("/user");
        var removed = Browser.send(
                engine.url(),
                "POST",
                ClientApi.path("US_Remove"),
                "{\"target\":{\"user\":\"%s\"}}".formatted(name),
                "X-Api-Key",
                owner);
        assertThat(removed.error()).isEmpty();
        var start = begin();
        assertNobody(back(engine, provider.signIn(start.location(), "bob"), start.cookie()), 403, "not_permitted");
        TestDatabase.db()
                .sql("DELETE FROM external_identity WHERE tenant_id = :tenant AND subject = 'bob'")
                .set("tenant", tenant.id(ClientApi.REST))
                .run();
    }

    @ParameterizedTest
    @ValueSource(strings = {"unverified", "foreign", "sly", "silent"})
    void onlyVerifiedAddressesOfTheDomainsJoin(String who) {
        var before = users();
        var start = begin();
        assertNobody(back(engine, provider.signIn(start.location(), who), start.cookie()), 403, "not_permitted");
        assertThat(users()).isEqualTo(before);
    }

    @Test
    void aProviderWithoutATenantGivesAccessToNothing() {
        for (var tenant : List.of("", "no such tenant")) {
            try (var bare = Replica.start(settings("sample", Map.of("ENGINE_OAUTH_SAMPLE_TENANT", tenant)))) {
                var start = SignInStart.at(bare, START);
                assertNobody(
                        back(bare, provider.signIn(start.location(), "alice"), start.cookie()), 403, "not_permitted");
            }
        }
    }

    @Test
    void aRefusedConsentSignsNobodyIn() {
        var start = begin();
        var back = back(engine, provider.refuse(start.location()), start.cookie());
        assertNobody(back, 403, "not_permitted");
        assertThat(back.note()).contains("access_denied");
    }

    @Test
    void theCallbackWorksOnceOnWhicheverReplica() {
        var start = begin();
        var at = provider.signIn(start.location(), "alice");
        assertThat(back(engine, at, start.cookie()).status()).isEqualTo(302);
        assertNobody(back(engine, at, start.cookie()), 400, "bad_request");
        assertNobody(back(other, at, start.cookie()), 400, "bad_request");
    }

    @Test
    void aReplayedCodeIsRefused() {
        var first = begin();
        var used = provider.signIn(first.location(), "alice");
        assertThat(back(engine, used, first.cookie()).status()).isEqualTo(302);
        var second = begin();
        var at = with(provider.signIn(second.location(), "alice"), "code", code(used));
        assertNobody(back(engine, at, second.cookie()), 400, "bad_request");
    }

    /** PKCE: a code from one sign-in is worthless in another. */
    @Test
    void aCodeOfAnotherSignInIsRefused() {
        var attackers = begin();
        var stolen = provider.signIn(attackers.location(), "alice");
        var victims = begin();
        var at = with(provider.signIn(victims.location(), "bob"), "code", code(stolen));
        assertNobody(back(engine, at, victims.cookie()), 400, "bad_request");
    }

    private static String code(URI at) {
        return new SignInStart(at.toString(), "").parameter("code");
    }

    @Test
    void aTokenWithAnotherNonceIsRefused() {
        var start = begin();
        var tampered = start.location().replaceFirst("nonce=[^&]*", "nonce=another");
        assertNobody(back(engine, provider.signIn(tampered, "alice"), start.cookie()), 403, "not_permitted");
    }

    @Test
    void anAnswerOfAnotherIssuerIsRefused() {
        for (var iss : List.of("https://evil.example", "", "none")) {
            var start = begin();
            var at = provider.signIn(start.location(), "alice");
            assertThat(at.getRawQuery()).contains("iss=");
            at = iss.equals("none") ? without(at, "iss") : with(at, "iss", iss);
            assertNobody(back(engine, at, start.cookie()), 400, "bad_request");
        }
    }

    @Test
    void stateAndCookieMustBelongTogether() {
        var mine = begin();
        var theirs = begin();
        var at = provider.signIn(mine.location(), "alice");
        assertNobody(back(engine, at, theirs.cookie()), 400, "bad_request");
        assertNobody(back(engine, at, "x".repeat(43)), 400, "bad_request");
        assertNobody(back(engine, at, ""), 400, "bad_request");
        assertNobody(back(engine, with(at, "state", theirs.parameter("state")), mine.cookie()), 400, "bad_request");
        assertNobody(back(engine, at, mine.cookie()), 400, "bad_request"); // The code works only once.
        var third = begin();
        var home = provider.signIn(third.location(), "alice");
        assertNobody(back(engine, without(home, "state"), third.cookie()), 400, "bad_request");
    }

    @Test
    void aSignInWaitsTenMinutesAtMost() {
        var clock = new TestClock();
        try (var late = Replica.start(settings("sample", Map.of()), clock)) {
            var start = SignInStart.at(late, START);
            var at = provider.signIn(start.location(), "alice");
            clock.advance(java.time.Duration.ofMinutes(10));
            assertNobody(back(late, at, start.cookie()), 400, "bad_request");
        }
    }

    @Test
    void rotatedKeysAreFoundAndAProviderThatIsDownIsTold() {
        signIn(engine, "alice");
        var waiting = begin();
        var at = provider.signIn(waiting.location(), "alice");
        provider.stop();
        Got back;
        try (var log = new CapturedLog();
                var fresh = Replica.start(settings("sample", Map.of()))) {
            back = back(engine, at, waiting.cookie());
            assertThat(Browser.send(fresh.url(), "GET", START, "").status()).isEqualTo(503);
            assertThat(log.text()).contains("sample failed").doesNotContain(code(at));
        } finally {
            provider.start("two");
        }
        assertNobody(back, 503, "unavailable");
        assertThat(back.header("Retry-After")).isEqualTo("5");
        assertThat(signIn(engine, "alice").get(SESSION).at("/user")).startsWith("alice");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            /api/auth/oauth/sample/start                              | 400
            /api/auth/oauth/sample/start?surface=                     | 400
            /api/auth/oauth/sample/start?surface=mail                 | 400
            /api/auth/oauth/sample/start?surface=hub&surface=cli      | 400
            /api/auth/oauth/sample/start?surface=hub&return_to=       | 400
            /api/auth/oauth/sample/start?surface=hub&return_to=//a    | 400
            /api/auth/oauth/sample/start?surface=hub&return_to=/a&return_to=/b | 400
            /api/auth/oauth/sample/start?surface=hub&return_to=%ff    | 400
            /api/auth/oauth/sample/start?surface=hub&return_to=%2F%2Fa | 400
            /api/auth/oauth/other/start?surface=hub                   | 404
            /api/auth/oauth/SAMPLE/start?surface=hub                  | 404
            /api/auth/oauth/other/callback?code=a&state=b             | 404
            /api/auth/oauth/sample/callback                           | 400
            /api/auth/oauth/sample/callback?code=a&state=b            | 400
            """)
    void whatIsNotOnTheListIsNotRedirected(String path, int status) {
        var refused = Browser.send(engine.url(), "GET", path, "");
        assertThat(refused.status()).as(refused.toString()).isEqualTo(status);
        assertThat(refused.headers("Location")).isEmpty();
        assertThat(refused.headers("Set-Cookie")).isEmpty();
    }

    @Test
    void bothSurfacesOfTheListAreFineAndTheProviderIsListed() {
        assertThat(SignInStart.at(engine, START.replace("hub", "cli")).location())
                .isNotEmpty();
        var config = Browser.send(engine.url(), "GET", "/api/config", "");
        assertThat(config.json().get("sign_in").valueStream().map(one -> one.asString()))
                .containsExactly("sample");
    }

    @Test
    void nothingOfASignInIsInTheTables() {
        var start = begin();
        var at = provider.signIn(start.location(), "alice");
        var rows = String.join(
                "\n",
                TestDatabase.db().sql("SELECT s::text AS line FROM sign_in s").list(row -> row.text("line")));
        assertThat(rows).contains("/mcp-hub").doesNotContain(start.cookie());
        for (var parameter : List.of("state", "nonce", "code_challenge")) {
            assertThat(rows).doesNotContain(Objects.requireNonNull(start.parameter(parameter)));
        }
        assertThat(back(engine, at, start.cookie()).status()).isEqualTo(302);
    }
}

package io.agentworkspace.engine.identity.signin;

import static io.agentworkspace.engine.identity.signin.Browser.CREATE;
import static io.agentworkspace.engine.identity.signin.Browser.LIST;
import static io.agentworkspace.engine.identity.signin.Browser.SESSION;
import static io.agentworkspace.engine.identity.signin.Browser.named;
import static io.agentworkspace.engine.identity.signin.Browser.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.identity.credentials.SessionSecret;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestClock;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import io.agentworkspace.engine.testing.WaitingCall;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Browser sessions over real sockets. */
@Tag("slow")
class SessionsTest {
    private final TestTenant tenant = new TestTenant();
    private final String url = TestServer.url();

    private String key(String user, String... capabilities) {
        return tenant.key(ClientApi.REST, user, Role.MEMBER, List.of(capabilities));
    }

    private static long sessions(String key) {
        return TestDatabase.db()
                .sql("SELECT count(*) FROM browser_session WHERE key_id = :key")
                .set("key", ApiKey.parse(key).id())
                .one(row -> row.number(1))
                .orElseThrow();
    }

    @Test
    void theCookieHasEveryAttributeAndNoMore() {
        var start = Browser.begin(url, key("ann", "*"));
        assertThat(start.status()).isEqualTo(201);
        assertThat(start.headers("Set-Cookie")).hasSize(1);
        var parts = Arrays.asList(start.header("Set-Cookie").split("; "));
        assertThat(parts.getFirst()).matches("__Host-engine_session=[A-Za-z0-9_-]{48}");
        assertThat(parts.subList(1, parts.size()))
                .containsExactlyInAnyOrder("Path=/", "Secure", "HttpOnly", "SameSite=Lax");
        assertThat(start.header("Cache-Control")).isEqualTo("no-store");
    }

    @Test
    void whoIsSignedInIsToldWithTheTokenOfItsPages() {
        var browser = Browser.signIn(url, key("ann", "*"));
        var session = browser.get(SESSION);
        assertThat(List.copyOf(session.json().propertyNames()))
                .containsExactly("signed_in", "user", "tenant", "role", "csrf_token", "expires_at");
        assertThat(session.at("/signed_in")).isEqualTo("true");
        assertThat(session.at("/user")).isEqualTo("ann");
        assertThat(session.at("/role")).isEqualTo("member");
        assertThat(session.at("/csrf_token")).isEqualTo(browser.csrf()).matches("[A-Za-z0-9_-]{43}");
        assertThat(Instant.parse(session.at("/expires_at")))
                .isCloseTo(Instant.now().plus(Duration.ofMinutes(30)), within(1, ChronoUnit.MINUTES));
    }

    @Test
    void nobodyIsSignedInWithoutACookieWithAStaleOneOrWithAKey() {
        var key = key("ann", "*");
        var gone = SessionSecret.generate(new SecureRandom()).reveal();
        for (var headers : List.of(
                new String[] {"Accept", "*/*"},
                new String[] {"Cookie", named(gone)},
                new String[] {"Cookie", named("nonsense")},
                new String[] {"Cookie", named(gone) + "; " + named(gone)},
                new String[] {"X-Api-Key", key})) {
            var answer = send(url, "GET", SESSION, "", headers);
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.json().toString()).isEqualTo("{\"signed_in\":false}");
        }
    }

    @Test
    void aStaleCookieIsACredentialThatIsNotValid() {
        for (var cookie :
                List.of("nonsense", SessionSecret.generate(new SecureRandom()).reveal())) {
            var answer = send(url, "POST", LIST, "{}", "Cookie", named(cookie));
            assertThat(answer.status()).isEqualTo(401);
            assertThat(answer.error()).isEqualTo("unauthenticated");
            assertThat(answer.note()).contains("session").contains("/api/auth/session");
            assertThat(answer.headers("WWW-Authenticate")).isEmpty();
        }
        assertThat(send(url, "POST", LIST, "{}").headers("WWW-Authenticate")).hasSize(1);
        assertThat(send(url, "POST", LIST, "{}", "Cookie", "other=1").headers("WWW-Authenticate"))
                .hasSize(1);
    }

    @Test
    void aSessionHasTheCapabilitiesOfItsKeyAndNoOthers() {
        var browser = Browser.signIn(url, key("ann", "agent:read"));
        assertThat(browser.change("POST", LIST, "{}").error()).isEmpty();
        var refused = browser.change("POST", CREATE, "{\"vx\":{\"name\":\"Ada\",\"description\":\"d\"}}");
        assertThat(refused.error()).isEqualTo("not_permitted");
        assertThat(refused.note()).contains("agent:write");
    }

    /** The creation of the key waits for a lock of another call, and the session is signed out meanwhile. */
    @ParameterizedTest
    @ValueSource(strings = {"cookie", "token"})
    void aSessionThatIsSignedOutLeavesNoKeyBehind(String proof) {
        var key = key("ann", "*");
        var browser = Browser.signIn(url, key);
        var token = "Bearer " + browser.token();
        var draft = "{\"name\":\"x\",\"capabilities\":[\"*\"]}";
        var made = WaitingCall.by(
                () -> {
                    TestDatabase.db()
                            .sql("SELECT 1 FROM tenant_plan WHERE tenant_id = :tenant FOR UPDATE")
                            .set("tenant", tenant.id(ClientApi.REST))
                            .one(_ -> true);
                    TestDatabase.db()
                            .sql("DELETE FROM browser_session WHERE key_id = :key")
                            .set("key", ApiKey.parse(key).id())
                            .run();
                },
                () -> proof.equals("cookie")
                        ? browser.change("POST", "/api/keys", draft)
                        : send(url, "POST", "/api/keys", draft, "Authorization", token));
        assertThat(made.status()).as(made.toString()).isEqualTo(401);
        assertThat(made.error()).isEqualTo("unauthenticated");
    }

    /** Returns a key that another key creates, with these limits. */
    private String child(String parent, String limits) {
        var made = send(
                url,
                "POST",
                "/api/keys",
                "{\"name\":\"n\",\"capabilities\":[\"*\"],%s}".formatted(limits),
                "X-Api-Key",
                parent);
        assertThat(made.status()).as(made.toString()).isEqualTo(201);
        return made.toString().replaceFirst("(?s).*(ek_[0-9A-Za-z]{12}_[0-9A-Za-z]{36}).*", "$1");
    }

    @Test
    void aSessionAndItsTokensKeepToTheKeysToolsetAndAgent() {
        var parent = key("ann", "*");
        for (var agent : List.of("Ada", "Bo")) {
            send(
                    url,
                    "POST",
                    CREATE,
                    "{\"vx\":{\"name\":\"%s\",\"description\":\"d\"}}".formatted(agent),
                    "X-Api-Key",
                    parent);
        }
        var browser = Browser.signIn(url, child(parent, "\"toolset\":[\"agent\"],\"agent\":\"Ada\""));
        assertThat(browser.change("POST", LIST, "{}").error()).isEmpty();
        assertThat(browser.change("POST", ClientApi.path("DM_List"), "{}").note())
                .contains("toolset agent");
        var token = "Bearer " + browser.token();
        assertThat(send(url, "POST", ClientApi.path("DM_List"), "{}", "Authorization", token)
                        .note())
                .contains("toolset agent");
        var logOn = ClientApi.path("AP_LogOn");
        assertThat(browser.change("POST", logOn, "{\"target\":{\"agent\":\"Bo\"}}")
                        .error())
                .isEqualTo("not_permitted");
        assertThat(browser.change("POST", logOn, "{\"target\":{\"agent\":\"Ada\"}}")
                        .error())
                .isEmpty();
    }

    @Test
    void aSessionEndsWithItsKeyAndWithThoseThatTheKeyDependsOn() {
        var clock = new TestClock();
        var parent = key("ann", "*");
        try (var engine = Replica.start(Map.of(), clock)) {
            var brief = Browser.signIn(engine.url(), child(parent, "\"expires_in_seconds\":600"));
            assertThat(Instant.parse(brief.get(SESSION).at("/expires_at")))
                    .isCloseTo(Instant.now().plusSeconds(600), within(1, ChronoUnit.MINUTES));
            clock.advance(Duration.ofMinutes(11));
            assertThat(brief.get(SESSION).at("/signed_in")).isEqualTo("false");
        }
        var child =
                child(parent, "\"parent\":\"%s\"".formatted(ApiKey.parse(parent).id()));
        var browser = Browser.signIn(url, child(child, "\"expires_in_seconds\":600"));
        assertThat(browser.change("POST", LIST, "{}").error()).isEmpty();
        var revoke = "/api/keys/%s/revoke".formatted(ApiKey.parse(parent).id());
        assertThat(send(url, "POST", revoke, "{}", "X-Api-Key", parent).status())
                .isEqualTo(200);
        await().until(() -> browser.get(SESSION).at("/signed_in").equals("false"));
    }

    /** Rotates the key and returns its new secret. */
    private String rotated(String key, int overlap) {
        var path = "/api/keys/%s/rotate".formatted(ApiKey.parse(key).id());
        var body = "{\"overlap_seconds\":%d}".formatted(overlap);
        var rotated = send(url, "POST", path, body, "X-Api-Key", key);
        assertThat(rotated.status()).as(rotated.toString()).isEqualTo(200);
        return rotated.at("/api_key");
    }

    @Test
    void aSessionAndItsTokensEndWithTheSecretThatBeganThem() {
        var old = key("ann", "*");
        var thief = Browser.signIn(url, old);
        var token = thief.token();
        assertThat(Browser.bearer(url, token).status()).isEqualTo(200);
        var fresh = rotated(old, 0);
        await().until(() -> thief.get(SESSION).at("/signed_in").equals("false"));
        assertThat(thief.change("POST", LIST, "{}").error()).isEqualTo("unauthenticated");
        assertThat(Browser.bearer(url, token).error()).isEqualTo("unauthenticated");
        await().until(() -> Browser.begin(url, old).status() == 401);
        var owner = Browser.signIn(url, fresh);
        assertThat(owner.change("POST", LIST, "{}").error()).isEmpty();
        assertThat(thief.get(SESSION).at("/signed_in")).isEqualTo("false");
    }

    @Test
    void anOutdatedSecretBeginsNoSessionAndThoseFromBeforeEndWithTheOverlap() {
        var clock = new TestClock();
        try (var engine = Replica.start(Map.of(), clock)) {
            var old = key("ann", "*");
            var before = Browser.signIn(engine.url(), old);
            var token = before.token();
            var fresh = rotated(old, 600);
            await().until(() -> Browser.begin(engine.url(), old).status() == 403);
            assertThat(Browser.begin(engine.url(), old).note()).contains("new secret");
            var after = Browser.signIn(engine.url(), fresh);
            assertThat(before.change("POST", LIST, "{}").error()).isEmpty();
            assertThat(Browser.bearer(engine.url(), token).error()).isEmpty();
            assertThat(Instant.parse(before.get(SESSION).at("/expires_at")))
                    .isCloseTo(Instant.now().plusSeconds(600), within(1, ChronoUnit.MINUTES));
            clock.advance(Duration.ofMinutes(11));
            assertThat(before.change("POST", LIST, "{}").error()).isEqualTo("unauthenticated");
            assertThat(Browser.bearer(engine.url(), token).error()).isEqualTo("unauthenticated");
            assertThat(after.change("POST", LIST, "{}").error()).isEmpty();
        }
    }

    @Test
    void aHeaderWinsOverTheCookie() {
        var ann = Browser.signIn(url, key("ann", "*"));
        var bob = key("bob", "*");
        var read = ClientApi.path("US_Read");
        assertThat(ann.raw("POST", read, "{}", "X-Api-Key", bob).at("/header/context/user"))
                .isEqualTo("bob");
        assertThat(ann.raw("POST", read, "{}", "Authorization", "Bearer " + bob).at("/header/context/user"))
                .isEqualTo("bob");
        assertThat(ann.raw("POST", read, "{}", "X-Api-Key", "ek_wrong").error()).isEqualTo("unauthenticated");
        assertThat(ann.raw("POST", read, "{}", "X-Api-Key", bob, "Authorization", "Bearer " + ann.token())
                        .status())
                .isEqualTo(400);
    }

    @Test
    void eachSignInHasANewSecretAndEndsTheBrowsersOldSession() {
        var key = key("ann", "*");
        var first = Browser.signIn(url, key);
        var second = Browser.begin(url, key, "Cookie", named(first.cookie()));
        assertThat(second.cookie()).isNotEqualTo(first.cookie());
        assertThat(second.at("/csrf_token")).isNotEqualTo(first.csrf());
        assertThat(first.get(SESSION).at("/signed_in")).isEqualTo("false");
        // A planted cookie is not adopted.
        var planted = SessionSecret.generate(new SecureRandom()).reveal();
        assertThat(Browser.begin(url, key, "Cookie", named(planted)).cookie()).isNotEqualTo(planted);
        assertThat(new Browser(url, planted, "").get(SESSION).at("/signed_in")).isEqualTo("false");
    }

    @Test
    void signingOutEndsItAndClearsTheCookie() {
        var browser = Browser.signIn(url, key("ann", "*"));
        var out = browser.change("DELETE", SESSION, "");
        assertThat(out.status()).isEqualTo(200);
        assertThat(out.json().toString()).isEqualTo("{\"signed_in\":false}");
        assertThat(out.header("Set-Cookie"))
                .isEqualTo("__Host-engine_session=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0");
        assertThat(browser.get(SESSION).at("/signed_in")).isEqualTo("false");
        assertThat(browser.change("POST", LIST, "{}").error()).isEqualTo("unauthenticated");
        assertThat(browser.change("DELETE", SESSION, "").status()).isEqualTo(401);
    }

    @Test
    void aSessionIsBegunWithAKeyOnly() {
        var browser = Browser.signIn(url, key("ann", "*"));
        assertThat(send(url, "POST", SESSION, "").status()).isEqualTo(401);
        assertThat(browser.change("POST", SESSION, "").note()).contains("X-Api-Key");
        assertThat(send(url, "POST", SESSION, "", "Authorization", "Bearer " + browser.token())
                        .note())
                .contains("X-Api-Key");
    }

    @Test
    void anIdleSessionEndsAndAUsedOneDoesNot() {
        var clock = new TestClock();
        try (var engine = Replica.start(Map.of(), clock)) {
            var browser = Browser.signIn(engine.url(), key("ann", "*"));
            var idle = Browser.signIn(engine.url(), key("bob", "*"));
            for (var i = 0; i < 3; i++) {
                clock.advance(Duration.ofMinutes(20));
                assertThat(browser.change("POST", LIST, "{}").error()).isEmpty();
            }
            assertThat(idle.change("POST", LIST, "{}").error()).isEqualTo("unauthenticated");
            clock.advance(Duration.ofMinutes(31));
            assertThat(browser.get(SESSION).at("/signed_in")).isEqualTo("false");
        }
    }

    @Test
    void noSessionOutlivesEightHours() {
        var clock = new TestClock();
        try (var engine = Replica.start(Map.of(), clock)) {
            var browser = Browser.signIn(engine.url(), key("ann", "*"));
            var end = clock.instant().plus(Duration.ofHours(8));
            for (var i = 0; i < 19; i++) {
                clock.advance(Duration.ofMinutes(25));
                assertThat(browser.change("POST", LIST, "{}").error()).isEmpty();
            }
            assertThat(Instant.parse(browser.get(SESSION).at("/expires_at")))
                    .isCloseTo(end, within(1, ChronoUnit.MINUTES));
            clock.advance(Duration.ofMinutes(6));
            assertThat(browser.change("POST", LIST, "{}").error()).isEqualTo("unauthenticated");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"k1", "k2"})
    void idempotencyKeysBelongToTheSession(String idempotency) {
        var body = "{\"vx\":{\"name\":\"Ada\",\"description\":\"d\"}}";
        var browser = Browser.signIn(url, key("ann", "*"));
        var other = Browser.signIn(url, key("bob", "*"));
        assertThat(browser.change("POST", CREATE, body, "Idempotency-Key", idempotency)
                        .error())
                .isEmpty();
        assertThat(browser.change("POST", CREATE, body, "Idempotency-Key", idempotency)
                        .header("Idempotency-Replayed"))
                .isEqualTo("true");
        assertThat(other.change("POST", CREATE, body, "Idempotency-Key", idempotency)
                        .error())
                .isEqualTo("already_exists");
    }

    @Test
    void theRateIsCountedBySessionAndApartFromItsKey() {
        try (var engine = Replica.start(Map.of("ENGINE_RATE_LIMIT", "1/s burst 20"))) {
            var key = key("ann", "*");
            var one = Browser.signIn(engine.url(), key);
            var other = Browser.signIn(engine.url(), key);
            var third = Browser.signIn(engine.url(), key);
            exhaust(() -> one.change("POST", LIST, "{}").status());
            assertThat(other.change("POST", LIST, "{}").status()).isEqualTo(200);
            exhaust(() -> Browser.send(engine.url(), "POST", LIST, "{}", "X-Api-Key", key)
                    .status());
            assertThat(IntStream.range(0, 10)
                            .map(_ -> third.change("POST", LIST, "{}").status()))
                    .containsOnly(200);
        }
    }

    private static void exhaust(IntSupplier status) {
        assertThat(IntStream.range(0, 100).map(_ -> status.getAsInt())).contains(429);
    }

    @Test
    void signingInForEverEndsTheOldest() {
        var key = key("ann", "*");
        var first = Browser.signIn(url, key);
        for (var i = 0; i < 100; i++) {
            Browser.signIn(url, key);
        }
        assertThat(sessions(key)).isEqualTo(100);
        await().until(() -> first.get(SESSION).at("/signed_in").equals("false"));
    }

    @Test
    void mcpTakesTheCookieToo() {
        var browser = Browser.signIn(url, key("ann", "*"));
        var ask = "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"method\":\"tools/list\",\"params\":{}}";
        assertThat(browser.change("POST", "/mcp", ask)
                        .json()
                        .at("/result/tools")
                        .isEmpty())
                .isFalse();
        assertThat(browser.raw("POST", "/mcp", ask).status()).isEqualTo(403);
    }
}

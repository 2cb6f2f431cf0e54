package io.agentworkspace.engine.identity.signin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.identity.credentials.AccessToken;
import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.identity.credentials.Credentials;
import io.agentworkspace.engine.identity.credentials.IssuedToken;
import io.agentworkspace.engine.identity.credentials.Presented;
import io.agentworkspace.engine.identity.credentials.SessionSecret;
import io.agentworkspace.engine.identity.keys.KeyStore;
import io.agentworkspace.engine.kernel.changes.CallerChanges;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.secrets.MasterKey;
import io.agentworkspace.engine.kernel.secrets.MasterKeys;
import io.agentworkspace.engine.kernel.secrets.Vault;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.CountingProxy;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.eclipse.jetty.http.HttpFields;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Guessed credentials are never accepted, and cost the database almost nothing. */
@Tag("slow")
class GuessingTest {
    private static final String LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    private static final int TRIES = 30_000;
    /** The number of tokens among the guesses; each costs the verification of a signature. */
    private static final int TOKENS = 4_000;

    private static final int WELL_FORMED = 300;
    private static final int OVER_THE_SOCKET = 600;
    private static final Clock CLOCK = Clock.systemUTC();

    /** However slowly the requests come, they come at once. */
    private static final Clock STOPPED = Clock.fixed(CLOCK.instant(), ZoneOffset.UTC);

    private static final SecureRandom RANDOM = new SecureRandom();

    private static final String KEY = new TestTenant().key(ClientApi.REST, "ann", Role.OWNER, List.of("*"));
    private static CountingProxy proxy;
    private static Db db;
    private static CallerChanges watch;
    private static KeyStore keys;
    private static BrowserSessions sessions;
    private static SessionSecret secret;
    private static AccessTokens tokens;
    private static String token;

    @BeforeAll
    static void open(@TempDir Path folder) throws IOException {
        var database = URI.create(TestDatabase.postgres().jdbcUrl().substring("jdbc:".length()));
        proxy = new CountingProxy(database.getPort());
        var url = "jdbc:postgresql://127.0.0.1:%d/postgres?sslmode=disable".formatted(proxy.port());
        db = TestDatabase.connectUnchecked(url);
        watch = TestDatabase.watch();
        keys = new KeyStore(db, CLOCK, watch);
        sessions = new BrowserSessions(db, keys, watch, CLOCK);
        var key = ApiKey.parse(KEY);
        secret = SessionSecret.generate(RANDOM);
        sessions.startWithKey(secret, keys.authenticate(key), key, true);
        var vault = new Vault(db, new MasterKeys(MasterKey.parse(TestDatabase.SECRETS_KEY), folder));
        var issuer = "https://engine.example";
        tokens = new AccessTokens(new SigningKeyStore(db, vault, CLOCK), issuer, List.of(issuer), CLOCK);
        token = tokens.issue(sessions.find(secret).orElseThrow().caller(), secret.id());
    }

    @AfterAll
    static void close() throws IOException {
        watch.close();
        db.close();
        proxy.close();
    }

    /** Returns whether the server accepts the credential of a request. */
    private static boolean isAccepted(String header, String value) {
        try {
            return Credentials.presented(HttpFields.build().add(header, value))
                    .filter(GuessingTest::isGood)
                    .isPresent();
        } catch (Problem problem) {
            assertThat(problem.failure()).isEqualTo(Failure.UNAUTHENTICATED);
            return false;
        }
    }

    private static boolean isGood(Presented credential) {
        return switch (credential) {
            case ApiKey key -> !keys.authenticate(key).principal().isEmpty();
            case SessionSecret session -> sessions.find(session).isPresent();
            case AccessToken presented ->
                sessions.current(tokens.session(presented)).isPresent();
            case IssuedToken _ -> false;
        };
    }

    @Test
    void noneOfManyIsAcceptedAndNoKeyOrCookieLookedUp() {
        assertThat(isAccepted("X-Api-Key", KEY)).isTrue();
        assertThat(isAccepted("Authorization", "Bearer " + token)).isTrue();
        assertThat(isAccepted("Cookie", Browser.named(secret.reveal()))).isTrue();
        var ofKeys = new CredentialGuesses(KEY, LETTERS, 7);
        var ofCookies = new CredentialGuesses(secret.reveal(), LETTERS + "-_", 8);
        var ofTokens = new CredentialGuesses(token, LETTERS + "-_", 9);
        var accepted = 0;
        var beforeTokens = proxy.roundTrips();
        for (var i = 0; i < TOKENS; i++) {
            var guess = i % 2 == 0 ? ofTokens.mutated() : ofTokens.random();
            accepted += isAccepted("Authorization", "Bearer " + guess) ? 1 : 0;
        }
        var before = proxy.roundTrips();
        // An unknown key id may be a new key, so the keys are fetched now and then, however many requests arrive.
        assertThat(before - beforeTokens).isLessThan(TOKENS / 100);
        for (var i = 0; i < TRIES; i++) {
            var key = i % 2 == 0 ? ofKeys.mutated() : ofKeys.random();
            accepted +=
                    isAccepted(i % 4 > 1 ? "X-Api-Key" : "Authorization", (i % 4 > 1 ? "" : "Bearer ") + key) ? 1 : 0;
            var cookie = i % 2 == 0 ? ofCookies.mutatedLetters() : ofCookies.random();
            accepted += isAccepted("Cookie", Browser.named(cookie)) ? 1 : 0;
        }
        assertThat(accepted).isZero();
        assertThat(proxy.roundTrips()).isEqualTo(before);
    }

    /** Half of the keys have an existing id. Each is looked up in the directory and in its tenant, so the cost does not reveal whether it exists. */
    @Test
    void aForgedKeyWithItsChecksumCostsTwoLookUps() {
        var good = ApiKey.parse(KEY);
        var before = proxy.roundTrips();
        for (var i = 0; i < WELL_FORMED; i++) {
            var forged = i % 2 == 0 ? ApiKey.withId(good.id(), RANDOM) : ApiKey.generate(RANDOM);
            assertThat(isAccepted("X-Api-Key", forged.reveal())).isFalse();
        }
        // The driver prepares each statement on the server after a few runs.
        assertThat(proxy.roundTrips() - before).isBetween(2 * WELL_FORMED, 2 * WELL_FORMED + 4);
    }

    @Test
    void noneIsAcceptedOverTheSocket() {
        var guesses = new CredentialGuesses(KEY, LETTERS, 11);
        var good = ApiKey.parse(KEY);
        for (var i = 0; i < OVER_THE_SOCKET; i++) {
            var guess = switch (i % 3) {
                case 0 -> guesses.mutated();
                case 1 -> guesses.random();
                default -> ApiKey.withId(good.id(), RANDOM).reveal();
            };
            assertThat(status(guess, i % 2 == 0)).as("%s for %s", guess, KEY).isEqualTo(401);
        }
        assertThat(status(KEY, true)).isEqualTo(200);
        assertThat(status(KEY, false)).isEqualTo(200);
    }

    private static int status(String key, boolean bearer) {
        var name = bearer ? "Authorization" : "X-Api-Key";
        return Browser.send(TestServer.url(), "GET", "/api/keys", "", name, (bearer ? "Bearer " : "") + key)
                .status();
    }

    @Test
    void knowingASessionTakesNoRoundTripOnceItIsKnown() {
        await().until(() -> {
            var before = proxy.roundTrips();
            sessions.find(secret);
            return proxy.roundTrips() == before;
        });
        var before = proxy.roundTrips();
        for (var i = 0; i < 1_000; i++) {
            assertThat(sessions.find(secret).orElseThrow().caller().userName()).isEqualTo("ann");
            sessions.seen(secret.id());
        }
        assertThat(proxy.roundTrips()).isEqualTo(before);
        sessions.flush();
        // The pool checks a connection that has been idle for half a second.
        assertThat(proxy.roundTrips() - before)
                .as("one statement writes all uses")
                .isBetween(1, 2);
        before = proxy.roundTrips();
        sessions.find(secret);
        assertThat(proxy.roundTrips()).as("the write does not clear a cache").isEqualTo(before);
    }

    @Test
    void strangersWhoGuessAreSlowedDownByAddressAlsoWhereKeysAreNot() {
        try (var engine =
                Replica.start(Map.of("ENGINE_RATE_LIMIT", "off", "ENGINE_STRANGER_LIMIT", "20/s burst 200"), STOPPED)) {
            var statuses = IntStream.range(0, 400)
                    .map(i -> Browser.send(
                                    engine.url(),
                                    "POST",
                                    Browser.LIST,
                                    "{}",
                                    "Cookie",
                                    Browser.named(
                                            i % 2 == 0
                                                    ? SessionSecret.generate(new SecureRandom())
                                                            .reveal()
                                                    : "nonsense"))
                            .status())
                    .boxed()
                    .toList();
            assertThat(statuses).contains(429).contains(401).doesNotContain(200);
        }
    }
}

package io.agentworkspace.engine.signin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.Door;
import io.agentworkspace.engine.Replica;
import io.agentworkspace.engine.TestDatabase;
import io.agentworkspace.engine.TestTenant;
import io.agentworkspace.engine.identity.ApiKey;
import io.agentworkspace.engine.identity.Credentials;
import io.agentworkspace.engine.identity.Presented;
import io.agentworkspace.engine.identity.SessionSecret;
import io.agentworkspace.engine.model.Problem;
import io.agentworkspace.engine.model.Role;
import io.agentworkspace.engine.store.BrowserSessions;
import io.agentworkspace.engine.store.CountingProxy;
import io.agentworkspace.engine.store.Db;
import io.agentworkspace.engine.store.KeyStore;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.eclipse.jetty.http.HttpFields;
import org.junit.jupiter.api.Test;

/** Guessing gets nobody in, and costs the database next to nothing. */
class GuessingTest {
    private static final String ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    private static final int TRIES = 500_000;

    /** What the gate makes of it, or nothing when it is refused on sight. */
    private static Optional<Presented> read(String header, String value) {
        try {
            return Credentials.presented(HttpFields.build().add(header, value).asImmutable());
        } catch (Problem e) {
            return Optional.empty();
        }
    }

    private static String mutated(String text, int from, Random random) {
        var letters = text.toCharArray();
        for (var i = 0; i <= random.nextInt(3); i++) {
            letters[from + random.nextInt(letters.length - from)] = ALPHABET.charAt(random.nextInt(ALPHABET.length()));
        }
        return new String(letters);
    }

    @Test
    void aMillionMutatedKeysAndCookiesAreRefusedOnSight() {
        var random = new Random(7);
        var key = ApiKey.generate(new SecureRandom()).reveal();
        var cookie = SessionSecret.generate(new SecureRandom()).reveal();
        var read = 0;
        for (var i = 0; i < TRIES; i++) {
            var otherKey = mutated(key, 3, random);
            var otherCookie = mutated(cookie, 0, random);
            read += !otherKey.equals(key) && read("X-Api-Key", otherKey).isPresent() ? 1 : 0;
            read += !otherCookie.equals(cookie)
                            && read("Cookie", Browser.named(otherCookie)).isPresent()
                    ? 1
                    : 0;
        }
        assertThat(read).isZero();
        assertThat(read("X-Api-Key", key)).isPresent();
        assertThat(read("Cookie", Browser.named(cookie))).isPresent();
    }

    @Test
    void knowingASessionTakesNoRoundTripOnceItIsKnownAndNoneForWhatIsNone() throws Exception {
        var database = URI.create(TestDatabase.postgres().jdbcUrl().substring("jdbc:".length()));
        var proxy = new CountingProxy(database.getPort());
        var url = "jdbc:postgresql://127.0.0.1:%d/postgres?sslmode=disable".formatted(proxy.port());
        try (var db = new Db(
                        url,
                        TestDatabase.postgres().user(),
                        TestDatabase.postgres().password(),
                        1);
                var watch = TestDatabase.watch()) {
            var clock = Clock.systemUTC();
            var keys = new KeyStore(db, clock, watch);
            var sessions = new BrowserSessions(db, keys, watch, clock);
            var key = ApiKey.parse(new TestTenant().key(Door.REST, "ann", Role.MEMBER, List.of("*")));
            var secret = SessionSecret.generate(new SecureRandom());
            sessions.startWithKey(secret, keys.authenticate(key), key);
            await().until(() -> {
                var before = proxy.roundTrips();
                sessions.find(secret);
                return proxy.roundTrips() == before;
            });
            var before = proxy.roundTrips();
            for (var i = 0; i < 1_000; i++) {
                assertThat(sessions.find(secret).orElseThrow().caller().userName())
                        .isEqualTo("ann");
                sessions.seen(secret.id());
            }
            assertThat(proxy.roundTrips()).isEqualTo(before);
            sessions.flush();
            assertThat(proxy.roundTrips()).as("one statement writes all use").isEqualTo(before + 1);
            sessions.find(secret);
            assertThat(proxy.roundTrips()).as("which makes nobody forget").isEqualTo(before + 1);
        } finally {
            proxy.close();
        }
    }

    @Test
    void strangersWhoGuessAreSlowedDownByAddressAlsoWhereKeysAreNot() {
        try (var engine =
                Replica.start(Map.of("ENGINE_RATE_LIMIT", "off", "ENGINE_STRANGER_LIMIT", "20/s burst 200"))) {
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

package io.agentworkspace.engine.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.Door;
import io.agentworkspace.engine.TestDatabase;
import io.agentworkspace.engine.TestServer;
import io.agentworkspace.engine.TestTenant;
import io.agentworkspace.engine.identity.ApiKey;
import io.agentworkspace.engine.identity.Credentials;
import io.agentworkspace.engine.model.Failure;
import io.agentworkspace.engine.model.Problem;
import io.agentworkspace.engine.model.Role;
import io.agentworkspace.engine.store.CallersWatch;
import io.agentworkspace.engine.store.CountingProxy;
import io.agentworkspace.engine.store.Db;
import io.agentworkspace.engine.store.KeyStore;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import org.eclipse.jetty.http.HttpFields;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Credentials cannot be guessed: none of very many is accepted, and those that are not even well-formed cost no look-up. */
class GuessedCredentialsTest {
    private static final int GUESSES = 1_000_000;
    private static final int WELL_FORMED = 1_000;
    private static final int OVER_THE_SOCKET = 3_000;
    private static final String BASE_62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    private static final SecureRandom RANDOM = new SecureRandom();

    private static final String GOOD = new TestTenant().key(Door.REST, "ann", Role.OWNER, List.of("*"));
    private static CountingProxy proxy;
    private static Db db;
    private static CallersWatch watch;
    private static KeyStore keys;

    @BeforeAll
    static void open() throws IOException {
        var database = URI.create(TestDatabase.postgres().jdbcUrl().substring("jdbc:".length()));
        proxy = new CountingProxy(database.getPort());
        var url = "jdbc:postgresql://127.0.0.1:%d/postgres?sslmode=disable".formatted(proxy.port());
        db = new Db(url, TestDatabase.postgres().user(), TestDatabase.postgres().password(), 1);
        watch = TestDatabase.watch();
        keys = new KeyStore(db, Clock.systemUTC(), watch);
        assertThat(keys.authenticate(ApiKey.parse(GOOD)).userName()).isEqualTo("ann");
    }

    @AfterAll
    static void close() throws IOException {
        watch.close();
        db.close();
        proxy.close();
    }

    /** As a request presents it, through all that decides about it. */
    private static boolean isAccepted(String credential, boolean bearer) {
        var headers = bearer
                ? HttpFields.build().add("Authorization", "Bearer " + credential)
                : HttpFields.build().add("X-Api-Key", credential);
        try {
            return Credentials.presented(headers).map(keys::authenticate).isPresent();
        } catch (Problem problem) {
            assertThat(problem.failure()).isEqualTo(Failure.UNAUTHENTICATED);
            return false;
        }
    }

    @Test
    void noneOfAMillionKeysIsAcceptedOrLookedUp() {
        var guesses = new Guesses(GOOD, BASE_62, 7);
        var before = proxy.roundTrips();
        var accepted = 0;
        for (var i = 0; i < GUESSES; i++) {
            accepted += isAccepted(i % 2 == 0 ? guesses.mutated() : guesses.random(), i % 4 > 1) ? 1 : 0;
        }
        assertThat(accepted).isZero();
        assertThat(proxy.roundTrips()).isEqualTo(before);
    }

    /** Half of them of an id that exists. What is right about them does not show in what they cost. */
    @Test
    void whoMakesUpTheChecksumTooGetsOneLookUpForEach() {
        var good = ApiKey.parse(GOOD);
        assertThat(isAccepted(GOOD, false)).isTrue();
        for (var i = 0; i < WELL_FORMED; i++) {
            var forged = i % 2 == 0 ? ApiKey.withId(good.id(), RANDOM) : ApiKey.generate(RANDOM);
            var before = proxy.roundTrips();
            assertThatThrownBy(() -> keys.authenticate(forged)).hasMessageContaining("unknown, expired or revoked");
            assertThat(proxy.roundTrips()).isEqualTo(before + 1);
        }
        assertThat(isAccepted(GOOD, true)).isTrue();
    }

    @Test
    void noneOfThousandsIsAcceptedOverTheSocket() {
        var guesses = new Guesses(GOOD, BASE_62, 11);
        var good = ApiKey.parse(GOOD);
        for (var i = 0; i < OVER_THE_SOCKET; i++) {
            var guess = switch (i % 3) {
                case 0 -> guesses.mutated();
                case 1 -> guesses.random();
                default -> ApiKey.withId(good.id(), RANDOM).reveal();
            };
            assertThat(status(guess, i % 2 == 0))
                    .as("%d: %s is not %s", i, guess, GOOD)
                    .isEqualTo(401);
        }
        assertThat(status(GOOD, true)).isEqualTo(200);
        assertThat(status(GOOD, false)).isEqualTo(200);
    }

    private static int status(String credential, boolean bearer) {
        var request = HttpRequest.newBuilder(URI.create(TestServer.url() + "/api/keys"));
        request.header(bearer ? "Authorization" : "X-Api-Key", bearer ? "Bearer " + credential : credential);
        return Door.send(request.build()).statusCode();
    }
}

package io.agentworkspace.engine.identity.signin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.agentworkspace.engine.kernel.db.DatabaseClock;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestTenant;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Replicas whose machines' clocks are five minutes apart agree about what has begun and what has expired. */
class ReplicaClocksTest {
    private static final Duration APART = Duration.ofMinutes(5);
    private static final TestTenant TENANT = new TestTenant();
    private static List<Replica> replicas;
    private static String owner;

    @BeforeAll
    static void start() {
        var address = Map.of("ENGINE_BASE_URL", "https://engine.example");
        replicas = List.of(
                Replica.start(address),
                Replica.start(address, new DatabaseClock(Clock.offset(Clock.systemUTC(), APART))),
                Replica.start(address, new DatabaseClock(Clock.offset(Clock.systemUTC(), APART.negated()))));
        owner = TENANT.key(ClientApi.REST, "boss", Role.OWNER, List.of("*"));
    }

    @AfterAll
    static void stop() {
        replicas.forEach(Replica::close);
    }

    @Test
    void aKeyThatExpiresInFourMinutesWorksEverywhere() {
        for (var here : replicas) {
            var got = Browser.send(
                    here.url(),
                    "POST",
                    ClientApi.path("AK_Create"),
                    "{\"name\":\"short\",\"capabilities\":[\"*\"],\"expires_in_seconds\":240}",
                    "X-Api-Key",
                    owner);
            var key = got.at("/api_key");
            assertThat(key).as(got.toString()).isNotEmpty();
            for (var there : replicas) {
                var listed = Browser.send(there.url(), "POST", Browser.LIST, "{}", "X-Api-Key", key);
                assertThat(listed.error()).as(listed.toString()).isEmpty();
                assertThat(Instant.parse(listed.at("/header/time")))
                        .isCloseTo(Instant.now(), within(1, ChronoUnit.MINUTES));
            }
        }
    }

    @Test
    void aTokenOfOneIsAcceptedByTheOthers() {
        for (var here : replicas) {
            var token = Browser.signIn(here.url(), owner).token();
            for (var there : replicas) {
                assertThat(Browser.bearer(there.url(), token).error()).isEmpty();
            }
        }
    }
}

package io.agentworkspace.engine.kernel.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.agentworkspace.engine.testing.TestDatabase;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

/** A machine whose clock is wrong uses the time of the database. */
class DatabaseClockTest {
    private static final ZoneId ATHENS = ZoneId.of("Europe/Athens");

    @Test
    void aClockThatIsWrongIsCorrectedInEachZone() {
        for (var ahead : new Duration[] {Duration.ofMinutes(5), Duration.ofMinutes(-5), Duration.ofDays(3_000)}) {
            var clock = new DatabaseClock(Clock.offset(Clock.systemUTC(), ahead));
            var there = clock.withZone(ATHENS);
            assertThat(clock.instant()).isCloseTo(Instant.now().plus(ahead), within(1, ChronoUnit.MINUTES));
            clock.adjust(TestDatabase.db());
            assertThat(clock.instant()).isCloseTo(Instant.now(), within(1, ChronoUnit.MINUTES));
            assertThat(there.instant()).isCloseTo(Instant.now(), within(1, ChronoUnit.MINUTES));
            assertThat(there.getZone()).isEqualTo(ATHENS);
        }
    }

    @Test
    void aClockThatAgreesIsLeftAlone() {
        var clock = new DatabaseClock(Clock.systemUTC());
        clock.adjust(TestDatabase.db());
        var before = Instant.now();
        var time = clock.instant();
        assertThat(time).isBetween(before, Instant.now());
    }
}

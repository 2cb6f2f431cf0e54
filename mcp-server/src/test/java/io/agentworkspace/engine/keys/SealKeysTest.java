package io.agentworkspace.engine.keys;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.testing.TestDatabase;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class SealKeysTest {
    /** Far in the future, so that no other test's keys are newer. */
    private final Time time = new Time(Instant.parse("2099-01-01T00:00:00Z"));

    private static final class Time extends Clock {
        private Instant now;

        Time(Instant now) {
            this.now = now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return now;
        }
    }

    @Test
    void aKeyIsBelievedForOneReignAfterItsOwn() {
        var db = TestDatabase.fresh("seal_keys");
        var here = new SealKeys(db, time);
        var there = new SealKeys(db, time);
        var first = here.newest();
        assertThat(there.newest().id()).isEqualTo(first.id());

        time.now = time.now.plus(SealKeys.REIGN);
        var second = there.newest();
        assertThat(second.id()).isNotEqualTo(first.id());
        assertThat(here.find(second.id())).as("made by another replica").isPresent();
        assertThat(here.find(first.id())).isPresent();

        time.now = time.now.plus(SealKeys.REIGN).plus(Duration.ofSeconds(2));
        var third = here.newest();
        assertThat(here.find(first.id())).isEmpty();
        assertThat(here.find(second.id())).isPresent();
        here.purge(time.now.plus(Duration.ofDays(1)));
        assertThat(here.newest().id()).isEqualTo(third.id());
    }
}

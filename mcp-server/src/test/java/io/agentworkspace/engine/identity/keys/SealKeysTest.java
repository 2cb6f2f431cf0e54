package io.agentworkspace.engine.identity.keys;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.kernel.secrets.SealKeys;
import io.agentworkspace.engine.testing.TestClock;
import io.agentworkspace.engine.testing.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SealKeysTest {
    private final TestClock time = new TestClock();

    @Test
    void aKeyIsBelievedForOneReignAfterItsOwn() {
        var db = TestDatabase.fresh("seal_keys");
        var here = new SealKeys(db, time);
        var there = new SealKeys(db, time);
        var first = here.newest();
        assertThat(there.newest().id()).isEqualTo(first.id());

        time.advance(SealKeys.REIGN);
        var second = there.newest();
        assertThat(second.id()).isNotEqualTo(first.id());
        assertThat(here.find(second.id())).as("made by another replica").isPresent();
        assertThat(here.find(first.id())).isPresent();

        time.advance(SealKeys.REIGN.plusSeconds(2));
        var third = here.newest();
        assertThat(here.find(first.id())).isEmpty();
        assertThat(here.find(second.id())).isPresent();
        here.purge(time.instant().plus(Duration.ofDays(1)));
        assertThat(here.newest().id()).isEqualTo(third.id());
    }
}

package io.agentworkspace.engine.signin;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** The time, as far ahead as a test wants it. */
public final class StageClock extends Clock {
    private volatile Duration ahead = Duration.ZERO;

    public void advance(Duration by) {
        ahead = ahead.plus(by);
    }

    @Override
    public Instant instant() {
        return Clock.systemUTC().instant().plus(ahead);
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return Clock.offset(Clock.system(zone), ahead);
    }
}

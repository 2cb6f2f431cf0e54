package io.agentworkspace.engine.signin;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** The time, as far ahead as a test wants it, and as much slower. */
public final class StageClock extends Clock {
    private final Instant begun = Clock.systemUTC().instant();
    private final int slowness;
    private volatile Duration ahead = Duration.ZERO;

    public StageClock() {
        this(1);
    }

    /** @param slowness how many seconds pass while it goes on by one */
    public StageClock(int slowness) {
        this.slowness = slowness;
    }

    public void advance(Duration by) {
        ahead = ahead.plus(by);
    }

    @Override
    public Instant instant() {
        var passed = Duration.between(begun, Clock.systemUTC().instant());
        return begun.plus(passed.dividedBy(slowness)).plus(ahead);
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return Clock.fixed(instant(), zone);
    }
}

package io.agentworkspace.engine.signin;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** A clock that a test can advance, and that can run slower than real time. */
public final class TestClock extends Clock {
    private final Instant begun = Clock.systemUTC().instant();
    private final int slowness;
    private volatile Duration ahead = Duration.ZERO;

    public TestClock() {
        this(1);
    }

    /** @param slowness the real seconds in which it advances by one */
    public TestClock(int slowness) {
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

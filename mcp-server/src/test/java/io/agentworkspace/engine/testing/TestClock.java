package io.agentworkspace.engine.testing;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** A clock that a test can advance, and that can run slower than real time or jump at every look. */
public final class TestClock extends Clock {
    private final Instant start = Clock.systemUTC().instant();
    private final int slowness;
    private Duration ahead = Duration.ZERO;
    private Duration jump = Duration.ZERO;

    public TestClock() {
        this(1);
    }

    /** @param slowness the real seconds in which it advances by one */
    public TestClock(int slowness) {
        this.slowness = slowness;
    }

    public synchronized void advance(Duration by) {
        ahead = ahead.plus(by);
    }

    /** From now on it advances whenever somebody looks at it. */
    public synchronized void jumpAtEveryLook(Duration by) {
        jump = by;
    }

    @Override
    public synchronized Instant instant() {
        ahead = ahead.plus(jump);
        var passed = Duration.between(start, Clock.systemUTC().instant());
        return start.plus(passed.dividedBy(slowness)).plus(ahead);
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

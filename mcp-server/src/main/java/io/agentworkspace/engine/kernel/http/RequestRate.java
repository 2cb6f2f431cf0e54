package io.agentworkspace.engine.kernel.http;

import java.time.Duration;

/**
 * A rate of requests: an average per second, and a burst at once.
 *
 * @param burst the size of the token bucket; 0 means no limit
 */
public record RequestRate(long perSecond, long burst) {
    public static final RequestRate OFF = new RequestRate(0, 0);

    public boolean isOff() {
        return burst == 0;
    }

    /** Returns the time in which an empty bucket fills, in whole seconds. */
    long windowSeconds() {
        return isOff() ? 0 : Math.ceilDiv(burst, perSecond);
    }

    public Duration window() {
        return Duration.ofSeconds(windowSeconds());
    }
}

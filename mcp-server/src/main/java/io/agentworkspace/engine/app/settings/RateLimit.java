package io.agentworkspace.engine.app.settings;

/**
 * How many requests each key, or each address without one, may make: an average per second, and {@code burst} at
 * once. Written {@code 200/s burst 400}, {@code 200/s} (burst: twice that), or {@code off}.
 */
public record RateLimit(int permitsPerSecond, int burst) {
    static final RateLimit OFF = new RateLimit(0, 0);

    public boolean isOff() {
        return permitsPerSecond == 0;
    }
}

package io.agentworkspace.engine.workspace.delivery.hooks;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Lets something pass once in an interval for each key. Beyond 10,000 keys, some are forgotten early, and pass again. */
final class Throttle<K extends Object> {
    private static final int MOST = 10_000;

    private final Cache<K, Boolean> passed;

    Throttle(Duration interval, Clock clock) {
        this.passed = Caffeine.newBuilder()
                .maximumSize(MOST)
                .expireAfterWrite(interval)
                .ticker(() -> TimeUnit.MILLISECONDS.toNanos(clock.millis()))
                .build();
    }

    boolean passes(K key) {
        return passed.asMap().putIfAbsent(key, true) == null;
    }
}

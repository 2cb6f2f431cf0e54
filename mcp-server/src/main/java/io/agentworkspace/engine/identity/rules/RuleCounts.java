package io.agentworkspace.engine.identity.rules;

import io.agentworkspace.engine.kernel.scheduling.PendingWrites;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Counts how often rules matched and failed. The counts are collected in memory and written every second; a
 * crash loses up to a second of them.
 */
final class RuleCounts {
    private static final int MAX = 100_000;

    private final PendingWrites<RuleKey, RuleCount> pending = new PendingWrites<>(MAX, RuleCount::plus);
    private final RuleStore store;

    record RuleKey(long tenant, UUID rule) {}

    record RuleCount(
            long matched,
            @Nullable Instant matchedAt,
            long failed,
            @Nullable Instant failedAt,
            @Nullable String failure) {
        RuleCount plus(RuleCount next) {
            return new RuleCount(
                    matched + next.matched,
                    next.matchedAt == null ? matchedAt : next.matchedAt,
                    failed + next.failed,
                    next.failedAt == null ? failedAt : next.failedAt,
                    next.failure == null ? failure : next.failure);
        }
    }

    RuleCounts(RuleStore store) {
        this.store = store;
    }

    void matched(long tenant, UUID rule, Instant at) {
        pending.add(new RuleKey(tenant, rule), new RuleCount(1, at, 0, null, null));
    }

    void failed(long tenant, UUID rule, Instant at, String failure) {
        pending.add(new RuleKey(tenant, rule), new RuleCount(0, null, 1, at, failure));
    }

    void flush() {
        pending.flush(RuleKey::tenant, store::count);
    }
}

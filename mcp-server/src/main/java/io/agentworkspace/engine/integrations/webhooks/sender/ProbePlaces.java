package io.agentworkspace.engine.integrations.webhooks.sender;

import java.util.HashMap;
import java.util.Map;

/** How many probes of receivers run at once: at most two for a tenant, and eight on a replica. */
final class ProbePlaces {
    static final int EACH = 2;
    static final int IN_ALL = 8;

    private final Map<Long, Integer> taken = new HashMap<>();

    /** Returns whether there was a place. */
    synchronized boolean take(long tenant) {
        var all = taken.values().stream().mapToInt(Integer::intValue).sum();
        if (all >= IN_ALL || taken.getOrDefault(tenant, 0) >= EACH) {
            return false;
        }
        taken.merge(tenant, 1, Integer::sum);
        return true;
    }

    synchronized void free(long tenant) {
        taken.computeIfPresent(tenant, (_, count) -> count == 1 ? null : count - 1);
    }
}

package io.agentworkspace.engine.hooks;

import io.agentworkspace.engine.tasks.LeaseStore;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** Renews the leases of an agent whose session sends events: it works. The database is not called for each of them. */
final class LeaseRenewal {
    private static final Duration EVERY = Duration.ofSeconds(15);
    private static final int MOST = 10_000;

    private record Holder(long tenant, long agent) {}

    private final LeaseStore leases;
    private final Clock clock;
    private final Map<Holder, Instant> renewedAt = new LinkedHashMap<>(16, 0.75f, false) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Holder, Instant> eldest) {
            return size() > MOST;
        }
    };

    LeaseRenewal(LeaseStore leases, Clock clock) {
        this.leases = leases;
        this.clock = clock;
    }

    /** Renews what the session's agent holds. Returns false if that was done a moment ago. */
    boolean renew(HookSession session) {
        var holder = new Holder(session.caller().tenant(), session.agent());
        var now = clock.instant();
        synchronized (renewedAt) {
            var last = renewedAt.get(holder);
            if (last != null && last.plus(EVERY).isAfter(now)) {
                return false;
            }
            renewedAt.remove(holder);
            renewedAt.put(holder, now);
        }
        leases.renew(holder.tenant(), holder.agent());
        return true;
    }
}

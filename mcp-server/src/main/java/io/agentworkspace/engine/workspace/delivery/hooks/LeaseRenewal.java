package io.agentworkspace.engine.workspace.delivery.hooks;

import io.agentworkspace.engine.workspace.tasks.LeaseStore;
import java.time.Clock;
import java.time.Duration;

/** Renews the leases of an agent whose session sends events: it works. The database is not called for each of them. */
final class LeaseRenewal {
    private static final Duration EVERY = Duration.ofSeconds(15);

    private record Holder(long tenant, long agent) {}

    private final LeaseStore leases;
    private final Throttle<Holder> renewed;

    LeaseRenewal(LeaseStore leases, Clock clock) {
        this.leases = leases;
        this.renewed = new Throttle<>(EVERY, clock);
    }

    /** Renews what the session's agent holds. Returns false if that was done a moment ago. */
    boolean renew(HookSession session) {
        var holder = new Holder(session.caller().tenant(), session.agent());
        if (!renewed.passes(holder)) {
            return false;
        }
        leases.renew(holder.tenant(), holder.agent());
        return true;
    }
}

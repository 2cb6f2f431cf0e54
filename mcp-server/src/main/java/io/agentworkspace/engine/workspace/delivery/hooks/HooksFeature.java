package io.agentworkspace.engine.workspace.delivery.hooks;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.kernel.streams.ListeningTenants;
import io.agentworkspace.engine.kernel.streams.StreamLimits;
import io.agentworkspace.engine.workspace.delivery.wait.WakeStore;
import java.time.Clock;

/** The feature of the hooks of coding agents. */
public final class HooksFeature {
    private HooksFeature() {}

    public static Feature of(Db db, Hooks hooks, WakeStore wakes, StreamLimits limits, Clock clock) {
        var endpoint = new HookEndpoint(hooks, new ListeningTenants(db, clock), limits, wakes);
        return new Feature()
                .endpoint(HookEndpoint::serves, endpoint)
                .listener(endpoint.listener())
                .background(work -> work.clearing("sessions of hooks", hooks::purge));
    }
}

package io.agentworkspace.engine.workspace.delivery.live;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.kernel.streams.ListeningTenants;
import io.agentworkspace.engine.kernel.streams.StreamLimits;
import io.agentworkspace.engine.model.tool.Catalogue;
import java.time.Clock;

/** The feature of the live stream of a tenant's changes. */
public final class LiveFeature {
    private LiveFeature() {}

    public static Feature of(Db db, Catalogue catalogue, StreamLimits limits, Clock clock) {
        var news = new LiveQueries(db, clock);
        var live = new LiveEndpoint(catalogue, news, new ListeningTenants(db, clock), limits, clock);
        return new Feature()
                .endpoint(LiveEndpoint.PATH::equals, live)
                .listener(live.listener())
                .background(work -> work.clearing("live events", news::purge));
    }
}

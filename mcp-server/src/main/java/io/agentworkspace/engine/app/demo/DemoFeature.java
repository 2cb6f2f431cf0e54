package io.agentworkspace.engine.app.demo;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.net.URI;
import java.time.Clock;

/** The feature of the demo. */
public final class DemoFeature {
    private DemoFeature() {}

    /** @param local the URL at which this replica serves */
    public static Feature of(Db db, ToolRunner runner, URI local, Clock clock) {
        var demo = new DemoRuns(runner, db, local, clock);
        return new Feature()
                .endpoint("/api/demo"::equals, new DemoEndpoint(demo))
                .closing(demo);
    }
}

package io.agentworkspace.engine.calls.inbox;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.feature.Feature;

/** The feature of the inbox. */
public final class InboxFeature {
    private InboxFeature() {}

    public static Feature of(Db db) {
        return new Feature().tools(new InboxTools(db).tools()).after("US_Read");
    }
}

package io.agentworkspace.engine.workspace.delivery.live;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.tool.Caller;
import java.time.Clock;
import java.util.EnumSet;

/** Reads of the log of changes, as a stream does that resumes. */
public final class LiveReads {
    private LiveReads() {}

    /** Returns how many changes of all topics the caller sees, of the oldest that are kept. */
    public static int all(Db db, Caller caller) {
        var audience = new LiveView(caller, EnumSet.allOf(Topic.class), true, true, "user:" + caller.user(), true);
        return new LiveQueries(db, Clock.systemUTC()).read(audience, 0).events().size();
    }
}

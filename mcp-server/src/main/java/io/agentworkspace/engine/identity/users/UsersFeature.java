package io.agentworkspace.engine.identity.users;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.model.tool.Allowance;

/** The feature of users. */
public final class UsersFeature {
    private UsersFeature() {}

    /** @param meter says how much of its plan a tenant has used */
    public static Feature of(Db db, Allowance.Meter meter) {
        return new Feature()
                .tools(new UserTools(new UserQueries(db), meter).tools())
                .tools(new UserAdminTools(new UserStore(db)).tools());
    }
}

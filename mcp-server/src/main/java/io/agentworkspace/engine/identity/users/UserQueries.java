package io.agentworkspace.engine.identity.users;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.tool.Call;

/** Reads of users. */
final class UserQueries {
    private static final String READ = """
            SELECT u.role, t.plan
              FROM tenant_plan t
              JOIN app_user u ON u.tenant_id = :tenant AND u.id = :user
             WHERE t.tenant_id = :tenant
            """;

    private final Db db;

    public UserQueries(Db db) {
        this.db = db;
    }

    /** The acting user's role and the tenant's plan. */
    record RoleAndPlan(Role role, String plan) {}

    RoleAndPlan read(Call call) {
        return db.sql(call, READ).one(row -> row.as(RoleAndPlan.class)).orElseThrow();
    }
}

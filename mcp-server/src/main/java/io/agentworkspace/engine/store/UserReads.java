package io.agentworkspace.engine.store;

import io.agentworkspace.engine.model.Call;
import io.agentworkspace.engine.model.Role;

/** Reads of users. */
public final class UserReads {
    private final Db db;

    public UserReads(Db db) {
        this.db = db;
    }

    /** The acting user's role, and the plan of the tenant. */
    public record Found(Role role, String plan) {}

    public Found read(Call call) {
        return db.sql(call, ContextStore.WITH_CONTEXT + """
                SELECT ctx.*, u.role, t.plan
                  FROM ctx
                  JOIN tenant t ON t.tenant_id = :tenant
                  LEFT JOIN app_user u ON u.tenant_id = :tenant AND u.id = ctx.user_id
                """)
                .one(row -> {
                    ContextStore.read(call, row);
                    return new Found(Role.of(row.text("role")), row.text("plan"));
                })
                .orElseThrow();
    }
}

package io.agentworkspace.engine.identity.account;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.plan.Plan;
import io.agentworkspace.engine.model.plan.Scope;
import java.util.ArrayList;

/** Writes the plans' limits to the database, where the count of a call reads them. */
public final class PlanLimits {
    private PlanLimits() {}

    /** Writes the limits of this release. Runs once at startup, after the migrations. */
    public static void publish(Db db) {
        var plans = new ArrayList<String>();
        var scopes = new ArrayList<String>();
        var limits = new ArrayList<Long>();
        for (var plan : Plan.limited()) {
            for (var scope : Scope.values()) {
                plans.add(plan.word());
                scopes.add(scope.word());
                limits.add(plan.limit(scope).orElseThrow());
            }
        }
        db.sql("""
                INSERT INTO plan_limit AS l (plan, scope, most)
                SELECT * FROM unnest(:plans, :scopes, CAST(:limits AS bigint[])) p (plan, scope, most)
                 ORDER BY plan, scope
                ON CONFLICT (plan, scope) DO UPDATE SET most = excluded.most WHERE l.most <> excluded.most
                """)
                .set("plans", plans)
                .set("scopes", scopes)
                .set("limits", limits)
                .run();
    }
}

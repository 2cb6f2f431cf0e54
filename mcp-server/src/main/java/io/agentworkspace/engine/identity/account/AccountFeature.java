package io.agentworkspace.engine.identity.account;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.feature.Feature;
import java.time.Duration;

/** The feature of plans and quotas. */
public final class AccountFeature {
    private AccountFeature() {}

    /** @param limits of calls, by the plan and by the rate */
    public static Feature of(Db db, CallLimits limits) {
        var quotas = limits.quotas();
        return new Feature()
                .tools(new PlanTools(new AccountStore(db), limits).tools())
                .background(work -> work.every(Duration.ofSeconds(1), "writing counts", quotas::flush)
                        .clearing("counts", quotas::purge));
    }
}

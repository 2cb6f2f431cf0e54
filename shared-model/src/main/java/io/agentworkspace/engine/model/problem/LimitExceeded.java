package io.agentworkspace.engine.model.problem;

import io.agentworkspace.engine.model.plan.Plan;
import io.agentworkspace.engine.model.plan.Scope;
import java.time.Instant;

/**
 * A limit of a plan that was exceeded.
 *
 * @param count the current count
 */
public record LimitExceeded(Scope scope, long limit, long count, Plan plan) {
    /** Returns the note: what was wrong, and who can change it. */
    String note(Instant resetsAt) {
        var allowed = "the quota is used up: scope %s, limit %d, count %d, plan %s; "
                .formatted(scope.word(), limit, count, plan.word());
        var relief = scope.isStanding()
                ? scope.relief()
                : "the count starts again at %s; %s (US_Read, AC_Read and AC_ChangePlan still work)"
                        .formatted(resetsAt, scope.relief());
        return allowed + relief + ", or let an owner of the tenant change the plan with AC_ChangePlan";
    }
}

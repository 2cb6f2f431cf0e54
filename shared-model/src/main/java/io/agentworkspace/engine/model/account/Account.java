package io.agentworkspace.engine.model.account;

import io.agentworkspace.engine.model.plan.Plan;
import io.agentworkspace.engine.model.plan.Scope;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Allowance;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A tenant's plan, and the usage of each limit. */
public record Account(
        @Doc("The tenant's name.") String tenant,
        @Doc("When it was made.") Instant createdAt,
        @Doc("Its plan.") Plan plan,

        @Doc("What the plan limits, and how much of it is used.")
        List<Usage> limits,

        @Doc("How many requests your credential may make at this moment; absent where the rate is not limited.")
        @Nullable
        Allowance rate) {

    /** The plan's limit for one scope, and its usage. */
    public record Usage(
            @Doc(
                    "What is counted: commands (calls of tools, each UTC day), agents, domains, banks, memories, documents or"
                            + " webhook_endpoints. What is in the trash counts until it is gone.")
            Scope scope,

            @Doc("How many the plan allows; absent where it does not limit them.") @Nullable
            Long limit,

            @Doc("How many there are, or were called today.")
            long count,

            @Doc("How many may follow; absent where they are not limited.") @Nullable
            Long remaining,

            @Doc("When the count starts again; absent for what is counted as long as it exists.") @Nullable
            Instant resetsAt) {
        public boolean exceedsPlan() {
            return scope.isStanding() && limit != null && count > limit;
        }
    }
}

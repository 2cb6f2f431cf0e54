package io.agentworkspace.engine.identity.account;

import io.agentworkspace.engine.model.plan.Plan;
import io.agentworkspace.engine.model.plan.Scope;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Titled;
import io.agentworkspace.engine.model.tool.Allowance;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A tenant's plan, and the usage of each limit. */
@Titled
public record Account(
        @Doc("The tenant's name.") String tenant,
        @Doc("When it was created.") Instant createdAt,
        @Doc("Its plan.") Plan plan,

        @Doc("The limits of the plan, and their use.") List<Usage> limits,

        @Doc("How many requests your credential may make now; absent without a rate limit.") @Nullable
        Allowance rate) {

    /** The plan's limit for one scope, and its usage. */
    public record Usage(
            @Doc(
                    "What is counted: commands (calls of tools, each UTC day), agents, domains, banks, memories, documents or"
                            + " webhook_endpoints. Things in the trash count until they are deleted.")
            Scope scope,

            @Doc("How many the plan allows; absent without a limit.") @Nullable
            Long limit,

            @Doc("How many exist, or were called today.") long count,

            @Doc("How many are left; absent without a limit.") @Nullable
            Long remaining,

            @Doc("When the count starts again; absent for what is counted as long as it exists.") @Nullable
            Instant resetsAt) {
        public boolean exceedsPlan() {
            return scope.isStanding() && limit != null && count > limit;
        }
    }
}

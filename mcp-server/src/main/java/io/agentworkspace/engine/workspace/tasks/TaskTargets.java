package io.agentworkspace.engine.workspace.tasks;

import io.agentworkspace.engine.kernel.context.Targets;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.schema.Doc;
import org.jspecify.annotations.Nullable;

/** The targets of the tools for tasks and reservations. */
final class TaskTargets {
    private TaskTargets() {}

    record EnteredDomain(
            @Doc("Default: the entered one.") @Nullable Name domain,

            @Doc(value = Targets.CONTEXT, max = 64) @Nullable
            String context) {}

    record DomainAgent(
            @Doc("Default: the entered one.") @Nullable Name domain,

            @Doc("Only what this agent holds or is assigned.") @Nullable
            Name agent,

            @Doc(value = Targets.CONTEXT, max = 64) @Nullable
            String context) {}
}

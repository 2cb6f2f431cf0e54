package io.agentworkspace.engine.workspace.agents;

import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.workspace.guard.GuardLimits;
import org.jspecify.annotations.Nullable;

/** What AP_Modify sets of the loop guard: for one agent, or for those of an incident. */
record AgentGuard(
        @Doc(value = GuardLimits.HOPS, min = 1, max = GuardLimits.MOST_HOPS) @Nullable
        Integer hops,

        @Doc(value = GuardLimits.PER_MINUTE, min = 1, max = GuardLimits.MOST_PER_MINUTE) @Nullable
        Integer perMinute,

        @Doc(value = GuardLimits.MORE, min = 0, max = GuardLimits.MOST_MORE) @Nullable
        Integer more,

        @Doc(GuardLimits.STOPPED) @Nullable Boolean stopped,

        @Doc("From US_Inbox.") @Nullable String incident) {
    GuardLimits guard() {
        return new GuardLimits(hops, perMinute, more, stopped);
    }

    @Nullable
    Long incidentId() {
        try {
            return incident == null ? null : (Long) Long.parseLong(incident.replaceFirst("^incident-", ""));
        } catch (NumberFormatException e) {
            throw Problem.invalid("guard.incident", "must be the id of an entry of the kind guard in US_Inbox");
        }
    }
}

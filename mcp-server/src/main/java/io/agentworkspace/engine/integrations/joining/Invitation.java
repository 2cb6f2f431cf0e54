package io.agentworkspace.engine.integrations.joining;

import io.agentworkspace.engine.model.access.Permission;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Titled;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The record of an invitation: everything but its code. */
@Titled
record Invitation(
        @Doc("Identifies the invitation in AK_Uninvite.") String id,
        @Doc("The agent that joins.") String agent,

        @Doc("The agent that it is a sub-agent of.") @Nullable
        String parent,

        @Doc("What the agent is for, if it is created.") @Nullable
        String description,

        @Doc("The banks that it gets a permission on.") List<BankShare> banks,
        @Doc("The domains that it becomes a member of.") List<String> domains,
        @Doc("What its key may do.") List<String> capabilities,
        @Doc("The toolset of its key.") List<String> toolset,
        @Doc("Who invited it.") String user,
        @Doc("When it was created.") Instant createdAt,
        @Doc("When it expires.") Instant expiresAt) {

    /** A bank, and the permission on it. */
    public record BankShare(
            @Doc("The bank's name.") Name bank,

            @Doc(
                    value = "What the agent may do with it.",
                    oneOf = {"read", "append", "write", "manage"})
            Permission access) {}
}

package io.agentworkspace.engine.workspace.domains;

import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Titled;
import java.time.Instant;

/** One agent's membership of one domain. */
@Titled
record Membership(
        @Doc("The domain's name.") String domain,
        @Doc("The agent's name.") String agent,

        @Doc(
                value = "The host runs the domain.",
                oneOf = {"host", "member"})
        String role,

        @Doc("member; invited: its owner must agree; requested: the domain must agree; banned.")
        MemberState state,

        @Doc("When this state began.") Instant since) {}

package io.agentworkspace.engine.workspace.domains;

import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Titled;
import java.time.Instant;

/** An agent in a domain's list of members. */
@Titled
public record Member(
        @Doc("The agent's name.") String agent,

        @Doc(
                value = "The host runs the domain.",
                oneOf = {"host", "member"})
        String role,

        @Doc("Whether somebody is logged on as it.") boolean online,
        @Doc("When this state began.") Instant since,

        @Doc("member; invited: its owner must agree; requested: the domain must agree; banned.")
        MemberState state) {}

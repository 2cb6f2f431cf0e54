package io.agentworkspace.engine.workspace.domains;

import com.fasterxml.jackson.annotation.JsonValue;
import io.agentworkspace.engine.model.schema.Titled;
import java.util.Locale;

/** The state of an agent's membership of a domain, closest first. An agent without a membership has no state. */
@Titled
public enum MemberState {
    MEMBER,
    /** The domain has agreed; the agent's owner has not yet. */
    INVITED,
    /** The agent's owner has agreed; the domain has not yet. */
    REQUESTED,
    BANNED;

    @JsonValue
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}

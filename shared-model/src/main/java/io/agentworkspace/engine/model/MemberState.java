package io.agentworkspace.engine.model;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** How far an agent's membership of a domain has come, nearest first. No membership at all is no state. */
public enum MemberState {
    MEMBER,
    /** The domain's side has agreed, the agent's owner has yet to. */
    INVITED,
    /** The agent's owner has agreed, the domain's side has yet to. */
    REQUESTED,
    BANNED;

    @JsonValue
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}

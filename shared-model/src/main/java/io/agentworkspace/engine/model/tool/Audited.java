package io.agentworkspace.engine.model.tool;

/** What an audit entry says that a call was about. */
public enum Audited {
    /** The thing of the tool's family, by its name. */
    NAMED,
    /** The same, and the agent that the call concerned besides. */
    NAMED_WITH_AGENT,
    /** The thing of the tool's family, by its id, and its name if it has one. */
    WITH_ID,
    ZONE,
    /** The zone or the agent that a message was sent to. */
    MESSAGE,
    ENDPOINT,
    DELIVERY,
    /** A skill, and the agent that it is for. */
    SKILL
}

package io.agentworkspace.engine.model.tool;

/** What the audit entry of a call names as its subject. */
public enum Audited {
    /** The thing of the tool's family, by name. */
    NAMED,
    /** Like {@link #NAMED}, and the agent that the call also concerned. */
    NAMED_WITH_AGENT,
    /** The thing of the tool's family, by id, with its name if it has one. */
    WITH_ID,
    /** A document, by name, with the id of a version. */
    DOCUMENT,
    ZONE,
    /** The zone or the agent that a message was sent to. */
    MESSAGE,
    ENDPOINT,
    DELIVERY,
    /** A skill, and the agent that it is for. */
    SKILL
}

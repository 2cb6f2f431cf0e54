package io.agentworkspace.engine.model.tool;

/** The effect of a tool on stored data. */
public enum Effect {
    /** Changes nothing that others can see; one database statement. */
    READS,
    /** Reads, and marks what it shows as read for the reader; one database statement. */
    MARKS,
    /** Changes only the caller's own context. */
    MOVES,
    CREATES,
    CHANGES,
    /** Removes something that the caller may need. */
    DESTROYS;

    /** Whether it changes nothing, or only marks messages as read. */
    public boolean reads() {
        return this == READS || this == MARKS;
    }

    /** Whether it changes things that others can see. Viewers may not run such tools. */
    boolean writes() {
        return !reads() && this != MOVES;
    }

    /** Whether it runs in a transaction and takes an idempotency key. */
    public boolean isTransactional() {
        return !reads();
    }
}

package io.agentworkspace.engine.model.tool;

/** The effect of a tool on stored data. */
public enum Effect {
    /** Changes nothing that others can see. One database statement. */
    READS,
    /** Reads, and marks what it shows as read for the reader. One database statement. */
    MARKS,
    /** Changes only the caller's own context. */
    MOVES,
    CREATES,
    CHANGES,
    /** Removes something that the caller may still need. */
    DESTROYS;

    /** Returns whether the tool changes nothing, or only marks messages as read. */
    public boolean reads() {
        return this == READS || this == MARKS;
    }

    /** Returns whether the tool changes things that others can see. Viewers may not run such tools. */
    boolean writes() {
        return !reads() && this != MOVES;
    }

    /** Returns whether the tool runs in a transaction and accepts an idempotency key. */
    public boolean isTransactional() {
        return !reads();
    }
}

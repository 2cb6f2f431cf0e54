package io.agentworkspace.engine.model;

/** What running a tool does to what is stored. */
public enum Effect {
    /** Changes nothing that others can see; one database statement. */
    READS,
    /** Reads, and marks what it shows as read for whoever reads; one database statement. */
    MARKS,
    /** Changes only the caller's own context. */
    MOVES,
    CREATES,
    CHANGES,
    /** Takes something away that the caller may miss. */
    DESTROYS;

    /** Whether it changes nothing, or just what counts as read. */
    public boolean reads() {
        return this == READS || this == MARKS;
    }

    /** Whether it changes things that others can see, which a viewer may not. */
    public boolean writes() {
        return !reads() && this != MOVES;
    }

    /** Whether it runs in a transaction and takes an idempotency key. */
    public boolean isTransactional() {
        return !reads();
    }
}

package io.agentworkspace.engine.model;

/** What running a tool does to what is stored. */
public enum Effect {
    /** Changes nothing that others can see; one database statement. */
    READS,
    /** Changes only the caller's own context. */
    MOVES,
    CREATES,
    CHANGES,
    /** Takes something away that the caller may miss. */
    DESTROYS;

    /** Whether it changes things that others can see, which a viewer may not. */
    public boolean writes() {
        return this != READS && this != MOVES;
    }

    /** Whether it runs in a transaction and takes an idempotency key. */
    public boolean isTransactional() {
        return this != READS;
    }
}

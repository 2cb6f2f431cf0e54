package io.agentworkspace.engine.rest;

/** Whether the service can do its work at this moment. */
@FunctionalInterface
public interface Health {
    /** Whether the database can be reached; answers soon, whichever it is. */
    boolean ready();
}

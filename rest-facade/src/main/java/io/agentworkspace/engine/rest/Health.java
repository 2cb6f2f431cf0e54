package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.problem.DatabaseState;

/** Whether the service can do its work at this moment. */
@FunctionalInterface
public interface Health {
    /** How the database is; answers within two seconds, whichever it is. */
    DatabaseState database();
}

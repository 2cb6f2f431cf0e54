package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.problem.DatabaseState;

/** Checks whether the service can do its work at this moment. */
@FunctionalInterface
public interface HealthCheck {
    /** Returns the state of the database within two seconds, even if the database does not respond. */
    DatabaseState database();
}

package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.tool.Caller;
import tools.jackson.databind.node.ObjectNode;

/** The demo of a tenant: the facade routes and documents it, the process behind it plays it. Each returns how it is then. */
public interface DemoControl {
    ObjectNode state(Caller caller);

    /** @param seconds how long it takes, without the wait for the person's answer */
    ObjectNode start(Caller caller, int seconds);

    ObjectNode pause(Caller caller);

    ObjectNode resume(Caller caller);

    /** Everything anew, from the beginning. */
    ObjectNode replay(Caller caller);

    /** Takes away all that belongs to it. */
    void remove(Caller caller);
}

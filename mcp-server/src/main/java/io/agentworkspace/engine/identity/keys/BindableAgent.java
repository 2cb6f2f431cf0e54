package io.agentworkspace.engine.identity.keys;

import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.model.tool.Call;

/** An agent that a key may be bound to. */
public interface BindableAgent {
    long id();

    String name();

    /** Returns the id of the user whom it belongs to. */
    long owner();

    String ownerName();

    /** Returns why the caller may not do with it what its tool does; empty if it may. */
    AccessCheck missing(Call call);
}

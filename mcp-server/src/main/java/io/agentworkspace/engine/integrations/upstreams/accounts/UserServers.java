package io.agentworkspace.engine.integrations.upstreams.accounts;

import io.agentworkspace.engine.integrations.upstreams.client.Target;
import io.agentworkspace.engine.model.tool.Caller;
import java.util.Optional;

/** The servers at which users have accounts. */
@FunctionalInterface
public interface UserServers {
    /** Returns a server that the caller may use, or manage; empty if there is none with this name. */
    Optional<Target> find(Caller caller, String upstream);
}

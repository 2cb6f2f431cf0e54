package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.mcp.Handshake;
import io.agentworkspace.engine.model.tool.Caller;
import org.jspecify.annotations.Nullable;

/** What is known of how clients of MCP have met the service: the facade routes and documents it, the door knows it. */
@FunctionalInterface
public interface HandshakeReports {
    /**
     * The latest of a key, or without one those of what the caller signed in with.
     *
     * @throws io.agentworkspace.engine.model.problem.Problem {@code not_found} for a key that the caller may not read
     */
    Handshake.Latest latest(Caller caller, @Nullable String key);
}

package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.mcp.Handshake;
import io.agentworkspace.engine.model.tool.Caller;
import org.jspecify.annotations.Nullable;

/** How MCP clients have connected: the facade routes and documents it, the MCP endpoint records it. */
@FunctionalInterface
public interface HandshakeReports {
    /**
     * The latest of a key, or without one those of what the caller signed in with.
     *
     * @throws io.agentworkspace.engine.model.problem.Problem {@code not_found} for a key that the caller may not read
     */
    Handshake.Latest latest(Caller caller, @Nullable String key);
}

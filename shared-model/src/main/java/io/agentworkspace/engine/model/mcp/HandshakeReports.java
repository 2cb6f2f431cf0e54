package io.agentworkspace.engine.model.mcp;

import io.agentworkspace.engine.model.tool.Caller;
import org.jspecify.annotations.Nullable;

/** How MCP clients have connected. The facade routes and documents it; the MCP endpoint records it. */
@FunctionalInterface
public interface HandshakeReports {
    /**
     * Returns the latest handshakes of a key; without a key, those of the caller's own credential.
     *
     * @throws io.agentworkspace.engine.model.problem.Problem {@code not_found} for a key that the caller may not
     *     read
     */
    Handshake.Latest latest(Caller caller, @Nullable String key);
}

package io.agentworkspace.engine.mcp.lanes;

import io.agentworkspace.engine.kernel.wire.JsonRpcMessage;
import io.agentworkspace.engine.mcp.streams.McpExchange;

/** Serves the clients of one protocol era. */
public interface Lane {
    /** Returns the name of the era. */
    String era();

    /** Responds to the message on this exchange, exactly once. */
    void serve(JsonRpcMessage message, McpExchange exchange);
}

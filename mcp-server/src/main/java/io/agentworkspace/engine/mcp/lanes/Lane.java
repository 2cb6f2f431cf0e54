package io.agentworkspace.engine.mcp.lanes;

import io.agentworkspace.engine.mcp.streams.McpExchange;
import io.agentworkspace.engine.mcp.wire.JsonRpcMessage;

/** How the clients of one era are spoken with. */
public interface Lane {
    /** What the era is called. */
    String era();

    /** Answers the message, on this exchange and once only. */
    void serve(JsonRpcMessage message, McpExchange exchange);
}

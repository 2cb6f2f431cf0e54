package io.agentworkspace.engine.mcp.lanes;

import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.streams.McpExchange;
import io.agentworkspace.engine.mcp.wire.InputResponses;
import io.agentworkspace.engine.mcp.wire.RequestNotifier;

/** A request with a possible session: its id, and the stored changes to it. */
record SessionVisit(McpExchange exchange, McpSession session, SessionStore.State state) {
    McpRequest quietTurn() {
        return new McpRequest(exchange, session.client(), RequestNotifier.silent(), InputResponses.NONE);
    }
}

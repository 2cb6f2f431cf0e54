package io.agentworkspace.engine.mcp.lanes;

import io.agentworkspace.engine.kernel.wire.InputResponses;
import io.agentworkspace.engine.kernel.wire.RequestNotifier;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.streams.McpExchange;

/** A request with a possible session: its id, and the stored changes to it. */
record SessionVisit(McpExchange exchange, McpSession session, SessionStore.State state) {
    McpRequest quietTurn() {
        return new McpRequest(exchange, session.client(), RequestNotifier.silent(), InputResponses.NONE);
    }
}

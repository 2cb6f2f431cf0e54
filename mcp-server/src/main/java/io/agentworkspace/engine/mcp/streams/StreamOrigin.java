package io.agentworkspace.engine.mcp.streams;

import io.agentworkspace.engine.kernel.wire.ClientInfo;
import io.agentworkspace.engine.kernel.wire.InputResponses;
import io.agentworkspace.engine.kernel.wire.RequestNotifier;
import io.agentworkspace.engine.kernel.wire.ToolSelection;
import io.agentworkspace.engine.mcp.source.CallOrigin;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.model.audit.RequestSource;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.ResponseBudget;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** What a stream keeps of the request that opened it: with its headers, the request would be up to a hundred times as large. */
public record StreamOrigin(Caller caller, String requestId) implements CallOrigin {
    private static final ToolSelection ALL = new ToolSelection(Set.of(), Set.of(), Set.of(), true, true);

    /** Returns the request for look-ups of a stream. */
    public static McpRequest requestOf(McpExchange exchange, ClientInfo client) {
        return new McpRequest(
                new StreamOrigin(exchange.caller(), exchange.requestId()),
                new ClientInfo(client.revision(), Set.of(), Set.of()),
                RequestNotifier.silent(),
                InputResponses.NONE);
    }

    @Override
    public RequestSource source() {
        return RequestSource.NOWHERE;
    }

    @Override
    public @Nullable String header(String name) {
        return null;
    }

    @Override
    public ToolSelection selection() {
        return ALL;
    }

    @Override
    public ResponseBudget budget() {
        return ResponseBudget.twice();
    }

    @Override
    public @Nullable String idempotencyKey(ObjectNode arguments) {
        return null;
    }

    @Override
    public void ran(String service) {
        // The request log recorded it when the stream was opened.
    }

    @Override
    public void answered(Answer answer) {
        // Look-ups have no response.
    }
}

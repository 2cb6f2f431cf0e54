package io.agentworkspace.engine.mcp.lanes;

import io.agentworkspace.engine.kernel.streams.StreamLimits;
import io.agentworkspace.engine.kernel.streams.Ticker;
import io.agentworkspace.engine.kernel.wire.ClientInfo;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.kernel.wire.RequestState;
import io.agentworkspace.engine.kernel.wire.RpcError;
import io.agentworkspace.engine.mcp.streams.McpExchange;
import io.agentworkspace.engine.mcp.streams.NotificationStreams;
import io.agentworkspace.engine.mcp.streams.StreamOpener;
import io.agentworkspace.engine.mcp.streams.StreamableResponse;
import java.time.Clock;
import java.time.Instant;
import java.util.List;

/** What the lanes share: signatures, streams, the timer, and stored session data. */
public record LaneContext(
        RequestState states, SessionIds sessionIds, SessionStore sessions, StreamOpener listen, Streams streams) {
    /**
     * What the streams of this replica need.
     *
     * @param listeners the streams that are notified of changes
     */
    public record Streams(Ticker ticker, StreamLimits bounds, NotificationStreams listeners, Clock clock) {}

    Instant now() {
        return streams.clock().instant();
    }

    /** Begins the response on the current thread, which produces it. */
    StreamableResponse begin(McpExchange exchange) {
        var places = streams.bounds().of(exchange.caller());
        return StreamableResponse.begin(exchange, places, streams.ticker());
    }

    /** @throws RpcError if a question requires a capability that the client did not declare */
    static void checkAbilities(MethodResult.Ask ask, ClientInfo client) {
        List<ClientInfo.Ability> missing = ask.questions().values().stream()
                .map(ClientInfo.Ability::of)
                .distinct()
                .filter(ability -> !client.can(ability))
                .toList();
        if (!missing.isEmpty()) {
            throw RpcError.missingAbilities(missing);
        }
    }
}

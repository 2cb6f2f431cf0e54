package io.agentworkspace.engine.mcp.lanes;

import io.agentworkspace.engine.kernel.changes.DatabaseSignals;
import io.agentworkspace.engine.mcp.streams.StreamableResponse;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.databind.JsonNode;

/** The running session requests of this replica. {@code notifications/cancelled} looks them up here. */
public final class RunningRequests implements DatabaseSignals.Listener {
    private static final String CANCEL = "cancel";

    private final ConcurrentHashMap<RequestKey, StreamableResponse> replies = new ConcurrentHashMap<>();
    private final SessionStore sessions;

    public RunningRequests(SessionStore sessions) {
        this.sessions = sessions;
    }

    private record RequestKey(long tenant, String session, String request) {
        static RequestKey of(McpSession session, JsonNode request) {
            return new RequestKey(session.handle().tenant(), session.handle().id(), request.toString());
        }
    }

    /** Makes the request cancellable until the entry is closed. */
    Registration enter(McpSession session, JsonNode request, StreamableResponse response) {
        var key = RequestKey.of(session, request);
        replies.put(key, response);
        return () -> replies.remove(key, response);
    }

    /** A running request. */
    @FunctionalInterface
    interface Registration extends AutoCloseable {
        @Override
        void close();
    }

    /** Cancels the request on this replica, or signals the other replicas if it does not run here. */
    void cancel(McpSession session, JsonNode request) {
        var key = RequestKey.of(session, request);
        if (!cancel(key) && key.request().length() < 1_000) {
            sessions.signal(
                    new DatabaseSignals.Signal(key.tenant(), CANCEL, List.of(key.session(), key.request()), null));
        }
    }

    private boolean cancel(RequestKey key) {
        var response = replies.get(key);
        if (response != null) {
            response.cancel();
        }
        return response != null;
    }

    @Override
    public void received(DatabaseSignals.Signal signal) {
        if (signal.k().equals(CANCEL) && signal.n().size() == 2) {
            var key = new RequestKey(signal.t(), signal.n().get(0), signal.n().get(1));
            Thread.startVirtualThread(() -> cancel(key));
        }
    }

    @Override
    public void gap() {
        // A missed cancellation has the same effect as one that arrives too late.
    }
}

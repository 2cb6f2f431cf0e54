package io.agentworkspace.engine.mcp.lanes;

import io.agentworkspace.engine.db.DatabaseSignals;
import io.agentworkspace.engine.mcp.streams.StreamableResponse;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.databind.JsonNode;

/** The requests of sessions that this replica is working at, so that {@code notifications/cancelled} finds them. */
public final class RunningRequests implements DatabaseSignals.Listener {
    private static final String CANCEL = "cancel";

    private final ConcurrentHashMap<Key, StreamableResponse> replies = new ConcurrentHashMap<>();
    private final SessionStore sessions;

    public RunningRequests(SessionStore sessions) {
        this.sessions = sessions;
    }

    private record Key(long tenant, String session, String request) {
        static Key of(McpSession session, JsonNode request) {
            return new Key(session.handle().tenant(), session.handle().id(), request.toString());
        }
    }

    /** Until it is closed, the request can be cancelled. */
    Entry enter(McpSession session, JsonNode request, StreamableResponse response) {
        var key = Key.of(session, request);
        replies.put(key, response);
        return () -> replies.remove(key, response);
    }

    /** A request that is being worked at. */
    @FunctionalInterface
    interface Entry extends AutoCloseable {
        @Override
        void close();
    }

    /** Here, or else wherever it is worked at. */
    void cancel(McpSession session, JsonNode request) {
        var key = Key.of(session, request);
        if (!cancel(key) && key.request().length() < 1_000) {
            sessions.tell(
                    new DatabaseSignals.Signal(key.tenant(), CANCEL, List.of(key.session(), key.request()), null));
        }
    }

    private boolean cancel(Key key) {
        var response = replies.get(key);
        if (response != null) {
            response.cancel();
        }
        return response != null;
    }

    @Override
    public void heard(DatabaseSignals.Signal signal) {
        if (signal.k().equals(CANCEL) && signal.n().size() == 2) {
            var key = new Key(signal.t(), signal.n().get(0), signal.n().get(1));
            Thread.startVirtualThread(() -> cancel(key));
        }
    }

    @Override
    public void gap() {
        // A cancellation that was missed is one that came too late.
    }
}

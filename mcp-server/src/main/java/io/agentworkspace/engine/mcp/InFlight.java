package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.store.SessionStore;
import io.agentworkspace.engine.store.Signals;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.databind.JsonNode;

/** The requests of sessions that this replica is working at, so that {@code notifications/cancelled} finds them. */
final class InFlight implements Signals.Listener {
    private static final String CANCEL = "cancel";

    private final ConcurrentHashMap<Key, Reply> replies = new ConcurrentHashMap<>();
    private final SessionStore sessions;

    InFlight(SessionStore sessions) {
        this.sessions = sessions;
    }

    private record Key(long tenant, String session, String request) {
        static Key of(Session session, JsonNode request) {
            return new Key(session.handle().tenant(), session.handle().id(), request.toString());
        }
    }

    /** Until it is closed, the request can be cancelled. */
    Entry enter(Session session, JsonNode request, Reply reply) {
        var key = Key.of(session, request);
        replies.put(key, reply);
        return () -> replies.remove(key, reply);
    }

    /** A request that is being worked at. */
    @FunctionalInterface
    interface Entry extends AutoCloseable {
        @Override
        void close();
    }

    /** Here, or else wherever it is worked at. */
    void cancel(Session session, JsonNode request) {
        var key = Key.of(session, request);
        if (!cancel(key) && key.request().length() < 1_000) {
            sessions.tell(new Signals.Signal(key.tenant(), CANCEL, List.of(key.session(), key.request()), null));
        }
    }

    private boolean cancel(Key key) {
        var reply = replies.get(key);
        if (reply != null) {
            reply.cancel();
        }
        return reply != null;
    }

    @Override
    public void heard(Signals.Signal signal) {
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

package io.agentworkspace.engine.mcp.lanes;

import io.agentworkspace.engine.db.DatabaseSignals;
import io.agentworkspace.engine.mcp.streams.NotificationStream;
import io.agentworkspace.engine.mcp.streams.Subscriptions;
import io.agentworkspace.engine.mcp.wire.RpcError;
import io.agentworkspace.engine.model.problem.Cause;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The streams that sessions open with GET. A session has one at a time, whichever replica holds it: a newer one takes
 * over. A session may have subscribed at another replica, so its subscriptions are looked up when they change.
 */
public final class SessionStreams implements DatabaseSignals.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(SessionStreams.class);
    private static final String STREAM = "stream";

    private final LaneContext workings;

    public SessionStreams(LaneContext workings) {
        this.workings = workings;
    }

    void open(SessionVisit visit) {
        var exchange = visit.exchange();
        if (!exchange.takesEvents()) {
            throw RpcError.invalidRequest(
                    Problem.invalid("the header Accept", "must hold text/event-stream")
                            .because(Cause.ACCEPT),
                    exchange.requestId());
        }
        exchange.ran("stream");
        var handle = visit.session().handle();
        var opened = workings.sessions().next();
        var listener = workings.listen()
                .session(exchange, new NotificationStream.Purpose(null, handle.id(), opened), visit.quietTurn());
        listener.onSession(() -> refresh(listener, visit));
        // It is already notified of subscriptions, so none can be missed between this look-up and the next
        // notification.
        listener.sessionChanged();
        listener.start(null);
        workings.sessions()
                .tell(new DatabaseSignals.Signal(
                        handle.tenant(), STREAM, List.of(handle.id(), Long.toString(opened)), null));
    }

    private void refresh(NotificationStream listener, SessionVisit visit) {
        try {
            var handle = visit.session().handle();
            if (workings.sessions().state(handle).ended()) {
                listener.end();
            } else {
                var uris = workings.sessions().subscriptions(handle);
                listener.wishes(new Subscriptions(
                        listener.wishes().lists(), workings.listen().watched(uris, visit.quietTurn())));
            }
        } catch (Problem | RpcError e) {
            LOG.debug("the subscriptions of a session could not be read", e);
            listener.end(); // Its client opens a new one.
        }
    }

    @Override
    public void heard(DatabaseSignals.Signal signal) {
        if (signal.n().isEmpty()) {
            return;
        }
        var session = signal.n().getFirst();
        var listeners = workings.streams().listeners();
        switch (signal.k()) {
            case DatabaseSignals.SESSION ->
                listeners.ofSession(
                        signal.t(), session, listener -> Thread.startVirtualThread(listener::sessionChanged));
            case STREAM -> {
                var newer = Long.parseLong(signal.n().getLast());
                listeners.ofSession(signal.t(), session, listener -> {
                    if (listener.purpose().opened() < newer) {
                        listener.end();
                    }
                });
            }
            default -> {}
        }
    }

    @Override
    public void gap() {
        workings.streams().listeners().ofSessions(listener -> Thread.startVirtualThread(listener::sessionChanged));
    }
}

package io.agentworkspace.engine.mcp.lanes;

import io.agentworkspace.engine.kernel.changes.DatabaseSignals;
import io.agentworkspace.engine.kernel.wire.RpcError;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.streams.NotificationStream;
import io.agentworkspace.engine.mcp.streams.StreamOrigin;
import io.agentworkspace.engine.model.problem.Cause;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The streams that sessions open with GET. A session has one stream at a time across all replicas: a newer one replaces
 * the older. A session may have subscribed on another replica, so its subscriptions are looked up when they change.
 */
public final class SessionStreams implements DatabaseSignals.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(SessionStreams.class);
    private static final String STREAM = "stream";

    private final LaneContext lane;

    public SessionStreams(LaneContext lane) {
        this.lane = lane;
    }

    void open(SessionVisit visit) {
        var exchange = visit.exchange();
        if (!exchange.allowsEvents()) {
            throw RpcError.invalidRequest(
                    Problem.invalid("the header Accept", "must allow text/event-stream")
                            .because(Cause.ACCEPT),
                    exchange.requestId());
        }
        exchange.ran("stream");
        var handle = visit.session().handle();
        var opened = lane.sessions().next();
        var lookUps = StreamOrigin.requestOf(exchange, visit.session().client());
        // Without memory for all of them, the client gets a refusal, not a stream that ends at once.
        var stream = lane.listen()
                .session(
                        exchange,
                        new NotificationStream.Purpose(null, handle.id(), opened),
                        lane.sessions().subscriptions(handle),
                        lookUps);
        stream.onSession(() -> refresh(stream, handle, lookUps));
        // The stream already receives signals, so no change is missed between this look-up and the next signal.
        stream.sessionChanged();
        stream.start(null);
        lane.sessions()
                .signal(new DatabaseSignals.Signal(
                        handle.tenant(), STREAM, List.of(handle.id(), Long.toString(opened)), null));
    }

    private void refresh(NotificationStream stream, SessionStore.Handle handle, McpRequest lookUps) {
        try {
            if (lane.sessions().state(handle).ended()) {
                stream.end();
            } else {
                var uris = lane.sessions().subscriptions(handle);
                var before = stream.subscriptions();
                var added = lane.listen().watched(before.unknown(uris), lookUps);
                stream.subscriptions(before.renewed(uris, added));
            }
        } catch (Problem | RpcError e) {
            LOG.debug("the subscriptions of a session could not be renewed", e);
            stream.end(); // The client opens a new one, or gets the refusal with its reason.
        }
    }

    @Override
    public void received(DatabaseSignals.Signal signal) {
        if (signal.n().isEmpty()) {
            return;
        }
        var session = signal.n().getFirst();
        var listeners = lane.streams().listeners();
        switch (signal.k()) {
            case DatabaseSignals.SESSION ->
                listeners.ofSession(signal.t(), session, stream -> Thread.startVirtualThread(stream::sessionChanged));
            case STREAM -> {
                var newer = Long.parseLong(signal.n().getLast());
                listeners.ofSession(signal.t(), session, stream -> {
                    if (stream.purpose().opened() < newer) {
                        stream.end();
                    }
                });
            }
            default -> {}
        }
    }

    @Override
    public void gap() {
        lane.streams().listeners().ofSessions(stream -> Thread.startVirtualThread(stream::sessionChanged));
    }
}

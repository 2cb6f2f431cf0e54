package io.agentworkspace.engine.mcp.streams;

import io.agentworkspace.engine.integrations.upstreams.UpstreamWatch;
import io.agentworkspace.engine.kernel.changes.DatabaseSignals;
import io.agentworkspace.engine.kernel.streams.Hub;
import io.agentworkspace.engine.kernel.streams.ListeningTenants;
import io.agentworkspace.engine.kernel.streams.Ticker;
import io.agentworkspace.engine.kernel.wire.SubscribedChange;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** The listeners of this replica, by tenant. It receives changes and notifies the listeners that they concern. */
public final class NotificationStreams implements DatabaseSignals.Listener {
    /** The topic of the log of changes that reports that access has changed. */
    private static final String ACCESS = "access";

    private final ConcurrentHashMap<Long, AccessCache> access = new ConcurrentHashMap<>();
    private final Hub<NotificationStream> hub;

    public NotificationStreams(Ticker ticker, ListeningTenants listening) {
        // A signal is all that there is to read. After a gap, anything may have changed.
        hub = new Hub<>(ticker, listening, _ -> false, streams -> streams.forEach(NotificationStream::tellAll));
        hub.start();
        // An access change in progress when the tenant's first listener came was not signalled.
        ticker.every(ListeningTenants.RENEWAL, this::late);
    }

    public Hub<NotificationStream> hub() {
        return hub;
    }

    /** Returns what the listeners of this replica want to hear of installed servers. */
    public List<UpstreamWatch.Listener> ofUpstreams() {
        var listeners = new ArrayList<UpstreamWatch.Listener>();
        hub.all().forEach(stream -> {
            var subscriptions = stream.subscriptions();
            listeners.add(new UpstreamWatch.Listener(
                    stream.caller(),
                    subscriptions.ofUpstreams(),
                    !subscriptions.lists().isEmpty()));
        });
        return listeners;
    }

    /** Notifies a user's listeners of a change of an installed server's resource. */
    public void updated(long tenant, long user, String upstream, String uri) {
        var change = SubscribedChange.ofUpstream(tenant, upstream, uri);
        hub.of(tenant).filter(stream -> stream.caller().user() == user).forEach(stream -> stream.deliver(change));
    }

    /** Returns the cache of what this tenant's listeners may see. */
    AccessCache access(long tenant) {
        return access.computeIfAbsent(tenant, _ -> new AccessCache());
    }

    /** Applies the action to the listeners of a session. */
    public void ofSession(long tenant, String session, Consumer<NotificationStream> use) {
        hub.of(tenant)
                .filter(stream -> session.equals(stream.purpose().session()))
                .forEach(use);
    }

    /** Applies the action to the listeners of all sessions. */
    public void ofSessions(Consumer<NotificationStream> use) {
        hub.all().filter(stream -> stream.purpose().session() != null).forEach(use);
    }

    @Override
    public void received(DatabaseSignals.Signal signal) {
        if (signal.k().equals(ACCESS)) {
            access(signal.t()).forget();
            return;
        }
        var change = new SubscribedChange(signal.t(), signal.k(), signal.n());
        hub.of(signal.t()).filter(stream -> concerns(signal, stream)).forEach(stream -> stream.deliver(change));
    }

    /**
     * Returns whether a change of access concerns the stream. Admins see everything in their tenant, so none concerns them.
     */
    private static boolean concerns(DatabaseSignals.Signal signal, NotificationStream stream) {
        var users = signal.u();
        return users == null
                || users.contains(stream.caller().user())
                || stream.caller().isAdmin();
    }

    @Override
    public void late() {
        access.values().forEach(AccessCache::forget);
    }

    @Override
    public void gap() {
        late();
        hub.gap();
    }
}

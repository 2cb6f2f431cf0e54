package io.agentworkspace.engine.mcp.streams;

import io.agentworkspace.engine.integrations.upstreams.UpstreamWatch;
import io.agentworkspace.engine.kernel.changes.DatabaseSignals;
import io.agentworkspace.engine.kernel.streams.CredentialCheck;
import io.agentworkspace.engine.kernel.streams.ListeningTenants;
import io.agentworkspace.engine.kernel.streams.Ticker;
import io.agentworkspace.engine.kernel.wire.SubscribedChange;
import io.agentworkspace.engine.model.problem.Problem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listeners of this replica, by tenant. It receives changes and notifies the listeners that they concern. */
public final class NotificationStreams implements DatabaseSignals.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(NotificationStreams.class);
    private static final Duration KEEP_ALIVE = Duration.ofSeconds(10);
    private static final Duration CHECK = Duration.ofMillis(500);

    /** The topic of the log of changes that reports that access has changed. */
    private static final String ACCESS = "access";

    private final ConcurrentHashMap<Long, Set<NotificationStream>> tenants = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Long, AccessCache> access = new ConcurrentHashMap<>();
    private final ListeningTenants listening;

    public NotificationStreams(Ticker ticker, ListeningTenants listening) {
        this.listening = listening;
        ticker.every(KEEP_ALIVE, () -> each(NotificationStream::keepAlive));
        ticker.every(ListeningTenants.HOLDS.dividedBy(4), this::renew);
        ticker.every(CHECK, this::endInvalid);
    }

    /** Ends streams whose credential is invalid. Each credential is looked up once, however many streams it has. */
    private void endInvalid() {
        var credentials = new CredentialCheck();
        each(stream -> stream.endIfInvalid(credentials::isValid));
    }

    /** Starts to receive the changes of a tenant on this replica. */
    void open(long tenant) {
        if (!tenants.containsKey(tenant)) {
            listening.in(Set.of(tenant));
        }
    }

    private void renew() {
        // An access change in progress when the tenant's first listener came was not signalled.
        access.values().forEach(AccessCache::forget);
        try {
            listening.in(Set.copyOf(tenants.keySet()));
        } catch (Problem e) {
            LOG.debug("postponed: {}", e.note());
        }
    }

    void add(NotificationStream stream) {
        tenants.compute(stream.caller().tenant(), (_, set) -> {
            var listeners = set == null ? ConcurrentHashMap.<NotificationStream>newKeySet() : set;
            listeners.add(stream);
            return listeners;
        });
    }

    void remove(NotificationStream stream) {
        tenants.computeIfPresent(stream.caller().tenant(), (tenant, listeners) -> {
            listeners.remove(stream);
            if (listeners.isEmpty()) {
                access(tenant).forget();
                return null;
            }
            return listeners;
        });
    }

    /** Returns what the listeners of this replica want to hear of installed servers. */
    public List<UpstreamWatch.Listener> ofUpstreams() {
        var listeners = new ArrayList<UpstreamWatch.Listener>();
        each(stream -> {
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
        tenants.getOrDefault(tenant, Set.of()).stream()
                .filter(stream -> stream.caller().user() == user)
                .forEach(stream -> stream.deliver(change));
    }

    /** Returns the cache of what this tenant's listeners may see. */
    AccessCache access(long tenant) {
        return access.computeIfAbsent(tenant, _ -> new AccessCache());
    }

    /** Applies the action to the listeners of a session. */
    public void ofSession(long tenant, String session, Consumer<NotificationStream> use) {
        tenants.getOrDefault(tenant, Set.of()).stream()
                .filter(stream -> session.equals(stream.purpose().session()))
                .forEach(use);
    }

    /** Applies the action to the listeners of all sessions. */
    public void ofSessions(Consumer<NotificationStream> use) {
        each(stream -> {
            if (stream.purpose().session() != null) {
                use.accept(stream);
            }
        });
    }

    @Override
    public void received(DatabaseSignals.Signal signal) {
        if (signal.k().equals(ACCESS)) {
            access(signal.t()).forget();
            return;
        }
        var change = new SubscribedChange(signal.t(), signal.k(), signal.n());
        for (var stream : tenants.getOrDefault(signal.t(), Set.of())) {
            if (concerns(signal, stream)) {
                stream.deliver(change);
            }
        }
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
        late(); // At once, since the renewal waits for the database.
        Thread.startVirtualThread(this::renew);
        each(NotificationStream::tellAll);
    }

    /** Ends all streams. The result completes when they have ended. */
    public CompletableFuture<Void> endAll() {
        var ends = new ArrayList<CompletableFuture<Void>>();
        each(stream -> ends.add(stream.ended()));
        each(NotificationStream::end);
        return CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new));
    }

    boolean isEmpty() {
        return tenants.isEmpty();
    }

    private void each(Consumer<NotificationStream> use) {
        tenants.values().forEach(listeners -> listeners.forEach(use));
    }
}

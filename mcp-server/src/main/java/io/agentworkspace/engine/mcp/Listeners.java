package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.model.Problem;
import io.agentworkspace.engine.store.Interest;
import io.agentworkspace.engine.store.Signals;
import java.time.Duration;
import java.util.HashMap;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listeners of this replica, by tenant: receives changes and notifies those whom they concern. */
final class Listeners implements Signals.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(Listeners.class);
    private static final Duration KEEP_ALIVE = Duration.ofSeconds(10);
    private static final Duration CHECK = Duration.ofMillis(500);

    /** The signal of the database's triggers that access has changed. */
    private static final String ACCESS = "access";

    private final ConcurrentHashMap<Long, Set<Listener>> tenants = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Long, KnownAccess> access = new ConcurrentHashMap<>();
    private final Interest interest;

    Listeners(Pulse pulse, Interest interest) {
        this.interest = interest;
        pulse.every(KEEP_ALIVE, () -> each(Listener::keepAlive));
        pulse.every(Interest.HOLDS.dividedBy(4), this::renew);
        pulse.every(CHECK, this::endInvalid);
    }

    /** A credential is looked up once, however many streams it has. */
    private void endInvalid() {
        var known = new HashMap<BooleanSupplier, Boolean>();
        each(listener -> listener.endIfInvalid(valid -> known.computeIfAbsent(valid, BooleanSupplier::getAsBoolean)));
    }

    /** Makes sure that this replica is notified of changes in a tenant. */
    void open(long tenant) {
        if (!tenants.containsKey(tenant)) {
            interest.in(Set.of(tenant));
        }
    }

    private void renew() {
        // A change of access that was in progress when the tenant's first listener came was not signalled.
        access.values().forEach(KnownAccess::forget);
        try {
            interest.in(Set.copyOf(tenants.keySet()));
        } catch (Problem e) {
            LOG.debug("put off: {}", e.note());
        }
    }

    void add(Listener listener) {
        tenants.compute(listener.caller().tenant(), (_, set) -> {
            var listeners = set == null ? ConcurrentHashMap.<Listener>newKeySet() : set;
            listeners.add(listener);
            return listeners;
        });
    }

    void remove(Listener listener) {
        tenants.computeIfPresent(listener.caller().tenant(), (tenant, listeners) -> {
            listeners.remove(listener);
            if (listeners.isEmpty()) {
                access(tenant).forget();
                return null;
            }
            return listeners;
        });
    }

    /** The cache of what this tenant's listeners may see. */
    KnownAccess access(long tenant) {
        return access.computeIfAbsent(tenant, _ -> new KnownAccess());
    }

    /** The listeners of a session. */
    void ofSession(long tenant, String session, Consumer<Listener> use) {
        tenants.getOrDefault(tenant, Set.of()).stream()
                .filter(listener -> session.equals(listener.purpose().session()))
                .forEach(use);
    }

    /** The listeners of all sessions. */
    void ofSessions(Consumer<Listener> use) {
        each(listener -> {
            if (listener.purpose().session() != null) {
                use.accept(listener);
            }
        });
    }

    @Override
    public void heard(Signals.Signal signal) {
        if (signal.k().equals(ACCESS)) {
            access(signal.t()).forget();
            return;
        }
        var change = new Change(signal.t(), signal.k(), signal.n());
        for (var listener : tenants.getOrDefault(signal.t(), Set.of())) {
            if (concerns(signal, listener)) {
                listener.tell(change);
            }
        }
    }

    /** Admins see all in their tenant. */
    private static boolean concerns(Signals.Signal signal, Listener listener) {
        var users = signal.u();
        return users == null
                || users.contains(listener.caller().user())
                || listener.caller().isAdmin();
    }

    @Override
    public void gap() {
        access.values().forEach(KnownAccess::forget); // At once: the renewal waits for the database.
        Thread.startVirtualThread(this::renew);
        each(Listener::tellAll);
    }

    void endAll() {
        each(Listener::end);
    }

    boolean isEmpty() {
        return tenants.isEmpty();
    }

    private void each(Consumer<Listener> use) {
        tenants.values().forEach(listeners -> listeners.forEach(use));
    }
}

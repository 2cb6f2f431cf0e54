package io.agentworkspace.engine.kernel.streams;

import io.agentworkspace.engine.kernel.changes.DatabaseSignals;
import io.agentworkspace.engine.model.problem.Problem;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.eclipse.jetty.util.component.Graceful;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who listens on this replica, by tenant: streams, and calls that wait. However many changes are signalled, one read at a
 * time serves all who see the same. As a bean of a handler, it ends its streams when the server stops.
 */
public final class Hub<S extends Hub.Subscriber> implements DatabaseSignals.Listener, Graceful {
    private static final Logger LOG = LoggerFactory.getLogger(Hub.class);
    private static final Duration KEEP_ALIVE = Duration.ofSeconds(10);
    private static final Duration CHECK = Duration.ofMillis(400);

    private final Map<Long, Map<Object, Group>> tenants = new ConcurrentHashMap<>();
    private final Ticker ticker;
    private final ListeningTenants listening;
    private final Predicate<String> kinds;
    private final Consumer<List<S>> reader;
    private volatile boolean isStopping;

    /** One who listens. */
    public interface Subscriber {
        long tenant();

        /** What identifies those of the tenant who see the same. */
        default Object audience() {
            return "";
        }

        /** Returns whether the credential is still valid. Equal ones return the same. */
        BooleanSupplier validity();

        /** Shows a client that its stream is alive. */
        default void keepAlive() {}

        void end();

        /** Completes when it listens no longer. */
        CompletableFuture<Void> ended();
    }

    /** Those who see the same. */
    private final class Group {
        private final Set<S> subscribers = ConcurrentHashMap.newKeySet();
        private final Coalescer reads = new Coalescer(ticker, this::read);

        private void read() {
            var present = List.copyOf(subscribers);
            if (!present.isEmpty()) {
                attempt(() -> reader.accept(present));
            }
        }
    }

    /**
     * @param kinds of the signals that may concern subscribers
     * @param reader reads for subscribers who see the same. If it throws a Problem, the next signal reads again
     */
    public Hub(Ticker ticker, ListeningTenants listening, Predicate<String> kinds, Consumer<List<S>> reader) {
        this.ticker = ticker;
        this.listening = listening;
        this.kinds = kinds;
        this.reader = reader;
    }

    /** Starts to look after the subscribers. */
    public void start() {
        ticker.every(KEEP_ALIVE, () -> all().forEach(Subscriber::keepAlive));
        ticker.every(ListeningTenants.RENEWAL, this::renew);
        ticker.every(CHECK, this::endInvalid);
    }

    /**
     * Makes sure that changes in the tenant are logged and signalled whose statements begin after it returns. A change that is
     * being written meanwhile may be missing, because its statement cannot see yet that somebody listens.
     *
     * @throws Problem {@code unavailable}, also if the server stops
     */
    public void listen(long tenant) {
        if (isStopping) {
            throw Problem.unavailable();
        }
        listening.in(tenant);
    }

    /** Adds a subscriber, which is removed when it has ended. */
    public void add(S subscriber) {
        tenants.compute(subscriber.tenant(), (_, present) -> {
            var groups = present == null ? new ConcurrentHashMap<Object, Group>() : present;
            groups.computeIfAbsent(subscriber.audience(), _ -> new Group())
                    .subscribers
                    .add(subscriber);
            return groups;
        });
        subscriber.ended().thenRun(() -> remove(subscriber));
        if (isStopping) {
            subscriber.end();
        }
    }

    private void remove(S subscriber) {
        tenants.computeIfPresent(subscriber.tenant(), (_, groups) -> {
            groups.computeIfPresent(subscriber.audience(), (_, group) -> {
                group.subscribers.remove(subscriber);
                return group.subscribers.isEmpty() ? null : group;
            });
            return groups.isEmpty() ? null : groups;
        });
    }

    /** Returns the subscribers of a tenant. */
    public Stream<S> of(long tenant) {
        return tenants.getOrDefault(tenant, Map.of()).values().stream().flatMap(group -> group.subscribers.stream());
    }

    /** Returns all subscribers. */
    public Stream<S> all() {
        return tenants.keySet().stream().flatMap(this::of);
    }

    /** Reads for this subscriber, and those who see the same. */
    public void wake(S subscriber) {
        var group = tenants.getOrDefault(subscriber.tenant(), Map.of()).get(subscriber.audience());
        if (group != null) {
            group.reads.signal();
        }
    }

    /** Reads for all subscribers. */
    public void wakeAll() {
        tenants.keySet().forEach(this::wake);
    }

    private void wake(long tenant) {
        tenants.getOrDefault(tenant, Map.of()).values().forEach(group -> group.reads.signal());
    }

    @Override
    public void received(DatabaseSignals.Signal signal) {
        if (kinds.test(signal.k())) {
            wake(signal.t());
        }
    }

    @Override
    public void gap() {
        listening.forget();
        Thread.startVirtualThread(this::renew);
        wakeAll();
    }

    private void renew() {
        attempt(() -> listening.renew(tenants.keySet()));
    }

    private static void attempt(Runnable work) {
        try {
            work.run();
        } catch (Problem e) {
            LOG.debug("postponed: {}", e.note());
        }
    }

    /** Ends subscribers whose credential is no longer valid. It is looked up once, however many of them have it. */
    private void endInvalid() {
        var valid = new HashMap<BooleanSupplier, Boolean>();
        all().filter(each -> !valid.computeIfAbsent(each.validity(), BooleanSupplier::getAsBoolean))
                .forEach(Subscriber::end);
    }

    /** Ends all streams. The result completes when their clients have received the end. */
    @Override
    public CompletableFuture<Void> shutdown() {
        isStopping = true;
        var open = all().toList();
        open.forEach(Subscriber::end);
        return CompletableFuture.allOf(open.stream().map(Subscriber::ended).toArray(CompletableFuture[]::new));
    }

    @Override
    public boolean isShutdown() {
        return isStopping;
    }
}

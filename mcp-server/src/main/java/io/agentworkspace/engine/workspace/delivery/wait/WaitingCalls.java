package io.agentworkspace.engine.workspace.delivery.wait;

import io.agentworkspace.engine.kernel.changes.DatabaseSignals;
import io.agentworkspace.engine.kernel.scheduling.OpenRequest;
import io.agentworkspace.engine.kernel.streams.CredentialCheck;
import io.agentworkspace.engine.kernel.streams.ListeningTenants;
import io.agentworkspace.engine.kernel.streams.Ticker;
import io.agentworkspace.engine.model.change.ChangeTopic;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls of this replica that wait for messages. A message that is sent on any replica is signalled through the database;
 * then one statement finds which of the tenant's waiting calls it may concern, and only those look.
 */
public final class WaitingCalls implements DatabaseSignals.Listener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WaitingCalls.class);

    private static final String MESSAGES = ChangeTopic.MESSAGES.word();

    private static final Duration CHECK = Duration.ofMillis(400);

    /** A message that was being sent when the tenant's first call began to wait is not signalled. */
    private static final Duration LOOK = Duration.ofSeconds(1);

    private static final Duration PROGRESS = Duration.ofSeconds(10);
    private static final Duration RENEWAL = ListeningTenants.HOLDS.dividedBy(4);

    private final Ticker ticker = new Ticker();
    private final WaitSlots slots;
    private final Map<Long, WaitingTenant> tenants = new ConcurrentHashMap<>();
    private final Map<Long, Instant> listening = new ConcurrentHashMap<>();
    private final WaitQueries queries;
    private final ListeningTenants listeners;
    private final WakeStore wakes;
    private final Clock clock;
    private volatile boolean isStopping;

    /** @param most how many calls may wait on this replica in all */
    public WaitingCalls(WaitQueries queries, ListeningTenants listeners, WakeStore wakes, int most, Clock clock) {
        this.slots = new WaitSlots(most);
        this.queries = queries;
        this.listeners = listeners;
        this.wakes = wakes;
        this.clock = clock;
    }

    /** Starts to look after the calls that wait. */
    public void start() {
        ticker.every(CHECK, this::endInvalid);
        ticker.every(LOOK, () -> tenants.values().forEach(WaitingTenant::look));
        ticker.every(RENEWAL, this::renew);
        ticker.every(WakeStore.RENEWAL, () -> attempt(wakes::renew));
    }

    /**
     * Waits until there is something to show.
     *
     * @param look returns what there is; it is called when that may have changed, and at the end of the time,
     *     which comes early if the engine stops
     * @throws Problem if too many calls wait, the credential becomes invalid, or the client goes away
     */
    <T> Optional<T> await(Call call, Narrowing narrowing, Duration longest, Supplier<Optional<T>> look) {
        var tenant = call.caller().tenant();
        var party = call.context().speaker().id();
        var begin = clock.instant();
        var waiting = new WaitingCall(party, narrowing, OpenRequest.current(), begin.plus(longest));
        try (var _ = slots.take(call.caller());
                var _ = wakes.open(tenant, party, WakeKind.WAIT, narrowing)) {
            enter(tenant, waiting);
            call.progress().begin();
            return await(call, waiting, begin, look);
        } finally {
            leave(tenant, waiting);
        }
    }

    private <T> Optional<T> await(Call call, WaitingCall waiting, Instant begin, Supplier<Optional<T>> look) {
        var total = seconds(begin, waiting.until());
        while (true) {
            waiting.check();
            var found = look.get();
            var now = clock.instant();
            if (found.isPresent() || isStopping || !now.isBefore(waiting.until())) {
                return found;
            }
            var resumption = waiting.request().pause().get();
            var left = Duration.between(now, waiting.until());
            waiting.await(left.compareTo(PROGRESS) < 0 ? left : PROGRESS);
            resumption.run();
            call.progress().report(seconds(begin, clock.instant()), total, "waiting for a message");
        }
    }

    private static double seconds(Instant from, Instant until) {
        return Duration.between(from, until).toMillis() / 1000.0;
    }

    private void enter(long tenant, WaitingCall waiting) {
        listen(tenant);
        tenants.compute(tenant, (_, present) -> {
            var joined = present == null ? new WaitingTenant(tenant, queries, ticker) : present;
            joined.calls().add(waiting);
            return joined;
        });
    }

    private void leave(long tenant, WaitingCall waiting) {
        tenants.computeIfPresent(tenant, (_, entry) -> {
            entry.calls().remove(waiting);
            return entry.calls().isEmpty() ? null : entry;
        });
    }

    /** Makes sure that messages of the tenant are signalled. */
    private void listen(long tenant) {
        var now = clock.instant();
        var since = listening.get(tenant);
        if (since == null || since.plus(RENEWAL).isBefore(now)) {
            listeners.in(Set.of(tenant));
            listening.put(tenant, now);
        }
    }

    private void renew() {
        listening.keySet().retainAll(tenants.keySet());
        attempt(() -> {
            var renewed = new HashSet<>(tenants.keySet());
            listeners.in(renewed);
            renewed.forEach(tenant -> listening.put(tenant, clock.instant()));
        });
    }

    private static void attempt(Runnable work) {
        try {
            work.run();
        } catch (Problem e) {
            LOG.debug("postponed: {}", e.note());
        }
    }

    @Override
    public void received(DatabaseSignals.Signal signal) {
        var tenant = signal.k().equals(MESSAGES) ? tenants.get(signal.t()) : null;
        if (tenant != null) {
            tenant.look();
        }
    }

    @Override
    public void gap() {
        tenants.values().forEach(WaitingTenant::look);
    }

    /** Ends calls whose credential is no longer valid or whose client has gone, and wakes those whose time is over. */
    private void endInvalid() {
        var now = clock.instant();
        var credentials = new CredentialCheck();
        each(waiting -> {
            if (!credentials.isValid(waiting.request().validity())) {
                waiting.end(WaitingCall.revoked());
            } else if (!now.isBefore(waiting.until())
                    || waiting.request().gone().getAsBoolean()) {
                waiting.wake();
            }
        });
    }

    private void each(Consumer<WaitingCall> use) {
        tenants.values().forEach(tenant -> tenant.calls().forEach(use));
    }

    /** Returns how many calls wait. */
    public int size() {
        return tenants.values().stream()
                .mapToInt(tenant -> tenant.calls().size())
                .sum();
    }

    /** Ends all waits as if their time were over, since the engine stops. */
    @Override
    public void close() {
        isStopping = true;
        each(WaitingCall::wake);
        ticker.close();
    }
}

package io.agentworkspace.engine.workspace.delivery.wait;

import io.agentworkspace.engine.kernel.changes.DatabaseSignals;
import io.agentworkspace.engine.kernel.scheduling.OpenRequest;
import io.agentworkspace.engine.kernel.streams.Hub;
import io.agentworkspace.engine.kernel.streams.ListeningTenants;
import io.agentworkspace.engine.kernel.streams.Ticker;
import io.agentworkspace.engine.model.change.ChangeTopic;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The calls of this replica that wait for messages. A message that is sent on any replica is signalled through the database;
 * then one statement finds which of the tenant's waiting calls it may concern, and only those look.
 */
public final class WaitingCalls implements AutoCloseable {
    private static final Duration CHECK = Duration.ofMillis(400);

    /** A message that was being sent when the tenant's first call began to wait is not signalled. */
    private static final Duration LOOK = Duration.ofSeconds(1);

    private static final Duration PROGRESS = Duration.ofSeconds(10);

    private final Ticker ticker = new Ticker();
    private final WaitSlots slots;
    private final Hub<WaitingCall> hub;
    private final WaitQueries queries;
    private final WakeStore wakes;
    private final Clock clock;
    private volatile boolean isStopping;

    /** @param most how many calls may wait on this replica in all */
    public WaitingCalls(WaitQueries queries, ListeningTenants listeners, WakeStore wakes, int most, Clock clock) {
        this.slots = new WaitSlots(most);
        this.queries = queries;
        this.wakes = wakes;
        this.clock = clock;
        this.hub = new Hub<>(ticker, listeners, ChangeTopic.MESSAGES.word()::equals, this::wakeChanged);
    }

    /** Starts to look after the calls that wait. */
    public void start() {
        hub.start();
        ticker.every(CHECK, this::wakeEnding);
        ticker.every(LOOK, hub::wakeAll);
        ticker.every(WakeStore.RENEWAL, wakes::renew);
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
        var waiting = new WaitingCall(tenant, party, narrowing, OpenRequest.current(), begin.plus(longest));
        try (var _ = slots.take(call.caller());
                var _ = wakes.open(tenant, party, WakeKind.WAIT, narrowing)) {
            hub.listen(tenant);
            hub.add(waiting);
            call.progress().begin();
            return await(call, waiting, begin, look);
        } finally {
            waiting.ended().complete(null);
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

    /** Returns the listener for the database's signals. */
    DatabaseSignals.Listener listener() {
        return hub;
    }

    /** Wakes those of a tenant's calls for which something has changed. */
    private void wakeChanged(List<WaitingCall> waiting) {
        var states = queries.states(waiting.getFirst().tenant(), waiting);
        for (var i = 0; i < waiting.size(); i++) {
            waiting.get(i).changed(states.get(i));
        }
    }

    /** Wakes calls whose time is over, or whose client has gone. */
    private void wakeEnding() {
        var now = clock.instant();
        hub.all()
                .filter(waiting -> !now.isBefore(waiting.until())
                        || waiting.request().gone().getAsBoolean())
                .forEach(WaitingCall::wake);
    }

    /** Returns how many calls wait. */
    public int size() {
        return (int) hub.all().count();
    }

    /** Ends all waits as if their time were over, since the engine stops. */
    @Override
    public void close() {
        isStopping = true;
        hub.all().forEach(WaitingCall::wake);
        ticker.close();
    }
}

package io.agentworkspace.engine.integrations.webhooks.outbox;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.agentworkspace.engine.integrations.webhooks.DurationHistogram;
import io.agentworkspace.engine.integrations.webhooks.outbox.OutboxStore.ClaimedDelivery;
import io.agentworkspace.engine.integrations.webhooks.outbox.OutboxStore.Ended;
import io.agentworkspace.engine.integrations.webhooks.outbox.OutboxStore.ReceiverHistory;
import io.agentworkspace.engine.integrations.webhooks.outbox.OutboxStore.ReceiverId;
import io.agentworkspace.engine.integrations.webhooks.outbox.OutboxStore.RecordedAttempt;
import io.agentworkspace.engine.integrations.webhooks.outbox.OutboxStore.Sample;
import io.agentworkspace.engine.integrations.webhooks.sender.AttemptResult;
import io.agentworkspace.engine.kernel.scheduling.TenantTurns;
import io.agentworkspace.engine.model.problem.Problem;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes the results of attempts. Those of a tenant that ended in the meantime are written in one transaction. */
final class AttemptWriter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AttemptWriter.class);
    private static final int BATCH = 500;
    private static final int RETRIES = 19;
    private static final long PAUSE_MILLIS = 200;

    private final OutboxStore store;
    private final RetrySchedule schedule;
    private final CircuitBreaker circuit;
    private final Clock clock;
    private final Runnable written;
    private final TenantTurns judgements = new TenantTurns("receivers that fail are judged");
    private final DelayQueue<Unwritten> waiting = new DelayQueue<>();
    private final Thread writer = Thread.ofVirtual().name("outbox ledger").unstarted(this::run);
    private volatile boolean closed;

    /** @param written runs after each write, since there may be room for more deliveries */
    AttemptWriter(OutboxStore store, RetrySchedule schedule, Clock clock, Runnable written) {
        this.store = store;
        this.schedule = schedule;
        this.circuit = new CircuitBreaker(schedule);
        this.clock = clock;
        this.written = written;
    }

    /** An attempt that has ended. */
    record Attempted(ClaimedDelivery claim, Instant at, AttemptResult outcome) {
        ReceiverId target() {
            return claim.target();
        }

        boolean delivered() {
            return outcome.delivered();
        }

        CircuitBreaker.DeliveryResult result() {
            return new CircuitBreaker.DeliveryResult(at, outcome.status(), delivered());
        }
    }

    /**
     * An attempt whose result is not written yet.
     *
     * @param tries how often that has failed
     * @param due when it is written, as {@link System#nanoTime}
     */
    private record Unwritten(Attempted attempted, int tries, long due) implements Delayed {
        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(due - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.signum(due - ((Unwritten) other).due);
        }
    }

    void start() {
        writer.start();
    }

    void add(Attempted attempted) {
        add(attempted, 0);
    }

    private void add(Attempted attempted, int tries) {
        var pause = tries == 0 ? 0 : TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS);
        waiting.add(new Unwritten(attempted, tries, System.nanoTime() + pause));
    }

    private void run() {
        while (!closed || !waiting.isEmpty()) {
            try {
                var first = waiting.poll(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
                if (first != null) {
                    var batch = new ArrayList<>(List.of(first));
                    waiting.drainTo(batch, BATCH - 1);
                    write(batch);
                    written.run();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /**
     * Writes results, those of each tenant that have failed as often together. What fails is written again after a pause. After the
     * last retry, the leases have expired and another replica has the deliveries.
     */
    private void write(List<Unwritten> all) {
        record Batch(long tenant, int tries) {}
        all.stream()
                .collect(groupingBy(
                        one -> new Batch(one.attempted().target().tenant(), one.tries()), LinkedHashMap::new, toList()))
                .forEach((batch, unwritten) -> {
                    var attempts = unwritten.stream().map(Unwritten::attempted).toList();
                    if (isWritten(batch.tenant(), attempts)) {
                        return;
                    }
                    if (batch.tries() == RETRIES || closed) {
                        LOG.warn(
                                "the results of {} deliveries are lost; they will be attempted again", attempts.size());
                    } else {
                        attempts.forEach(attempted -> add(attempted, batch.tries() + 1));
                    }
                });
    }

    private boolean isWritten(long tenant, List<Attempted> attempts) {
        try {
            write(tenant, attempts);
            return true;
        } catch (Problem e) {
            LOG.debug("the results of deliveries are written later: {}", e.note());
        } catch (RuntimeException e) {
            LOG.warn("could not write the results of {} deliveries; trying again", attempts.size(), e);
        }
        return false;
    }

    private void write(long tenant, List<Attempted> batch) {
        var ended = batch.stream().map(this::ended).toList();
        var byTarget = batch.stream().collect(groupingBy(Attempted::target, LinkedHashMap::new, toList()));
        var samples =
                batch.stream().collect(groupingBy(AttemptWriter::hour, LinkedHashMap::new, toList())).values().stream()
                        .map(AttemptWriter::sample)
                        .toList();
        var failing = byTarget.entrySet().stream()
                .filter(entry -> entry.getValue().stream()
                        .anyMatch(attempted ->
                                !attempted.delivered() || attempted.claim().failing()))
                .map(Map.Entry::getKey)
                .toList();
        if (failing.isEmpty()) {
            var forgiven = store.record(tenant, ended, samples);
            if (!forgiven.isEmpty()) {
                forgive(tenant, forgiven, byTarget);
            }
        } else {
            judge(tenant, ended, samples, failing, byTarget);
        }
    }

    /**
     * Resets receivers that began to fail after these attempts had begun. The results are already written, so
     * they must not be counted again.
     */
    private void forgive(long tenant, List<ReceiverId> targets, Map<ReceiverId, List<Attempted>> attempts) {
        try {
            judge(tenant, List.of(), List.of(), targets, attempts);
        } catch (RuntimeException e) {
            LOG.warn("{} endpoints count as failing until their next success", targets.size(), e);
        }
    }

    private void judge(
            long tenant,
            List<Ended> ended,
            List<Sample> samples,
            List<ReceiverId> targets,
            Map<ReceiverId, List<Attempted>> attempts) {
        var now = clock.instant();
        store.record(
                tenant,
                ended,
                samples,
                targets,
                now,
                histories -> histories.stream()
                        .map(history -> circuit.after(history, results(attempts, history), now))
                        .toList());
    }

    /** Returns the results that concern the endpoint's present URL. Attempts at an earlier URL are left out. */
    private static List<CircuitBreaker.DeliveryResult> results(
            Map<ReceiverId, List<Attempted>> attempts, ReceiverHistory history) {
        return attempts.getOrDefault(new ReceiverId(history.tenant(), history.receiver()), List.of()).stream()
                .filter(attempted -> attempted.claim().url().equals(history.url()))
                .map(Attempted::result)
                .toList();
    }

    /**
     * Warns about receivers that have failed for long, and finally disables them, even if nothing is attempted any more.
     */
    void judge() {
        var failing = store.failingSince(clock.instant().minus(CircuitBreaker.JUDGED)).stream()
                .collect(groupingBy(ReceiverId::tenant));
        judgements.each(failing.keySet(), tenant -> {
            judge(tenant, List.of(), List.of(), failing.getOrDefault(tenant, List.of()), Map.of());
            return true;
        });
    }

    private Ended ended(Attempted attempted) {
        var claim = attempted.claim();
        var outcome = attempted.outcome();
        var made = claim.made() + 1;
        var next = outcome.delivered()
                ? null
                : schedule.next(made, outcome.retryAfter(), ThreadLocalRandom.current())
                        .orElse(null);
        var state = outcome.delivered() ? "delivered" : next == null ? "exhausted" : "failed";
        return new Ended(
                claim.target().tenant(),
                claim.target().receiver(),
                claim.id(),
                claim.made(),
                state,
                next == null ? null : clock.instant().plus(next),
                new RecordedAttempt(
                        attempted.at(),
                        outcome.duration().toMillis(),
                        outcome.status(),
                        outcome.error(),
                        outcome.response()));
    }

    private record Hour(ReceiverId target, Instant hour) {}

    private static Hour hour(Attempted attempted) {
        return new Hour(attempted.target(), attempted.at().truncatedTo(ChronoUnit.HOURS));
    }

    private static Sample sample(List<Attempted> attempts) {
        var durations = new long[DurationHistogram.CLASSES.length];
        attempts.forEach(attempted -> durations[
                DurationHistogram.classOf(attempted.outcome().duration().toMillis())]++);
        var target = attempts.getFirst().target();
        var succeeded = attempts.stream().filter(Attempted::delivered).count();
        return new Sample(
                target.tenant(),
                target.receiver(),
                hour(attempts.getFirst()).hour(),
                succeeded,
                attempts.size() - succeeded,
                durations,
                last(attempts, true),
                last(attempts, false));
    }

    private static @Nullable Instant last(List<Attempted> attempts, boolean delivered) {
        return attempts.stream()
                .filter(attempted -> attempted.delivered() == delivered)
                .map(Attempted::at)
                .max(Instant::compareTo)
                .orElse(null);
    }

    @Override
    public void close() {
        closed = true;
        try {
            writer.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

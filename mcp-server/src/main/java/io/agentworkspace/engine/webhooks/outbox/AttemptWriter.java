package io.agentworkspace.engine.webhooks.outbox;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.webhooks.DurationHistogram;
import io.agentworkspace.engine.webhooks.outbox.OutboxStore.Attempt;
import io.agentworkspace.engine.webhooks.outbox.OutboxStore.Claim;
import io.agentworkspace.engine.webhooks.outbox.OutboxStore.Ended;
import io.agentworkspace.engine.webhooks.outbox.OutboxStore.EndpointHistory;
import io.agentworkspace.engine.webhooks.outbox.OutboxStore.Sample;
import io.agentworkspace.engine.webhooks.outbox.OutboxStore.Target;
import io.agentworkspace.engine.webhooks.sender.AttemptResult;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes what came of attempts, all that have ended meanwhile in one transaction. */
final class AttemptWriter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AttemptWriter.class);
    private static final int BATCH = 500;
    private static final int TRIES = 20;
    private static final long PAUSE_MILLIS = 200;

    private final OutboxStore store;
    private final RetrySchedule schedule;
    private final CircuitBreaker circuit;
    private final Clock clock;
    private final Runnable written;
    private final BlockingQueue<Attempted> waiting = new LinkedBlockingQueue<>();
    private final Thread writer = Thread.ofVirtual().name("outbox ledger").unstarted(this::run);
    private volatile boolean closed;

    /** @param written is told whenever something was: there may be room for more */
    AttemptWriter(OutboxStore store, RetrySchedule schedule, Clock clock, Runnable written) {
        this.store = store;
        this.schedule = schedule;
        this.circuit = new CircuitBreaker(schedule);
        this.clock = clock;
        this.written = written;
    }

    /** An attempt that has ended. */
    record Attempted(Claim claim, Instant at, AttemptResult outcome) {
        Target target() {
            return claim.target();
        }

        boolean delivered() {
            return outcome.delivered();
        }

        CircuitBreaker.Result result() {
            return new CircuitBreaker.Result(at, outcome.status(), delivered());
        }
    }

    void start() {
        writer.start();
    }

    void add(Attempted attempted) {
        waiting.add(attempted);
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

    /** What cannot be written in all that time was given to another replica long ago. */
    private void write(List<Attempted> batch) throws InterruptedException {
        var ended = batch.stream().map(this::ended).toList();
        for (var tries = 1; ; tries++) {
            try {
                write(batch, ended);
                return;
            } catch (Problem e) {
                LOG.debug("put off: {}", e.note());
            } catch (RuntimeException e) {
                LOG.warn("what came of {} deliveries was not written; it is tried again", batch.size(), e);
            }
            if (tries == TRIES || closed) {
                LOG.warn("what came of {} deliveries is lost: they are attempted again", batch.size());
                return;
            }
            Thread.sleep(PAUSE_MILLIS);
        }
    }

    private void write(List<Attempted> batch, List<Ended> ended) {
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
            var forgiven = store.record(ended, samples);
            if (!forgiven.isEmpty()) {
                forgive(forgiven, byTarget);
            }
        } else {
            judge(ended, samples, failing, byTarget);
        }
    }

    /** They began to fail after these attempts had begun. What these came to is written already, and must not be counted again. */
    private void forgive(List<Target> targets, Map<Target, List<Attempted>> attempts) {
        try {
            judge(List.of(), List.of(), targets, attempts);
        } catch (RuntimeException e) {
            LOG.warn("{} endpoints are held to be failing until their next success", targets.size(), e);
        }
    }

    private void judge(
            List<Ended> ended, List<Sample> samples, List<Target> targets, Map<Target, List<Attempted>> attempts) {
        var now = clock.instant();
        store.record(
                ended,
                samples,
                targets,
                now,
                held -> held.stream()
                        .map(history -> circuit.after(history, results(attempts, history), now))
                        .toList());
    }

    /** What was sent to an address that it has no more says nothing of it. */
    private static List<CircuitBreaker.Result> results(Map<Target, List<Attempted>> attempts, EndpointHistory history) {
        return attempts.getOrDefault(new Target(history.tenant(), history.endpoint()), List.of()).stream()
                .filter(attempted -> attempted.claim().url().equals(history.url()))
                .map(Attempted::result)
                .toList();
    }

    /** Warns of what has failed for long, and gives it up in the end, also where nothing is attempted any more. */
    void judge() {
        var now = clock.instant();
        var failing = store.failingSince(now.minus(CircuitBreaker.JUDGED));
        if (!failing.isEmpty()) {
            judge(List.of(), List.of(), failing, Map.of());
        }
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
                claim.target().endpoint(),
                claim.id(),
                claim.made(),
                state,
                next == null ? null : clock.instant().plus(next),
                new Attempt(attempted.at(), outcome.duration().toMillis(), outcome.status(), outcome.error()));
    }

    private record Hour(Target target, Instant hour) {}

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
                target.endpoint(),
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

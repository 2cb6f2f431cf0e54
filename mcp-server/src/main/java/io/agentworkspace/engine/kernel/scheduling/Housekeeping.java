package io.agentworkspace.engine.kernel.scheduling;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Background tasks: they write what was recorded in memory, and delete expired data in small batches. No task waits
 * for another, and a failed task does not stop the others.
 */
public final class Housekeeping implements AutoCloseable {
    private static final Duration EVERY = Duration.ofMinutes(10);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Clock clock;
    private final List<Flush> flushes = new ArrayList<>();
    private final List<Purge> purges = new ArrayList<>();
    private final ScheduledThreadPoolExecutor timer = threads("housekeeping");

    /** A separate thread, since there may be much to delete. */
    private final ScheduledThreadPoolExecutor clearer = threads("clearing");

    /** @param isLast whether it runs once more on close */
    private record Flush(Duration period, PeriodicTask chore, Runnable work, boolean isLast) {
        void run() {
            chore.attempt(work);
        }
    }

    /** Runs a flush once in each period. Missed periods are skipped. */
    private static final class Beat implements Runnable {
        private final Flush flush;
        private final long period;
        private long due = System.nanoTime();

        Beat(Flush flush) {
            this.flush = flush;
            this.period = flush.period().toNanos();
        }

        @Override
        public void run() {
            due += period;
            if (System.nanoTime() - due < period) {
                flush.run();
            }
        }
    }

    private record Purge(PeriodicTask chore, Consumer<Instant> work) {}

    public Housekeeping(Clock clock) {
        this.clock = clock;
    }

    private static ScheduledThreadPoolExecutor threads(String name) {
        return new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name(name).factory());
    }

    /** Registers a flush to run in each period, and once more on close. */
    public Housekeeping every(Duration period, String name, Runnable flush) {
        return add(new Flush(period, new PeriodicTask(name), flush, true));
    }

    /** Registers work to run in each period, and not on close: nothing is lost without it. */
    public Housekeeping whileOpen(Duration period, String name, Runnable work) {
        return add(new Flush(period, new PeriodicTask(name), work, false));
    }

    private Housekeeping add(Flush flush) {
        flushes.add(flush);
        timer.setCorePoolSize(flushes.size());
        return this;
    }

    /** @param purge deletes what has expired at the given instant */
    public Housekeeping clearing(String name, Consumer<Instant> purge) {
        purges.add(new Purge(new PeriodicTask("deleting expired " + name), purge));
        return this;
    }

    /** @param quiet the time before the first deletion; after that, one runs every ten minutes */
    public void start(Duration quiet) {
        for (var flush : flushes) {
            var period = flush.period().toNanos();
            timer.scheduleAtFixedRate(new Beat(flush), period, period, TimeUnit.NANOSECONDS);
        }
        clearer.scheduleWithFixedDelay(this::clear, quiet.toMillis(), EVERY.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Deletes everything that has expired. */
    public void clear() {
        var now = clock.instant();
        purges.forEach(purge -> purge.chore().attempt(() -> purge.work().accept(now)));
    }

    /** Waits for running tasks before the last flush, which would otherwise miss what they are writing. */
    @Override
    public void close() {
        clearer.shutdownNow();
        timer.shutdown();
        try {
            timer.awaitTermination(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        flushes.stream().filter(Flush::isLast).forEach(Flush::run);
    }
}

package io.agentworkspace.engine.kernel.scheduling;

import io.agentworkspace.engine.model.problem.Problem;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Works at a queue that all replicas share: claims as many entries as it has places for, each under a lease, and works at each on a thread
 * of its own. Each second it renews the leases. If the replica fails, they expire, and another replica claims the entries.
 */
public final class Worker<C> implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
    private static final Duration RENEWAL = Duration.ofSeconds(1);
    private static final long PATIENCE_SECONDS = 5;

    private final String name;
    private final int places;
    private final Queue<C> queue;
    private final WorkLoop loop;
    private final WorkLoop renewals; // Of its own: neither a claim nor work that ends delays it.
    private final ExecutorService threads;
    private final Set<C> running = ConcurrentHashMap.newKeySet();
    private volatile boolean isClosing; // Set under the lock of running, under which work begins.

    /** A queue in the database. A claim is valid until its lease expires and another replica claims the entry. */
    public interface Queue<C> {
        /** Claims up to this number of entries. */
        List<C> claim(int most);

        /**
         * Works at an entry, and writes the result or releases the claim. After an exception the entry waits until the lease expires.
         *
         * @return whether there may be more to do at once
         */
        boolean work(C claim);

        /** Returns whether the claim is still valid, and extends its lease. */
        default boolean renew(C claim) {
            return true; // The lease is longer than the work.
        }

        /** Ends the running work, since its claim is lost or the engine stops. */
        default void stop(C claim) {}
    }

    /**
     * @param places how many entries are worked at concurrently
     * @param pause after which the worker looks for work unasked
     * @param gap how long after the start of a look a wake-up starts the next one, at the earliest
     */
    public record Pace(int places, Duration pause, Duration gap) {}

    /** @param name names the work in the log */
    public Worker(String name, Thread.Builder threads, Pace pace, Queue<C> queue) {
        this.name = name;
        this.places = pace.places();
        this.queue = queue;
        this.loop = new WorkLoop(name, threads, pace.pause(), pace.gap(), this::round);
        this.renewals = new WorkLoop(name + ": leases", threads, RENEWAL, this::renewAll);
        this.threads = Executors.newThreadPerTaskExecutor(threads.factory());
    }

    public void start() {
        loop.start();
        renewals.start();
    }

    /** Looks for work soon. */
    public void wake() {
        loop.wake();
    }

    /** Checks soon which claims are still valid. */
    public void renew() {
        renewals.wake();
    }

    /** Returns the claims that are worked at. */
    public Set<C> running() {
        return Collections.unmodifiableSet(running);
    }

    private boolean renewAll() {
        running.forEach(claim -> attempt(() -> {
            if (!queue.renew(claim) && running.contains(claim)) {
                queue.stop(claim);
            }
        }));
        return false;
    }

    private synchronized boolean round() {
        var free = isClosing ? 0 : places - running.size();
        var claims = free > 0 ? queue.claim(free) : List.<C>of();
        synchronized (running) {
            if (isClosing) {
                return false; // The leases of what was claimed meanwhile expire.
            }
            running.addAll(claims);
            claims.forEach(claim -> threads.execute(() -> work(claim)));
        }
        return !claims.isEmpty();
    }

    private void work(C claim) {
        attempt(() -> {
            var hasMore = false;
            try {
                hasMore = queue.work(claim);
            } finally {
                running.remove(claim);
            }
            if (hasMore) {
                round();
            }
        });
    }

    private void attempt(Runnable step) {
        try {
            step.run();
        } catch (Problem e) {
            LOG.debug("{}: postponed: {}", name, e.note());
        } catch (RuntimeException e) {
            LOG.warn("{}: failed; trying again", name, e);
        }
    }

    /**
     * Claims nothing more, and ends what runs. Waits up to 5 s each for a claim, for renewals and for what runs, which is
     * interrupted then. No lock is held meanwhile.
     */
    @Override
    public void close() {
        synchronized (running) {
            isClosing = true;
            threads.shutdown();
        }
        running.forEach(queue::stop);
        loop.close();
        renewals.close();
        try {
            if (!threads.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                threads.shutdownNow();
                threads.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

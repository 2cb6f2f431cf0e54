package io.agentworkspace.engine.kernel.scheduling;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Runs rounds of work on its own thread. The next round starts at once while there is more to do, else when
 * woken, or after a pause. Rounds that are woken have a gap between their starts, so that one round handles many wake-ups.
 */
public final class WorkLoop implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final PeriodicTask task;
    private final Duration pause;
    private final Duration gap;
    private final BooleanSupplier round;
    private final Semaphore wake = new Semaphore(0);
    private final Thread thread;
    private volatile boolean closed;

    /**
     * @param name names the work in the log
     * @param pause after which a round starts unasked
     * @param round returns whether there may be more to do at once
     */
    public WorkLoop(String name, Thread.Builder thread, Duration pause, BooleanSupplier round) {
        this(name, thread, pause, Duration.ZERO, round);
    }

    /** @param gap how long after the start of a round a wake-up starts the next one, at the earliest */
    public WorkLoop(String name, Thread.Builder thread, Duration pause, Duration gap, BooleanSupplier round) {
        task = new PeriodicTask(name);
        this.pause = pause;
        this.gap = gap;
        this.round = round;
        this.thread = thread.unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    public void wake() {
        if (wake.availablePermits() == 0) {
            wake.release();
        }
    }

    private void run() {
        while (!closed) {
            var begin = System.nanoTime();
            if (!task.attempt(round)) {
                rest(begin);
            }
        }
    }

    private void rest(long begin) {
        try {
            if (wake.tryAcquire(pause.toMillis(), TimeUnit.MILLISECONDS)) {
                TimeUnit.NANOSECONDS.sleep(begin + gap.toNanos() - System.nanoTime());
                wake.drainPermits();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Interrupts the running round, and closes the loop. */
    public void interrupt() {
        closed = true;
        thread.interrupt();
        close();
    }

    /** Starts no further round, and waits up to 5 s for the running one. */
    @Override
    public void close() {
        closed = true;
        wake();
        try {
            if (thread.getState() != Thread.State.NEW) {
                thread.join(PATIENCE);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

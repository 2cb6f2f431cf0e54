package io.agentworkspace.engine.kernel.streams;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Runs scheduled work, each on its own virtual thread, so that no work waits for another. */
public final class Ticker implements AutoCloseable {
    private final ScheduledThreadPoolExecutor timer;

    public Ticker() {
        timer = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name("mcp-ticker").factory());
        timer.setRemoveOnCancelPolicy(true);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** Runs the work once. */
    public Future<?> after(Duration delay, Runnable work) {
        return timer.schedule(() -> Thread.startVirtualThread(work), delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Runs the work in each period, unless an earlier run is still in progress. */
    public Future<?> every(Duration period, Runnable work) {
        var free = new Semaphore(1);
        Runnable once = () -> {
            try {
                work.run();
            } finally {
                free.release();
            }
        };
        return timer.scheduleWithFixedDelay(
                () -> {
                    if (free.tryAcquire()) {
                        Thread.startVirtualThread(once);
                    }
                },
                period.toMillis(),
                period.toMillis(),
                TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}

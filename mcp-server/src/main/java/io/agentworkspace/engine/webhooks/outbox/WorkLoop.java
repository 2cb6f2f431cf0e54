package io.agentworkspace.engine.webhooks.outbox;

import io.agentworkspace.engine.model.problem.Problem;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs rounds of work on its own thread. The next round starts at once while there is more to do, else when
 * woken, or after half a second.
 */
final class WorkLoop {
    private static final Logger LOG = LoggerFactory.getLogger(WorkLoop.class);
    private static final Duration POLL = Duration.ofMillis(500);
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final String name;
    private final BooleanSupplier round;
    private final Semaphore wake = new Semaphore(0);
    private final Thread thread;
    private volatile boolean closed;

    /** @param round returns whether there may be more to do at once */
    WorkLoop(String name, BooleanSupplier round) {
        this.name = name;
        this.round = round;
        this.thread = Thread.ofVirtual().name("outbox: " + name).unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    void wake() {
        if (wake.availablePermits() == 0) {
            wake.release();
        }
    }

    private void run() {
        while (!closed) {
            try {
                if (!round.getAsBoolean()) {
                    rest();
                }
            } catch (Problem e) {
                LOG.debug("{}: postponed: {}", name, e.note());
                rest();
            } catch (RuntimeException e) {
                LOG.warn("{}: failed; trying again", name, e);
                rest();
            }
        }
    }

    private void rest() {
        try {
            if (wake.tryAcquire(POLL.toMillis(), TimeUnit.MILLISECONDS)) {
                wake.drainPermits();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Starts no further round, and waits up to 5 s for the running one. */
    void close() throws InterruptedException {
        closed = true;
        wake();
        thread.join(PATIENCE);
    }
}

package io.agentworkspace.engine.kernel.db;

import java.time.Duration;

/**
 * How long a connection may take to open, and one statement, by the kind of call.
 *
 * @param connect opening a connection, or waiting for one of the pool
 * @param read statements outside a transaction, and the first statement of one
 * @param write a statement of a transaction
 * @param bulk a statement of a transaction that may delete a lot: a bank, a domain, expired data
 */
public record TimeLimits(Duration connect, Duration read, Duration write, Duration bulk) {
    static final TimeLimits DEFAULT = of(Duration.ofSeconds(8));

    /** How long a write waits for a lock at most. */
    private static final Duration LOCK = Duration.ofSeconds(6);

    /** Returns the limits with this one for a statement of a write. A read has five eighths of it. */
    public static TimeLimits of(Duration write) {
        return new TimeLimits(Duration.ofSeconds(2), write.multipliedBy(5).dividedBy(8), write, Duration.ofSeconds(30));
    }

    /** Returns how long a write waits for a lock; a read waits two thirds of it. */
    Duration lock() {
        var most = write.multipliedBy(3).dividedBy(4);
        return most.compareTo(LOCK) < 0 ? most : LOCK;
    }
}

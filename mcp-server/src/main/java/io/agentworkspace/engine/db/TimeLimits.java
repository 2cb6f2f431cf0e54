package io.agentworkspace.engine.db;

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
    static final TimeLimits DEFAULT =
            new TimeLimits(Duration.ofSeconds(2), Duration.ofSeconds(5), Duration.ofSeconds(8), Duration.ofSeconds(30));
}

package io.agentworkspace.engine.db;

import java.time.Duration;

/**
 * How long one statement may take, by the kind of call.
 *
 * @param read statements outside a transaction, and the first statement of one
 * @param write a statement of a transaction
 * @param bulk a statement of a transaction that may delete a lot: a bank, a domain, expired data
 */
public record TimeLimits(Duration read, Duration write, Duration bulk) {
    static final TimeLimits DEFAULT =
            new TimeLimits(Duration.ofSeconds(5), Duration.ofSeconds(8), Duration.ofSeconds(30));
}

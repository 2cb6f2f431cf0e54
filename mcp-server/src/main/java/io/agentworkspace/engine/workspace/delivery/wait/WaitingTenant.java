package io.agentworkspace.engine.workspace.delivery.wait;

import io.agentworkspace.engine.kernel.streams.Ticker;
import io.agentworkspace.engine.model.problem.Problem;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The waiting calls of one tenant. However many changes are signalled, one statement at a time looks for all of them. */
final class WaitingTenant {
    private static final Logger LOG = LoggerFactory.getLogger(WaitingTenant.class);

    /** The pause between two looks, in which signals are collected. */
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final long tenant;
    private final WaitQueries queries;
    private final Ticker ticker;
    private final Set<WaitingCall> calls = ConcurrentHashMap.newKeySet();
    private boolean isDue;
    private boolean isScheduled;

    WaitingTenant(long tenant, WaitQueries queries, Ticker ticker) {
        this.tenant = tenant;
        this.queries = queries;
        this.ticker = ticker;
    }

    Set<WaitingCall> calls() {
        return calls;
    }

    /** Signals that something may have changed in the tenant. */
    synchronized void look() {
        isDue = true;
        if (!isScheduled) {
            isScheduled = true;
            Thread.startVirtualThread(this::run);
        }
    }

    private void run() {
        synchronized (this) {
            isDue = false;
        }
        try {
            wakeChanged();
        } catch (Problem unavailable) {
            LOG.debug("the next look tries again: {}", unavailable.note());
        } finally {
            ticker.after(PAUSE, this::again);
        }
    }

    private void again() {
        boolean isAgain;
        synchronized (this) {
            isAgain = isDue;
            isScheduled = isAgain;
        }
        if (isAgain) {
            run();
        }
    }

    private void wakeChanged() {
        var waiting = List.copyOf(calls);
        if (!waiting.isEmpty()) {
            var states = queries.states(tenant, waiting);
            for (var i = 0; i < waiting.size(); i++) {
                waiting.get(i).changed(states.get(i));
            }
        }
    }
}

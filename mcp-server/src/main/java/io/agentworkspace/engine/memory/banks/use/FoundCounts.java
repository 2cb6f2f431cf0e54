package io.agentworkspace.engine.memory.banks.use;

import io.agentworkspace.engine.kernel.db.PendingWrites;
import io.agentworkspace.engine.model.tool.Call;
import java.time.Instant;
import java.util.UUID;

/**
 * Counts which memories searches returned, and to whom. The counts are collected in memory and written every few seconds, so
 * that a search needs no write. A crash loses what was not yet written.
 */
public final class FoundCounts {
    /** The maximum number of counts in memory while the database is unavailable. */
    private static final int MAX = 100_000;

    private final PendingWrites<Finding, Count> pending = new PendingWrites<>(MAX, Count::plus);
    private final MemoryUseStore store;

    public FoundCounts(MemoryUseStore store) {
        this.store = store;
    }

    record Finding(long tenant, long bank, UUID memory, long finder) {}

    /** @param revision the latest revision that was found */
    record Count(long times, Instant lastAt, long revision) {
        Count plus(Count next) {
            return new Count(times + next.times, next.lastAt, Math.max(revision, next.revision));
        }
    }

    /** Counts a memory that the caller, as the agent that it acts as, has found. */
    public void found(Call call, long bank, UUID memory, long revision) {
        var finder = call.context().self() == null
                ? call.context().user()
                : call.context().self();
        pending.add(new Finding(call.caller().tenant(), bank, memory, finder.id()), new Count(1, call.now(), revision));
    }

    /** Writes what was counted since the last flush. If that fails, it is counted again. */
    public void flush() {
        var taken = pending.take();
        if (taken.isEmpty()) {
            return;
        }
        try {
            store.add(taken);
        } catch (RuntimeException e) {
            pending.putBack(taken);
            throw e;
        }
        store.fold(taken.keySet());
    }
}

package io.agentworkspace.engine.memory.banks.use;

import io.agentworkspace.engine.kernel.scheduling.PendingWrites;
import io.agentworkspace.engine.kernel.scheduling.TenantTurns;
import io.agentworkspace.engine.model.tool.Call;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Counts which memories searches returned, and to whom. The counts are collected in memory and written every few seconds, so
 * that a search needs no write. A crash loses the counts of the last seconds.
 */
public final class FoundCounts {
    /** The maximum number of counts of all tenants in memory while the database is unavailable. Later ones are dropped. */
    private static final int MAX = 100_000;

    /** How many counts one statement writes, so that it stays far below the time limit of a statement. */
    private static final int PORTION = 2_000;

    private static final Comparator<Finding> ORDER = Comparator.comparingLong(Finding::bank)
            .thenComparing(Finding::memory)
            .thenComparingLong(Finding::finder);

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

    /** Writes what was counted since the last flush. If that fails, the rest is counted again. */
    public void flush() {
        var rest = pending.take();
        var tenants = rest.keySet().stream()
                .sorted(ORDER)
                .collect(Collectors.groupingBy(Finding::tenant, Collectors.toCollection(ArrayDeque::new)));
        try {
            TenantTurns.take(
                    tenants.keySet(), tenant -> write(tenant, Objects.requireNonNull(tenants.get(tenant)), rest));
        } catch (RuntimeException e) {
            pending.putBack(rest);
            throw e;
        }
    }

    /**
     * Writes a portion of a tenant's counts; whether there are more.
     *
     * @param rest all counts that are still to be written, including these
     */
    private boolean write(long tenant, Queue<Finding> findings, Map<Finding, Count> rest) {
        var portion = new LinkedHashMap<Finding, Count>();
        while (!findings.isEmpty() && portion.size() < PORTION) {
            var finding = findings.remove();
            portion.put(finding, Objects.requireNonNull(rest.get(finding)));
        }
        store.add(tenant, portion);
        rest.keySet().removeAll(portion.keySet());
        store.fold(tenant, portion.keySet());
        return !findings.isEmpty();
    }
}

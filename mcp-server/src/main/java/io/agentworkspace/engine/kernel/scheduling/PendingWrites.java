package io.agentworkspace.engine.kernel.scheduling;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.BinaryOperator;
import java.util.function.ToLongFunction;

/**
 * Values that are collected in memory, one for each key, and written to the database together. Values with the same
 * key are merged.
 */
public final class PendingWrites<K, V> {
    private final Map<K, V> pending = new ConcurrentHashMap<>();
    private final int max;
    private final BinaryOperator<V> merge;

    /** @param max how many keys are kept while the database is unavailable; values for other keys are then dropped */
    public PendingWrites(int max, BinaryOperator<V> merge) {
        this.max = max;
        this.merge = merge;
    }

    public void add(K key, V value) {
        add(key, value, merge);
    }

    private void add(K key, V value, BinaryOperator<V> both) {
        if (pending.size() < max || pending.containsKey(key)) {
            pending.merge(key, value, both);
        }
    }

    /** Drops what is pending for a key. */
    public void remove(K key) {
        pending.remove(key);
    }

    /** Removes and returns everything that is pending. */
    public Map<K, V> take() {
        var taken = new LinkedHashMap<K, V>();
        for (var key : List.copyOf(pending.keySet())) {
            var value = pending.remove(key);
            if (value != null) {
                taken.put(key, value);
            }
        }
        return taken;
    }

    /**
     * Writes everything that is pending, in a transaction for each tenant. What could not be written is put back.
     *
     * @param tenant of a key
     * @param write writes the values of one tenant
     */
    public void flush(ToLongFunction<K> tenant, BiConsumer<Long, Map<K, V>> write) {
        var byTenant = new LinkedHashMap<Long, Map<K, V>>();
        take().forEach((key, value) -> byTenant.computeIfAbsent(tenant.applyAsLong(key), _ -> new LinkedHashMap<>())
                .put(key, value));
        try {
            TenantTurns.take(List.copyOf(byTenant.keySet()), one -> {
                write.accept(one, Objects.requireNonNull(byTenant.get(one)));
                byTenant.remove(one);
                return false;
            });
        } finally {
            byTenant.values().forEach(this::putBack);
        }
    }

    /** Puts back what could not be written. Values added in the meantime are newer. */
    public void putBack(Map<K, V> taken) {
        taken.forEach((key, value) -> add(key, value, (newer, older) -> merge.apply(older, newer)));
    }
}

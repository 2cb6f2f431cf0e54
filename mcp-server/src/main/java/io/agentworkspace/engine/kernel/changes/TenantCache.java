package io.agentworkspace.engine.kernel.changes;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Caches what was read for a tenant until a change of it is signalled. While changes cannot be received, everything is
 * read again. A tenant that has nothing costs one look-up.
 */
public final class TenantCache<T> {
    private final String signal;
    private final CallerChanges watch;
    private final Supplier<Set<Long>> having;
    private final LongFunction<T> reader;
    private final T nothing;
    private final Map<Long, Cached<T>> cached = new ConcurrentHashMap<>();
    private final Map<Long, Long> changes = new ConcurrentHashMap<>();
    private final AtomicLong connections = new AtomicLong();
    private volatile @Nullable Tenants tenants;

    /** A tenant's value, with the connection and change before it was read. One that a change overtook is not reused. */
    private record Cached<T>(T value, long connection, long change) {}

    /** The tenants that had something when the watched connection was opened. */
    private record Tenants(Set<Long> ids, long connection) {}

    /**
     * @param signal begins the signals about it, before the tenant's number
     * @param having reads which tenants have something
     * @param nothing the value of other tenants
     */
    public TenantCache(
            String signal, CallerChanges watch, Supplier<Set<Long>> having, LongFunction<T> reader, T nothing) {
        this.signal = signal;
        this.watch = watch;
        this.having = having;
        this.reader = reader;
        this.nothing = nothing;
        watch.onOpened(connections::incrementAndGet);
        watch.onChange(this::changed);
    }

    private void changed(String what) {
        if (what.startsWith(signal)) {
            forget(Long.parseLong(what.substring(signal.length())));
        }
    }

    /** Applies a change of this replica at once. */
    public void forget(long tenant) {
        changes.merge(tenant, 1L, Long::sum);
        cached.remove(tenant);
    }

    /** Returns the tenant's value. */
    public T of(long tenant) {
        if (!watch.isCurrent()) {
            return reader.apply(tenant);
        }
        var connection = connections.get();
        var entry = cached.get(tenant);
        if (entry != null && entry.connection() == connection && entry.change() == change(tenant)) {
            return entry.value();
        }
        return changes.containsKey(tenant) || tenants(connection).contains(tenant) ? read(tenant, connection) : nothing;
    }

    private long change(long tenant) {
        return changes.getOrDefault(tenant, 0L);
    }

    private T read(long tenant, long connection) {
        var change = change(tenant);
        var value = reader.apply(tenant);
        cached.put(tenant, new Cached<>(value, connection, change));
        return value;
    }

    private Set<Long> tenants(long connection) {
        var snapshot = tenants;
        if (snapshot == null || snapshot.connection() != connection) {
            snapshot = new Tenants(having.get(), connection);
            tenants = snapshot;
        }
        return snapshot.ids();
    }
}

package io.agentworkspace.engine.rules;

import io.agentworkspace.engine.keys.CallerChanges;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Caches the rules of each tenant. {@link CallerChanges} makes this replica read them again after a change; while it is
 * not connected, they are read for every call. One list of all tenants with rules shows that a tenant has none.
 */
final class RuleSets {
    private static final String CHANGED = "rules:";

    private final RuleStore store;
    private final CallerChanges watch;
    private final Map<Long, Cached> cached = new ConcurrentHashMap<>();
    private final Map<Long, Long> changes = new ConcurrentHashMap<>();
    private final AtomicLong connections = new AtomicLong();
    private volatile @Nullable Tenants tenants;

    /**
     * A tenant's rules, with the connection and change before they were read. Rules that a change overtook are not reused.
     */
    private record Cached(RuleSet rules, long connection, long change) {}

    /** The tenants that had rules when the watched connection was opened. */
    private record Tenants(Set<Long> ids, long connection) {}

    RuleSets(RuleStore store, CallerChanges watch) {
        this.store = store;
        this.watch = watch;
        watch.onOpened(connections::incrementAndGet);
        watch.onChange(this::changed);
    }

    private void changed(String what) {
        if (what.startsWith(CHANGED)) {
            forget(Long.parseLong(what.substring(CHANGED.length())));
        }
    }

    void forget(long tenant) {
        changes.merge(tenant, 1L, Long::sum);
        cached.remove(tenant);
    }

    RuleSet of(long tenant) {
        if (!watch.isCurrent()) {
            return store.active(tenant);
        }
        var connection = connections.get();
        var known = cached.get(tenant);
        if (known != null && known.connection() == connection && known.change() == change(tenant)) {
            return known.rules();
        }
        return changes.containsKey(tenant) || withRules(connection).contains(tenant)
                ? read(tenant, connection)
                : RuleSet.NONE;
    }

    private long change(long tenant) {
        return changes.getOrDefault(tenant, 0L);
    }

    private RuleSet read(long tenant, long connection) {
        var change = change(tenant);
        var rules = store.active(tenant);
        cached.put(tenant, new Cached(rules, connection, change));
        return rules;
    }

    private Set<Long> withRules(long connection) {
        var known = tenants;
        if (known == null || known.connection() != connection) {
            known = new Tenants(store.tenants(), connection);
            tenants = known;
        }
        return known.ids();
    }
}

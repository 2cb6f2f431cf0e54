package io.agentworkspace.engine.mcp.streams;

import io.agentworkspace.engine.model.tool.Caller;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * A cache of what the listeners of one tenant may see. It is cleared when something may have changed that, before later
 * changes are reported, and after 30 seconds. So a listener costs a query only for its first update after such a
 * change.
 */
final class AccessCache {
    private static final int LARGEST = 20_000;

    private volatile ConcurrentHashMap<Key, Boolean> known = new ConcurrentHashMap<>();

    private record Key(Caller caller, String uri) {}

    /** Whether the caller may see the resource. */
    boolean allows(Caller caller, String uri, Supplier<? extends Optional<?>> look) {
        return known().computeIfAbsent(new Key(caller, uri), _ -> look.get().isPresent());
    }

    /** Looks it up, and caches whether it was visible. */
    <T> Optional<T> look(Caller caller, String uri, Supplier<Optional<T>> look) {
        // Taken before the look-up: a change in the meantime replaces it.
        var known = known();
        var found = look.get();
        known.put(new Key(caller, uri), found.isPresent());
        return found;
    }

    void forget() {
        known = new ConcurrentHashMap<>();
    }

    private ConcurrentHashMap<Key, Boolean> known() {
        if (known.size() > LARGEST) {
            forget();
        }
        return known;
    }
}

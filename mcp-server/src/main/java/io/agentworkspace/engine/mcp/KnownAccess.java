package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.model.Caller;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * What the listeners of one tenant may see, as last looked up. Whatever may change that empties it, before anything that
 * changes later is told, and so do 30 seconds: so a listener costs a query only for its first update after such a change.
 */
final class KnownAccess {
    private static final int LARGEST = 20_000;

    private volatile ConcurrentHashMap<Key, Boolean> known = new ConcurrentHashMap<>();

    private record Key(Caller caller, String uri) {}

    /** Whether the caller may see the resource. */
    boolean allows(Caller caller, String uri, Supplier<? extends Optional<?>> look) {
        return known().computeIfAbsent(new Key(caller, uri), _ -> look.get().isPresent());
    }

    /** Looks it up, and remembers whether there was something to see. */
    <T> Optional<T> look(Caller caller, String uri, Supplier<Optional<T>> look) {
        // Taken before the look: what changes meanwhile puts another in its place.
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

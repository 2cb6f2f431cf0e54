package io.agentworkspace.engine.mcp.streams;

import io.agentworkspace.engine.model.tool.Caller;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * A cache of what the listeners of one tenant may see. It is cleared after 30 seconds, and when a signal reports that
 * access may have changed, before later changes are reported, and while signals may be missing. A listener therefore costs a query only for its first
 * notification after such a change.
 */
final class AccessCache {
    private static final int LARGEST = 20_000;

    /** The most characters of all URIs together. */
    private static final int CHARACTERS = 2_000_000;

    private final AtomicLong characters = new AtomicLong();
    private volatile ConcurrentHashMap<AccessKey, Boolean> entries = new ConcurrentHashMap<>();

    private record AccessKey(Caller caller, String uri) {}

    /** Returns whether the caller may see the resource. */
    boolean allows(Caller caller, String uri, Supplier<? extends Optional<?>> look) {
        return entries().computeIfAbsent(new AccessKey(caller, uri), _ -> {
            characters.addAndGet(uri.length());
            return look.get().isPresent();
        });
    }

    /** Looks the resource up and caches whether it was visible. */
    <T> Optional<T> readable(Caller caller, String uri, Supplier<Optional<T>> look) {
        // Taken before the look-up: if access changes in the meantime, a new map replaces this one.
        var entries = entries();
        var found = look.get();
        if (entries.put(new AccessKey(caller, uri), found.isPresent()) == null) {
            characters.addAndGet(uri.length());
        }
        return found;
    }

    void forget() {
        characters.set(0);
        entries = new ConcurrentHashMap<>();
    }

    private ConcurrentHashMap<AccessKey, Boolean> entries() {
        if (entries.size() > LARGEST || characters.get() > CHARACTERS) {
            forget();
        }
        return entries;
    }
}

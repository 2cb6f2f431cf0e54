package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.model.Caller;
import org.jspecify.annotations.Nullable;

/**
 * A request for a page.
 *
 * @param path as it was asked for, decoded
 * @param caller who is signed in, or null
 */
public record Visit(String path, @Nullable Caller caller) {
    /** What follows a prefix; null where it does not begin so. */
    @Nullable
    String after(String prefix) {
        return path.startsWith(prefix) ? path.substring(prefix.length()) : null;
    }
}

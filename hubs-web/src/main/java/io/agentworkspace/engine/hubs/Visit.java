package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.model.Caller;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request for a page.
 *
 * @param path as it was asked for, decoded
 * @param query the values that each name has in the query, decoded
 * @param caller who is signed in, or null
 * @param requestId under which it is logged
 */
public record Visit(
        String path,
        Map<String, List<String>> query,
        @Nullable Caller caller,
        String requestId) {
    /** What follows a prefix; null where it does not begin so. */
    @Nullable
    String after(String prefix) {
        return path.startsWith(prefix) ? path.substring(prefix.length()) : null;
    }
}

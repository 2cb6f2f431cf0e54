package io.agentworkspace.engine.mcp.methods;

import io.agentworkspace.engine.model.json.Json;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Lists of tools, written once for all callers that see the same: descriptions never change while the server runs, so that
 * a list is known by which ones it has.
 */
final class WrittenLists {
    /** Requests that choose tools by name may see many different lists: these are written each time. */
    private static final int MOST = 64;

    private final Map<Same, JsonNode> written = new ConcurrentHashMap<>();

    /** Equal to a list of the same objects. */
    private record Same(List<ObjectNode> tools) {
        @Override
        public boolean equals(Object other) {
            if (!(other instanceof Same same) || same.tools.size() != tools.size()) {
                return false;
            }
            for (var i = 0; i < tools.size(); i++) {
                if (tools.get(i) != same.tools.get(i)) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public int hashCode() {
            var hash = 0;
            for (var tool : tools) {
                hash = 31 * hash + System.identityHashCode(tool);
            }
            return hash;
        }
    }

    JsonNode of(List<ObjectNode> tools) {
        var key = new Same(List.copyOf(tools));
        var known = written.get(key);
        if (known != null) {
            return known;
        }
        var made = Json.written(Json.text(tools));
        if (written.size() < MOST) {
            written.put(key, made);
        }
        return made;
    }
}

package io.agentworkspace.engine.workspace.delivery.hooks;

import io.agentworkspace.engine.model.json.Json;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The last message, as its number, of each stream. */
record Positions(Map<Long, Long> last) {
    static final Positions NONE = new Positions(Map.of());

    /** Returns them from their JSON; null stands for none. */
    static Positions of(@Nullable String stored) {
        var last = new TreeMap<Long, Long>();
        if (stored != null) {
            Json.readValue(stored, ObjectNode.class)
                    .properties()
                    .forEach(each -> last.put(
                            Long.valueOf(each.getKey()), each.getValue().asLong()));
        }
        return new Positions(last);
    }

    /** Returns whether one of these positions is after those. */
    boolean isAfter(Positions others) {
        return last.entrySet().stream().anyMatch(each -> each.getValue() > others.last.getOrDefault(each.getKey(), 0L));
    }

    /** Returns these positions, where a change is undone unless another one followed it. */
    Positions without(Undo undo) {
        var without = new TreeMap<>(last);
        undo.changes()
                .forEach((conversation, change) -> without.computeIfPresent(
                        conversation, (_, now) -> now.equals(change.after()) ? (Long) change.before() : now));
        return new Positions(without);
    }
}

package io.agentworkspace.engine.hooks;

import io.agentworkspace.engine.model.json.Json;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.node.ObjectNode;

/** What a wake-up changed in the positions of a session. */
record Undo(Map<Long, Change> changes) {
    static final Undo NOTHING = new Undo(Map.of());

    record Change(long before, long after) {}

    static Undo of(Positions before, Positions after) {
        var changes = new TreeMap<Long, Change>();
        after.last().forEach((stream, now) -> {
            var then = before.last().getOrDefault(stream, 0L);
            if (now > then) {
                changes.put(stream, new Change(then, now));
            }
        });
        return new Undo(changes);
    }

    /** Returns it from its JSON. */
    static Undo of(String stored) {
        var changes = new TreeMap<Long, Change>();
        Json.readValue(stored, ObjectNode.class)
                .properties()
                .forEach(each -> changes.put(Long.valueOf(each.getKey()), Json.bind(each.getValue(), Change.class)));
        return new Undo(changes);
    }
}

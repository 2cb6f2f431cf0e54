package io.agentworkspace.engine.hooks;

import io.agentworkspace.engine.db.Row;
import io.agentworkspace.engine.model.json.Json;
import java.sql.SQLException;
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

    static Undo of(Row row, String column) throws SQLException {
        var changes = new TreeMap<Long, Change>();
        Json.readValue(row.text(column), ObjectNode.class)
                .properties()
                .forEach(each -> changes.put(Long.valueOf(each.getKey()), Json.bind(each.getValue(), Change.class)));
        return new Undo(changes);
    }
}

package io.agentworkspace.engine.workspace.delivery.hooks;

import io.agentworkspace.engine.model.json.Json;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import tools.jackson.databind.node.ObjectNode;

/**
 * The wake-ups, by their numbers, of which the engine does not know whether the listener got them: a connection that dies
 * silently takes lines for a while.
 */
record UnconfirmedLines(NavigableMap<Long, Undo> lines) {
    static final UnconfirmedLines NONE = new UnconfirmedLines(new TreeMap<>());

    /** The most lines that are kept apart. Older ones are taken back together, so that none is lost. */
    static final int MOST = 16;

    /** Returns them from their JSON. */
    static UnconfirmedLines of(String stored) {
        var lines = new TreeMap<Long, Undo>();
        Json.readValue(stored, ObjectNode.class)
                .properties()
                .forEach(line -> lines.put(Long.valueOf(line.getKey()), Json.bind(line.getValue(), Undo.class)));
        return new UnconfirmedLines(lines);
    }

    String json() {
        return Json.text(lines);
    }

    UnconfirmedLines with(long line, Undo undo) {
        var more = new TreeMap<>(lines);
        more.put(line, undo);
        if (more.size() > MOST) {
            var oldest = Objects.requireNonNull(more.remove(more.firstKey()));
            more.compute(more.firstKey(), (_, next) -> next == null ? oldest : oldest.and(next));
        }
        return new UnconfirmedLines(more);
    }

    /** Returns those after this line. */
    UnconfirmedLines after(long line) {
        return new UnconfirmedLines(lines.tailMap(line, false));
    }

    /** Returns the positions as they were before the lines after this one, except where something was told since. */
    Positions takenBack(Positions announced, long received) {
        var before = announced;
        for (var undo : lines.tailMap(received, false).descendingMap().values()) {
            before = before.without(undo);
        }
        return before;
    }
}

package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.model.Json;
import io.agentworkspace.engine.model.Cursor;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * A page of a list.
 *
 * @param next where the next page begins, opaque to clients; null on the last
 */
public record Portion(List<ObjectNode> items, @Nullable String next) {
    static final int SIZE = 100;

    public static Portion whole(List<ObjectNode> items) {
        return new Portion(items, null);
    }

    /** The page of a list that a cursor of this method points to. */
    public static Portion of(List<ObjectNode> all, @Nullable String cursor) {
        return of(all, cursor, SIZE);
    }

    /** The same, of this size. */
    public static Portion of(List<ObjectNode> all, @Nullable String cursor, int size) {
        var from = cursor == null ? 0 : start(cursor);
        if (from > all.size()) {
            throw Cursor.invalid();
        }
        var to = Math.min(all.size(), from + size);
        return new Portion(all.subList(from, to), to == all.size() ? null : Cursor.of("at", Integer.toString(to)));
    }

    private static int start(String cursor) {
        try {
            return Integer.parseUnsignedInt(Cursor.read(cursor, 2).get(1));
        } catch (NumberFormatException e) {
            throw Cursor.invalid();
        }
    }

    /** The result of a method that lists, with the items under this field. */
    Outcome result(String field, Outcome.Caching caching) {
        var result = Json.object();
        items.forEach(result.putArray(field)::add);
        if (next != null) {
            result.put("nextCursor", next);
        }
        return Outcome.done(result, caching);
    }
}

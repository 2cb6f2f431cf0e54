package io.agentworkspace.engine.mcp.wire;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.page.Cursor;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * A page of a list.
 *
 * @param next where the next page begins, opaque to clients; null on the last
 */
public record ListPage(List<ObjectNode> items, @Nullable String next) {
    public static final int SIZE = 100;

    public static ListPage whole(List<ObjectNode> items) {
        return new ListPage(items, null);
    }

    /** The page of a list that a cursor of this method points to. */
    public static ListPage of(List<ObjectNode> all, @Nullable String cursor) {
        return of(all, cursor, SIZE);
    }

    /** The same, of this size. */
    public static ListPage of(List<ObjectNode> all, @Nullable String cursor, int size) {
        var from = cursor == null ? 0 : start(cursor);
        if (from > all.size()) {
            throw Cursor.invalid();
        }
        var to = Math.min(all.size(), from + size);
        return new ListPage(all.subList(from, to), to == all.size() ? null : Cursor.of("at", Integer.toString(to)));
    }

    private static int start(String cursor) {
        try {
            return Integer.parseUnsignedInt(Cursor.read(cursor, 2).get(1));
        } catch (NumberFormatException e) {
            throw Cursor.invalid();
        }
    }

    /** The result of a method that lists, with the items under this field. */
    public MethodResult result(String field, MethodResult.Caching caching) {
        var result = Json.object();
        items.forEach(result.putArray(field)::add);
        if (next != null) {
            result.put("nextCursor", next);
        }
        return MethodResult.done(result, caching);
    }
}

package io.agentworkspace.engine.kernel.wire;

import io.agentworkspace.engine.kernel.page.Cursor;
import io.agentworkspace.engine.model.json.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A page of a list.
 *
 * @param next the cursor of the next page, opaque to clients; null on the last page
 */
public record ListPage(List<ObjectNode> items, @Nullable String next) {
    public static final int SIZE = 100;

    public static ListPage whole(List<ObjectNode> items) {
        return new ListPage(items, null);
    }

    /** Returns the page at the cursor. */
    public static ListPage of(List<ObjectNode> all, @Nullable String cursor) {
        return of(all, cursor, SIZE);
    }

    /** Returns the page of the given size at the cursor. */
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

    /** Returns the result of a list method, with the items under this field. */
    public MethodResult result(String field, MethodResult.Caching caching) {
        var array = JsonNodeFactory.instance.arrayNode(items.size());
        items.forEach(array::add);
        return result(field, array, next, caching);
    }

    private static MethodResult result(
            String field, JsonNode items, @Nullable String next, MethodResult.Caching caching) {
        var result = Json.object();
        result.set(field, items);
        if (next != null) {
            result.put("nextCursor", next);
        }
        return MethodResult.done(result, caching);
    }

    /** A page whose items have become JSON once, for many responses. */
    public record Written(JsonNode items, @Nullable String next) {
        public MethodResult result(String field, MethodResult.Caching caching) {
            return ListPage.result(field, items, next, caching);
        }
    }

    public Written written() {
        return new Written(Json.written(Json.text(items)), next);
    }
}

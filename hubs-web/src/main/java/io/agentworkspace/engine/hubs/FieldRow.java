package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.model.schema.Field;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A row in a table of the fields of a JSON Schema: under the objects around it, with its last name.
 *
 * @param above the names of the objects around it, each followed by a dot
 * @param depth how many objects are around it
 */
record FieldRow(String above, String name, int depth, String type, boolean required, String limits, String sentence) {
    private static final String ITEMS = "[]";

    /** Returns the rows in order. If two fields have the same fields inside, the second only refers to the first. */
    static List<FieldRow> of(JsonNode schema, Set<String> leftOut) {
        var rows = new ArrayList<FieldRow>();
        new Walk(rows, leftOut).into(schema, "", 0, true);
        return List.copyOf(rows);
    }

    private record Walk(List<FieldRow> rows, Set<String> leftOut) {
        void into(JsonNode schema, String above, int depth, boolean needed) {
            var required = schema.path("required")
                    .valueStream()
                    .map(JsonNode::asString)
                    .toList();
            Map<JsonNode, String> namesByElement = new LinkedHashMap<>();
            for (var property : schema.path("properties").properties()) {
                if (above.isEmpty() && leftOut.contains(property.getKey())) {
                    continue;
                }
                var inner = (ObjectNode) property.getValue();
                var here = needed && required.contains(property.getKey());
                var element = inner.path("items").has("properties") ? inner.get("items") : inner;
                var name = property.getKey() + (element == inner ? "" : ITEMS);
                var same = element.has("properties") ? namesByElement.putIfAbsent(element, name) : null;
                var field = new Field(above + name, here, inner);
                rows.add(new FieldRow(above, name, depth, type(field, same), here, field.limits(), field.sentence()));
                if (same == null) {
                    into(element, above + name + ".", depth + 1, here);
                }
            }
        }

        private static String type(Field field, @Nullable String same) {
            if (same != null) {
                return "as " + same;
            }
            return field.type().equals("array")
                    ? "list of " + field.schema().at("/items/type").asString("value") + "s"
                    : field.type();
        }
    }
}

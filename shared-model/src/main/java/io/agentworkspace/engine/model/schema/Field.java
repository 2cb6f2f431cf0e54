package io.agentworkspace.engine.model.schema;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * One value in one of our JSON Schemas, with its path: {@code vx.name}, {@code content[].author}.
 *
 * @param required whether the value and all objects around it are required
 */
public record Field(String path, boolean required, ObjectNode schema) {
    /** Returns the values of a schema, in order. The objects around them are not included. */
    public static List<Field> of(JsonNode schema) {
        var fields = new ArrayList<Field>();
        collect(schema, "", true, fields);
        return List.copyOf(fields);
    }

    private static void collect(JsonNode schema, String prefix, boolean needed, List<Field> into) {
        var required =
                schema.path("required").valueStream().map(JsonNode::asString).toList();
        for (var property : schema.path("properties").properties()) {
            var path = prefix + property.getKey();
            var inner = (ObjectNode) property.getValue();
            var here = needed && required.contains(property.getKey());
            if (inner.has("properties")) {
                collect(inner, path + ".", here, into);
            } else if (inner.path("items").has("properties")) {
                collect(inner.get("items"), path + "[].", here, into);
            } else {
                into.add(new Field(path, here, inner));
            }
        }
    }

    public String name() {
        return path.substring(path.lastIndexOf('.') + 1);
    }

    public List<String> parents() {
        var names = List.of(path.split("\\."));
        return names.subList(0, names.size() - 1);
    }

    public String type() {
        return schema.has("anyOf")
                ? schema.get("anyOf")
                        .valueStream()
                        .map(each -> each.path("type").asString(""))
                        .collect(Collectors.joining(" or "))
                : schema.path("type").asString("string");
    }

    public String sentence() {
        return schema.path("description").asString("");
    }

    /** Returns the value's constraints in words; empty if it has none. */
    public String limits() {
        if (schema.has("enum")) {
            return "one of "
                    + String.join(
                            ", ",
                            schema.get("enum")
                                    .valueStream()
                                    .map(JsonNode::asString)
                                    .toList());
        } else if (schema.has("maxLength")) {
            return "at most %,d characters".formatted(schema.get("maxLength").asLong());
        } else if (schema.has("maximum")) {
            return "%,d to %,d"
                    .formatted(
                            schema.path("minimum").asLong(),
                            schema.get("maximum").asLong());
        }
        return schema.path("format").asString("");
    }
}

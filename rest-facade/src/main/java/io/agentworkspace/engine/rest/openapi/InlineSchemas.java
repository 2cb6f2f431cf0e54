package io.agentworkspace.engine.rest.openapi;

import io.agentworkspace.engine.model.json.Json;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Replaces each reference to a schema by that schema, with its name as {@code title}.
 *
 * <p>Client generators name a type by its title, and make one type of schemas that are equal. So a schema is the same
 * wherever it is used: a reference's own description remains only if all references to that schema have it.
 */
public final class InlineSchemas {
    private static final String DESCRIPTION = "description";

    private final ObjectNode schemas;
    private final Map<String, Set<String>> descriptions = new HashMap<>();
    private final Map<String, ObjectNode> inlined = new HashMap<>();

    private InlineSchemas(ObjectNode schemas) {
        this.schemas = schemas;
    }

    /**
     * Replaces the references in part of the OpenAPI document.
     *
     * @param schemas all schemas by name, which may refer to each other, but not to themselves
     */
    public static void into(ObjectNode document, ObjectNode schemas) {
        var inline = new InlineSchemas(schemas);
        inline.collect(document);
        inline.collect(schemas);
        inline.replace(document);
    }

    private void collect(JsonNode node) {
        var name = name(node);
        if (!name.isEmpty()) {
            descriptions
                    .computeIfAbsent(name, _ -> new HashSet<>())
                    .add(node.path(DESCRIPTION).asString(""));
        }
        node.values().forEach(this::collect);
    }

    private void replace(JsonNode node) {
        for (var i = 0; node.isArray() && i < node.size(); i++) {
            if (name(node.get(i)).isEmpty()) {
                replace(node.get(i));
            } else {
                node.asArray().set(i, inlined(name(node.get(i))));
            }
        }
        for (var field : node.properties()) {
            if (name(field.getValue()).isEmpty()) {
                replace(field.getValue());
            } else {
                field.setValue(inlined(name(field.getValue())));
            }
        }
    }

    private ObjectNode inlined(String name) {
        var former = inlined.get(name);
        if (former != null) {
            return former;
        }
        var schema = Json.object().put("title", name);
        var described = descriptions.getOrDefault(name, Set.of());
        if (described.size() == 1) {
            described.stream().filter(text -> !text.isEmpty()).forEach(text -> schema.put(DESCRIPTION, text));
        }
        var own = schemas.get(name).deepCopy();
        replace(own);
        own.properties().stream()
                .filter(field -> !schema.has(field.getKey()))
                .forEach(field -> schema.set(field.getKey(), field.getValue()));
        inlined.put(name, schema);
        return schema;
    }

    /** Returns the name of the schema that the node refers to; empty if it is no reference to a schema. */
    private static String name(JsonNode node) {
        var reference = node.path("$ref").asString("");
        return reference.startsWith(SchemaNames.PLACE) ? reference.substring(SchemaNames.PLACE.length()) : "";
    }
}

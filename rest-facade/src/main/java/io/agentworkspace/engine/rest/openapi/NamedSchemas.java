package io.agentworkspace.engine.rest.openapi;

import io.agentworkspace.engine.model.json.Json;
import tools.jackson.databind.node.ObjectNode;

/**
 * The schemas of the OpenAPI document, each object under its own name, so that generated code has good names.
 *
 * <p>A type with a {@code title} has that name everywhere. Any other type is named after the field that contains it:
 * {@code AgentCreateVx} for {@code vx} in {@code AgentCreate}. The type of a list's items has the singular of the
 * field's name, or {@code …Entry} if another field has that name.
 */
final class NamedSchemas {
    private final ObjectNode schemas = Json.object();

    ObjectNode json() {
        return schemas;
    }

    /**
     * Adds the schema of an object, and those of the objects inside it.
     *
     * @param prefix the beginning of the names of its fields' types
     * @return a reference to it
     */
    ObjectNode add(String name, String prefix, ObjectNode schema) {
        var properties = schema.path("properties");
        for (var property : properties.properties()) {
            var one = singular(property.getKey());
            var hasNamesake = !one.equals(property.getKey()) && properties.has(one);
            var type = prefix + camel(property.getKey()) + (hasNamesake ? "Entry" : "");
            property.setValue(settled(type, (ObjectNode) property.getValue()));
        }
        var former = schemas.get(name);
        if (former != null && !former.equals(schema)) {
            throw new IllegalStateException("two different schemas would be named " + name);
        }
        schemas.set(name, schema);
        return SchemaNames.schema(name);
    }

    ObjectNode add(String name, ObjectNode schema) {
        return add(name, name, schema);
    }

    /** Returns the schema for a field: a reference if its type has a name, else the schema itself. */
    ObjectNode settled(String name, ObjectNode schema) {
        if (schema.get("items") instanceof ObjectNode items) {
            schema.set("items", settled(singular(name), items));
        } else if (schema.get("additionalProperties") instanceof ObjectNode values) {
            schema.set("additionalProperties", settled(singular(name), values));
        } else if (schema.has("title") || schema.has("properties")) {
            return reference(name, schema);
        }
        return schema;
    }

    private ObjectNode reference(String name, ObjectNode schema) {
        var title = schema.remove("title");
        var description = schema.remove("description");
        var reference = add(title == null ? name : title.asString(), schema);
        if (description != null) {
            reference.set("description", description);
        }
        return reference;
    }

    private static String singular(String name) {
        if (name.endsWith("ies")) {
            return name.substring(0, name.length() - 3) + "y";
        }
        return name.endsWith("s") ? name.substring(0, name.length() - 1) : name;
    }

    /** Returns the name in camel case: {@code last_used} becomes {@code LastUsed}. */
    private static String camel(String snake) {
        var camel = new StringBuilder();
        for (var word : snake.split("_")) {
            camel.append(Character.toUpperCase(word.charAt(0))).append(word, 1, word.length());
        }
        return camel.toString();
    }
}

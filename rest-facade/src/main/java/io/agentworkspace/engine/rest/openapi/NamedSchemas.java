package io.agentworkspace.engine.rest.openapi;

import io.agentworkspace.engine.model.json.Json;
import tools.jackson.databind.node.ObjectNode;

/**
 * The schemas of the OpenAPI document, each object under a name of its own, so that what is generated from them has good
 * names: a type with a {@code title} is that one type wherever it stands; another one is called after the field that holds
 * it, {@code AgentCreateVx} for {@code vx} in {@code AgentCreate}; what is in a list after its singular, or, where a field beside it has that
 * name, {@code …Entry}.
 */
final class NamedSchemas {
    private final ObjectNode schemas = Json.object();

    ObjectNode json() {
        return schemas;
    }

    /**
     * Takes in the schema of an object, and those of the objects in it.
     *
     * @param prefix what the types of its fields begin with
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
        var known = schemas.get(name);
        if (known != null && !known.equals(schema)) {
            throw new IllegalStateException("two different schemas would be named " + name);
        }
        schemas.set(name, schema);
        return SchemaNames.schema(name);
    }

    ObjectNode add(String name, ObjectNode schema) {
        return add(name, name, schema);
    }

    /** What stands at a field: a reference where its type has a name, else the schema itself. */
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

    /** {@code last_used} becomes {@code LastUsed}. */
    private static String camel(String snake) {
        var camel = new StringBuilder();
        for (var word : snake.split("_")) {
            camel.append(Character.toUpperCase(word.charAt(0))).append(word, 1, word.length());
        }
        return camel.toString();
    }
}

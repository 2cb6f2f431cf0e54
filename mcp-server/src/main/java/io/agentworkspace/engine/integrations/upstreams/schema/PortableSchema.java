package io.agentworkspace.engine.integrations.upstreams.schema;

import io.agentworkspace.engine.model.json.Json;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A tool's input schema in the form that the APIs of Anthropic, OpenAI and Gemini all take. {@link #original} takes the arguments back to
 * what the server's own schema says.
 */
public record PortableSchema(ObjectNode json, Part part) {
    /** How large one may be, in characters. */
    static final int LARGEST = 64 * 1024;

    /** A schema that no client could be shown, with the reason in words. */
    public static final class Unusable extends Exception {
        Unusable(String words) {
            super(words, null, false, false);
        }
    }

    /**
     * What differs in the arguments of the server.
     *
     * @param names of properties in the server's schema, by their names here
     * @param parts of the values of properties, by their names here
     * @param items of the items of an array
     * @param nulls the properties that are null where they are left out
     */
    public record Part(
            Map<String, String> names,
            Map<String, Part> parts,
            @Nullable Part items,
            Set<String> nulls) {
        static final Part SAME = new Part(Map.of(), Map.of(), null, Set.of());

        boolean isSame() {
            return names.isEmpty() && parts.isEmpty() && items == null && nulls.isEmpty();
        }

        private JsonNode original(JsonNode value) {
            if (value instanceof ObjectNode object && !isSame()) {
                var original = Json.object();
                object.properties().forEach(field -> {
                    var part = parts.get(field.getKey());
                    original.set(
                            names.getOrDefault(field.getKey(), field.getKey()),
                            part == null ? field.getValue() : part.original(field.getValue()));
                });
                nulls.stream().filter(name -> !original.has(name)).forEach(original::putNull);
                return original;
            }
            if (value instanceof ArrayNode list && items != null) {
                var original = Json.array();
                list.forEach(item -> original.add(items.original(item)));
                return original;
            }
            return value;
        }
    }

    /** @throws Unusable with the reason why the tool is held */
    public static PortableSchema of(JsonNode schema) throws Unusable {
        if (!(schema instanceof ObjectNode root)) {
            throw new Unusable("its inputSchema is no object");
        }
        var portable = new SchemaTranslation(root).root();
        if (Json.text(portable.json()).length() > LARGEST) {
            throw FlatSchemas.tooLarge();
        }
        return portable;
    }

    /** Returns the arguments as the server's schema has them. */
    public ObjectNode original(ObjectNode arguments) {
        return part.original(arguments).asObject();
    }
}

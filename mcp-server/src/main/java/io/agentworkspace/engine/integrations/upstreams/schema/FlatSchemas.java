package io.agentworkspace.engine.integrations.upstreams.schema;

import io.agentworkspace.engine.integrations.upstreams.schema.PortableSchema.Unusable;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.text.Excerpt;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A schema's parts without references: each with {@code allOf}, and on request its alternatives, in it. The steps are counted before the
 * work, since references multiply.
 */
final class FlatSchemas {
    /** What one part of a schema costs besides its texts, in characters. */
    static final int PART = 16;

    static final List<String> ALTERNATIVES = List.of("anyOf", "oneOf");

    private static final int DEEPEST = 24;
    private static final Set<String> TYPES =
            Set.of("string", "number", "integer", "boolean", "object", "array", "null");

    private final ObjectNode root;
    private long left = PortableSchema.LARGEST;

    /** The properties that {@link #beside} has made of several. A further one is added to them, so that they are not nested. */
    private final Set<JsonNode> combined = Collections.newSetFromMap(new IdentityHashMap<>());

    FlatSchemas(ObjectNode root) {
        this.root = root;
    }

    void take(long characters) throws Unusable {
        left -= characters;
        if (left < 0) {
            throw tooLarge();
        }
    }

    /** Returns the schema with its references and {@code allOf} in it. Its values are those of the original: nobody changes them. */
    ObjectNode flat(JsonNode schema, Set<String> within, int depth) throws Unusable {
        take(PART);
        if (depth > DEEPEST) {
            throw new Unusable("its inputSchema is nested more than %d levels deep".formatted(DEEPEST));
        }
        var flat = Json.object();
        if (!(schema instanceof ObjectNode object)) {
            return flat;
        }
        take(object.size());
        flat.setAll(object);
        var reference = object.path("$ref").isString() ? object.path("$ref").asString() : "";
        if (!reference.isEmpty()) {
            flat.remove("$ref");
            var target = target(reference);
            if (within.add(reference)) {
                mix(flat, flat(target, within, depth + 1));
            } else { // It is part of itself.
                mix(
                        flat,
                        Json.object()
                                .put("type", types(target).stream().findFirst().orElse("object")));
            }
        }
        if (object.get("allOf") instanceof ArrayNode branches) {
            flat.remove("allOf");
            for (var branch : branches) {
                mix(flat, flat(branch, within, depth + 1));
            }
        }
        return flat;
    }

    ObjectNode target(String reference) throws Unusable {
        var excerpt = Excerpt.cut(reference, 100);
        if (!reference.startsWith("#")) {
            throw new Unusable("its inputSchema refers to another document, '%s'".formatted(excerpt));
        }
        try {
            var pointer = reference.substring(1);
            var plain = root.at(pointer);
            var found = plain.isMissingNode() ? root.at(decoded(pointer)) : plain;
            if (!found.isMissingNode()) {
                return found instanceof ObjectNode object ? object : Json.object();
            }
        } catch (IllegalArgumentException notAPointer) {
            // As if it led nowhere.
        }
        throw new Unusable("its inputSchema refers to '%s', which it does not have".formatted(excerpt));
    }

    /** Returns a reference without its percent-encoding: it is part of an address. */
    private static String decoded(String pointer) {
        return URLDecoder.decode(pointer.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    /** Adds what both must be: all properties, and of the rest what is not there. */
    void mix(ObjectNode flat, ObjectNode more) throws Unusable {
        for (var field : more.properties()) {
            var own = flat.get(field.getKey());
            if (own == null) {
                flat.set(field.getKey(), field.getValue());
            } else if (field.getKey().equals("properties")
                    && own instanceof ObjectNode
                    && field.getValue() instanceof ObjectNode) {
                flat.set("properties", beside(own.asObject(), field.getValue().asObject(), "allOf"));
            } else if (field.getKey().equals("required")
                    && own.isArray()
                    && field.getValue().isArray()) {
                take(field.getValue().size());
                var both = Json.array();
                both.addAll(own.asArray());
                both.addAll(field.getValue().asArray());
                flat.set("required", both);
            }
        }
    }

    /** Returns the properties of both. One that both have is combined by {@code how}. */
    ObjectNode beside(ObjectNode one, ObjectNode other, String how) throws Unusable {
        take((long) PART * (one.size() + other.size()));
        var all = Json.object();
        all.setAll(one);
        other.properties().forEach(each -> {
            var first = all.get(each.getKey());
            if (first == null || first.equals(each.getValue())) {
                all.set(each.getKey(), each.getValue());
            } else if (combined.contains(first) && first.get(how) instanceof ArrayNode several) {
                several.add(each.getValue());
            } else {
                var both = Json.object();
                both.putArray(how).add(first).add(each.getValue());
                combined.add(both);
                all.set(each.getKey(), both);
            }
        });
        return all;
    }

    /** Puts the properties of alternatives beside each other. Required is what all of them require. */
    void merge(ObjectNode flat, Set<String> within, int depth) throws Unusable {
        var used = new LinkedHashSet<>(within);
        for (var key : ALTERNATIVES) {
            var branches = flat.remove(key);
            LinkedHashSet<String> common = null;
            for (var branch : branches instanceof ArrayNode list ? list : Json.array()) {
                var inside = new LinkedHashSet<>(within);
                var one = flat(branch, inside, depth + 1);
                if (types(one).equals(List.of("null"))) {
                    continue;
                }
                merge(one, inside, depth + 1);
                used.addAll(inside);
                if (one.get("properties") instanceof ObjectNode properties) {
                    flat.set(
                            "properties",
                            flat.get("properties") instanceof ObjectNode own
                                    ? beside(own, properties, "anyOf")
                                    : properties);
                }
                if (!flat.has("description") && branches.size() == 1 && one.has("description")) {
                    flat.set("description", one.get("description"));
                }
                var names = required(one);
                if (common == null) {
                    common = names;
                } else {
                    common.retainAll(names);
                }
            }
            if (common != null) {
                common.addAll(required(flat));
                var all = Json.array();
                common.forEach(all::add);
                flat.set("required", all);
            }
        }
        within.addAll(used);
    }

    static LinkedHashSet<String> required(ObjectNode schema) {
        var names = new LinkedHashSet<String>();
        if (schema.get("required") instanceof ArrayNode list) {
            list.forEach(name -> names.add(name.asString("")));
        }
        return names;
    }

    /** Returns the types that a schema names, or that its other words mean. */
    static List<String> types(JsonNode schema) {
        var named = schema.path("type");
        var types = new LinkedHashSet<String>();
        (named.isArray() ? named : List.of(named)).forEach(type -> {
            var word = type.asString("");
            if (TYPES.contains(word)) {
                types.add(word);
            }
        });
        return List.copyOf(types);
    }

    static Unusable tooLarge() {
        return new Unusable("its inputSchema has more than %d KB, with references in their places"
                .formatted(PortableSchema.LARGEST >> 10));
    }
}

package io.agentworkspace.engine.upstreams;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.text.Excerpt;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Makes of a tool's input schema one that every client understands: an object at the root, no references, a type
 * everywhere, items in every list, and plain names of properties. {@link #original} takes the arguments back.
 */
final class PortableSchema {
    private static final int DEEPEST = 24;
    private static final int LARGEST = 64 * 1024;
    private static final int LONGEST_TEXT = 500;
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_.-]{1,64}");
    private static final List<String> COMBINED = List.of("anyOf", "oneOf", "allOf");

    private final ObjectNode root;

    private PortableSchema(ObjectNode root) {
        this.root = root;
    }

    /** A schema that no client could be shown, with the reason in words. */
    static final class Unusable extends Exception {
        Unusable(String words) {
            super(words, null, false, false);
        }
    }

    /** @throws Unusable with the reason why the tool is held */
    static ObjectNode of(JsonNode schema) throws Unusable {
        if (!(schema instanceof ObjectNode root)) {
            throw new Unusable("its inputSchema is no object");
        }
        var whole = new PortableSchema(root).resolved(root, 0, Set.of());
        merge(whole);
        if (!whole.path("type").asString("object").equals("object")) {
            throw new Unusable("its inputSchema describes no object");
        }
        var portable = Json.object().put("type", "object");
        var properties = portable.putObject("properties");
        whole.path("properties").properties().forEach(each -> properties.set(plain(each.getKey()), each.getValue()));
        if (whole.get("required") instanceof ArrayNode required && !required.isEmpty()) {
            var names = portable.putArray("required");
            required.forEach(name -> names.add(plain(name.asString(""))));
        }
        if (whole.has("additionalProperties")) {
            portable.set("additionalProperties", whole.get("additionalProperties"));
        }
        if (Json.bytes(portable).length > LARGEST) {
            throw new Unusable("its inputSchema has more than %d KB".formatted(LARGEST >> 10));
        }
        return portable;
    }

    /** Returns the arguments with the names of properties that the server gave them. */
    static ObjectNode original(ObjectNode arguments, JsonNode schema) {
        try {
            var whole = new PortableSchema((ObjectNode) schema).resolved((ObjectNode) schema, 0, Set.of(), false);
            merge(whole);
            return (ObjectNode) renamed(arguments, whole);
        } catch (Unusable e) {
            return arguments;
        }
    }

    private static JsonNode renamed(JsonNode value, JsonNode schema) {
        if (value instanceof ObjectNode object && schema.get("properties") instanceof ObjectNode properties) {
            var names = Json.object();
            properties.propertyNames().forEach(name -> names.put(plain(name), name));
            var original = Json.object();
            object.properties().forEach(field -> {
                var name = names.path(field.getKey()).asString(field.getKey());
                original.set(name, renamed(field.getValue(), properties.path(name)));
            });
            return original;
        }
        if (value instanceof ArrayNode list && schema.get("items") instanceof ObjectNode items) {
            var original = Json.array();
            list.forEach(item -> original.add(renamed(item, items)));
            return original;
        }
        return value;
    }

    private static String plain(String name) {
        if (PLAIN.matcher(name).matches()) {
            return name;
        }
        var plain = name.replaceAll("[^A-Za-z0-9_.-]+", "_");
        return Excerpt.cut(plain.isEmpty() ? "_" : plain, 64).replace("…", "_");
    }

    private ObjectNode resolved(ObjectNode schema, int depth, Set<String> within) throws Unusable {
        return resolved(schema, depth, within, true);
    }

    /** Returns the schema with what its references mean in their place. A reference to what it is in means anything. */
    private ObjectNode resolved(ObjectNode schema, int depth, Set<String> within, boolean portable) throws Unusable {
        if (depth > DEEPEST) {
            throw new Unusable("its inputSchema is nested more than %d levels deep".formatted(DEEPEST));
        }
        var reference = schema.path("$ref").asString("");
        if (!reference.isEmpty()) {
            if (within.contains(reference)) {
                return Json.object().put("type", "object");
            }
            var inside = new HashSet<>(within);
            inside.add(reference);
            var target = resolved(target(reference), depth + 1, inside, portable);
            if (schema.has("description")) {
                target.set("description", schema.get("description"));
            }
            return target;
        }
        var result = schema.deepCopy();
        result.remove(List.of("$defs", "definitions", "$schema", "$id", "$anchor", "$comment"));
        if (schema.get("properties") instanceof ObjectNode properties) {
            var own = result.putObject("properties");
            for (var each : properties.properties()) {
                own.set(
                        portable ? plain(each.getKey()) : each.getKey(),
                        inner(each.getValue(), depth, within, portable));
            }
            if (portable && schema.get("required") instanceof ArrayNode required) {
                var names = result.putArray("required");
                required.forEach(name -> names.add(plain(name.asString(""))));
            }
        }
        for (var key : List.of("items", "additionalProperties", "not")) {
            if (schema.get(key) instanceof ObjectNode inner) {
                result.set(key, inner(inner, depth, within, portable));
            }
        }
        for (var key : COMBINED) {
            if (schema.get(key) instanceof ArrayNode branches) {
                var own = result.putArray(key);
                for (var branch : branches) {
                    own.add(inner(branch, depth, within, portable));
                }
            }
        }
        if (depth > 0) {
            typed(result);
        }
        return result;
    }

    private JsonNode inner(JsonNode schema, int depth, Set<String> within, boolean portable) throws Unusable {
        if (schema instanceof ObjectNode object) {
            return resolved(object, depth + 1, within, portable);
        }
        return Json.object().put("type", "string");
    }

    private ObjectNode target(String reference) throws Unusable {
        if (!reference.startsWith("#")) {
            throw new Unusable(
                    "its inputSchema refers to another document, '%s'".formatted(Excerpt.cut(reference, 100)));
        }
        if (reference.equals("#")) {
            return root;
        }
        try {
            if (root.at(reference.substring(1)) instanceof ObjectNode target) {
                return target;
            }
        } catch (IllegalArgumentException notAPointer) {
            // As if it led nowhere.
        }
        throw new Unusable(
                "its inputSchema refers to '%s', which it does not have".formatted(Excerpt.cut(reference, 100)));
    }

    /** Adds what clients require: a type, and items of a list. Texts are limited. */
    private static void typed(ObjectNode schema) {
        var combined = COMBINED.stream().anyMatch(schema::has);
        if (!schema.has("type") && !combined) {
            schema.put("type", type(schema));
        }
        if (schema.path("type").asString("").equals("array")
                && !schema.path("items").isObject()) {
            schema.putObject("items").put("type", "string");
        }
        for (var text : List.of("description", "title")) {
            if (schema.path(text).isString()) {
                schema.put(text, Excerpt.cut(schema.path(text).asString(), LONGEST_TEXT));
            }
        }
    }

    private static String type(ObjectNode schema) {
        var example =
                schema.has("const") ? schema.path("const") : schema.path("enum").path(0);
        if (schema.has("properties") || schema.has("additionalProperties") || example.isObject()) {
            return "object";
        } else if (schema.has("items") || example.isArray()) {
            return "array";
        } else if (example.isBoolean()) {
            return "boolean";
        } else if (schema.has("minimum") || schema.has("maximum") || example.isNumber()) {
            return "number";
        }
        return "string";
    }

    /** Puts the properties of alternatives at the root beside each other. Required is what all of them require. */
    private static void merge(ObjectNode root) {
        var properties = root.get("properties") instanceof ObjectNode own ? own : root.putObject("properties");
        var required = new LinkedHashSet<String>();
        root.path("required").forEach(name -> required.add(name.asString("")));
        for (var key : COMBINED) {
            var needed = new ArrayList<Set<String>>();
            for (var branch : root.path(key)) {
                branch.path("properties").properties().stream()
                        .filter(each -> !properties.has(each.getKey()))
                        .forEach(each -> properties.set(each.getKey(), each.getValue()));
                var names = new LinkedHashSet<String>();
                branch.path("required").forEach(name -> names.add(name.asString("")));
                needed.add(names);
            }
            if (key.equals("allOf")) {
                needed.forEach(required::addAll);
            } else if (!needed.isEmpty()) {
                var common = new LinkedHashSet<>(needed.getFirst());
                needed.forEach(common::retainAll);
                required.addAll(common);
            }
            root.remove(key);
        }
        if (!root.has("type")) {
            root.put("type", "object");
        }
        root.remove("required");
        if (!required.isEmpty()) {
            required.forEach(root.putArray("required")::add);
        }
    }
}

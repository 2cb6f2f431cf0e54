package io.agentworkspace.engine.integrations.upstreams.schema;

import io.agentworkspace.engine.integrations.upstreams.schema.PortableSchema.Part;
import io.agentworkspace.engine.integrations.upstreams.schema.PortableSchema.Unusable;
import io.agentworkspace.engine.model.json.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Translates the JSON Schema of a stranger, of whatever draft. What comes out has one type everywhere or {@code anyOf} alone,
 * items in each array, enumerations of texts only, no references, and plain names. What cannot be said so is said in words. The steps
 * are counted before the work: references multiply.
 */
final class SchemaTranslation {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_.-]{1,64}");

    private final ObjectNode root;
    private final FlatSchemas flats;
    private final ValueWords words;

    SchemaTranslation(ObjectNode root) {
        this.root = root;
        this.flats = new FlatSchemas(root);
        this.words = new ValueWords(flats);
    }

    /**
     * A part of the schema.
     *
     * @param json null if only null is allowed
     */
    private record Translated(@Nullable ObjectNode json, Part part, boolean isNullable) {}

    PortableSchema root() throws Unusable {
        var within = new LinkedHashSet<String>();
        var flat = flats.flat(root, within, 0);
        flats.merge(flat, within, 0);
        var types = FlatSchemas.types(flat);
        if (!types.isEmpty() && !types.contains("object")) {
            throw new Unusable("its inputSchema describes no object");
        }
        var translated = object(flat, within, 0);
        var json = Objects.requireNonNull(translated.json());
        if (!json.has("properties")) {
            json.putObject("properties");
        }
        return new PortableSchema(json, translated.part());
    }

    private Translated translated(JsonNode schema, Set<String> outside, int depth) throws Unusable {
        var within = new LinkedHashSet<>(outside);
        var flat = flats.flat(schema, within, depth);
        if (FlatSchemas.ALTERNATIVES.stream()
                .anyMatch(key -> flat.get(key) instanceof ArrayNode list && !list.isEmpty())) {
            var own = FlatSchemas.types(flat);
            if (own.contains("object") || flat.has("properties")) {
                flats.merge(flat, within, depth);
            } else if (own.stream().allMatch("null"::equals) && !flat.has("enum") && !flat.has("const")) {
                return alternatives(flat, within, depth);
            }
        }
        return typed(flat, within, depth);
    }

    private Translated alternatives(ObjectNode flat, Set<String> within, int depth) throws Unusable {
        var all = new ArrayList<Translated>();
        for (var key : FlatSchemas.ALTERNATIVES) {
            if (all.isEmpty() && flat.get(key) instanceof ArrayNode branches) {
                for (var branch : branches) {
                    all.add(translated(branch, within, depth + 1));
                }
            }
        }
        var isNullable = all.stream().anyMatch(each -> each.json() == null || each.isNullable())
                || FlatSchemas.types(flat).contains("null")
                || flat.path("nullable").asBoolean(false);
        return combined(flat, all, isNullable);
    }

    /** Returns one of several. The engine of Gemini takes {@code anyOf} only without anything beside it. */
    private Translated combined(ObjectNode flat, List<Translated> all, boolean isNullable) throws Unusable {
        var branches = new LinkedHashSet<ObjectNode>();
        var values = new LinkedHashSet<String>();
        var part = Part.SAME;
        for (var each : all) {
            part = union(part, each.part());
            if (each.json() == null) {
                continue;
            }
            for (var branch : each.json().get("anyOf") instanceof ArrayNode inner ? inner : List.of(each.json())) {
                if (branch.has("enum")) {
                    branch.path("enum").forEach(value -> values.add(value.asString("")));
                } else {
                    branches.add(branch.asObject());
                }
            }
        }
        var list = new ArrayList<>(branches);
        if (!values.isEmpty()) {
            var texts = Json.object().put("type", "string");
            values.forEach(texts.putArray("enum")::add);
            list.addFirst(texts);
        }
        if (list.isEmpty()) {
            return new Translated(null, Part.SAME, true);
        }
        for (var branch : list) {
            words.describe(flat, branch, List.of());
        }
        if (list.size() == 1) {
            return new Translated(list.getFirst(), part, isNullable);
        }
        var json = Json.object();
        list.forEach(json.putArray("anyOf")::add);
        // What is null where it is left out depends on the branch, which the arguments do not name.
        return new Translated(json, new Part(part.names(), part.parts(), part.items(), Set.of()), isNullable);
    }

    private static Part union(Part one, Part other) {
        if (one.isSame()) {
            return other;
        }
        var names = new LinkedHashMap<>(one.names());
        other.names().forEach(names::putIfAbsent);
        var parts = new LinkedHashMap<>(one.parts());
        other.parts().forEach((name, part) -> parts.merge(name, part, SchemaTranslation::union));
        return new Part(names, parts, one.items() == null ? other.items() : one.items(), Set.of());
    }

    private Translated typed(ObjectNode flat, Set<String> within, int depth) throws Unusable {
        var values = values(flat);
        var types = new LinkedHashSet<>(FlatSchemas.types(flat));
        var isNullable = types.remove("null") | flat.path("nullable").asBoolean(false);
        if (values != null) {
            isNullable = values.stream().anyMatch(JsonNode::isNull) && (isNullable || !flat.has("type"));
            var ofValues = new LinkedHashSet<String>();
            values.stream().filter(value -> !value.isNull()).forEach(value -> ofValues.add(ValueWords.typeOf(value)));
            if (ofValues.contains("number")) {
                ofValues.remove("integer");
            }
            types = ofValues;
        } else if (types.isEmpty() && !flat.has("type") || types.isEmpty() && !isNullable) {
            types.add(meant(flat));
        }
        if (types.contains("number")) {
            types.remove("integer");
        }
        if (types.isEmpty()) {
            return new Translated(null, Part.SAME, true);
        }
        var all = new ArrayList<Translated>();
        for (var type : types) {
            all.add(one(type, flat, values, within, depth));
        }
        return all.size() == 1
                ? new Translated(all.getFirst().json(), all.getFirst().part(), isNullable)
                : combined(Json.object(), all, isNullable);
    }

    /** Returns the values that are allowed; null if it has no enumeration. */
    private @Nullable List<JsonNode> values(ObjectNode flat) throws Unusable {
        var values = flat.has("const")
                ? List.of(flat.path("const"))
                : flat.get("enum") instanceof ArrayNode list && !list.isEmpty()
                        ? list.valueStream().toList()
                        : null;
        if (values != null) {
            flats.take(values.size());
        }
        return values;
    }

    private static String meant(ObjectNode schema) {
        if (schema.has("properties") || schema.has("additionalProperties") || schema.has("patternProperties")) {
            return "object";
        } else if (schema.has("items") || schema.has("prefixItems") || schema.has("minItems")) {
            return "array";
        }
        return List.of("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf").stream()
                        .anyMatch(schema::has)
                ? "number"
                : "string";
    }

    private Translated one(String type, ObjectNode flat, @Nullable List<JsonNode> values, Set<String> within, int depth)
            throws Unusable {
        return switch (type) {
            case "object" -> object(flat, within, depth);
            case "array" -> array(flat, within, depth);
            default -> {
                var json = Json.object().put("type", type);
                var hints = new ArrayList<String>();
                if (type.equals("string")) {
                    ValueWords.text(json, flat, hints);
                } else if (!type.equals("boolean")) {
                    ValueWords.number(json, flat, hints);
                }
                if (values != null) {
                    words.allow(json, type, values, hints);
                }
                words.describe(flat, json, hints);
                words.keepDefault(json, flat);
                yield new Translated(json, Part.SAME, false);
            }
        };
    }

    private Translated array(ObjectNode flat, Set<String> within, int depth) throws Unusable {
        var json = Json.object().put("type", "array");
        ValueWords.count(json, flat, "minItems", "maxItems");
        words.describe(flat, json, List.of());
        var places = flat.get("prefixItems") instanceof ArrayNode prefix ? prefix : flat.get("items");
        Translated items;
        if (places instanceof ArrayNode each) {
            var all = new ArrayList<Translated>();
            for (var place : each) {
                all.add(translated(place, within, depth + 1));
            }
            items = combined(Json.object(), all, false);
        } else {
            items = translated(places == null ? Json.object() : places, within, depth + 1);
        }
        json.set("items", items.json() == null ? Json.object().put("type", "string") : items.json());
        return new Translated(
                json, items.part().isSame() ? Part.SAME : new Part(Map.of(), Map.of(), items.part(), Set.of()), false);
    }

    private Translated object(ObjectNode flat, Set<String> within, int depth) throws Unusable {
        var json = Json.object().put("type", "object");
        if (depth > 0) {
            words.describe(flat, json, List.of());
        }
        if (!(flat.get("properties") instanceof ObjectNode properties) || properties.isEmpty()) {
            return new Translated(json, Part.SAME, false);
        }
        var own = json.putObject("properties");
        var required = FlatSchemas.required(flat);
        var isRequired = Json.array();
        var names = new LinkedHashMap<String, String>();
        var parts = new LinkedHashMap<String, Part>();
        var nulls = new LinkedHashSet<String>();
        var taken = new LinkedHashSet<String>();
        properties.propertyNames().forEach(name -> {
            if (PLAIN.matcher(name).matches()) {
                taken.add(name);
            }
        });
        for (var property : properties.properties()) {
            var value = translated(property.getValue(), within, depth + 1);
            var name = plain(property.getKey(), taken);
            flats.take(name.length() + FlatSchemas.PART);
            if (value.isNullable() && required.contains(property.getKey())) {
                nulls.add(property.getKey());
            }
            if (value.json() == null) {
                continue;
            }
            own.set(name, value.json());
            if (required.contains(property.getKey()) && !value.isNullable()) {
                isRequired.add(name);
            }
            if (!name.equals(property.getKey())) {
                names.put(name, property.getKey());
            }
            if (!value.part().isSame()) {
                parts.put(name, value.part());
            }
        }
        if (!isRequired.isEmpty()) {
            json.set("required", isRequired);
        }
        return new Translated(json, new Part(names, parts, null, nulls), false);
    }

    /** Returns a name that all clients take, and that no other property has. */
    private static String plain(String name, Set<String> taken) {
        if (PLAIN.matcher(name).matches()) {
            return name;
        }
        var plain = name.replaceAll("[^A-Za-z0-9_.-]+", "_");
        plain = plain.isEmpty() ? "_" : plain.substring(0, Math.min(plain.length(), 60));
        var unique = plain;
        for (var number = 2; !taken.add(unique); number++) {
            unique = plain + "_" + number;
        }
        return unique;
    }
}

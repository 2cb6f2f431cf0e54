package io.agentworkspace.engine.upstreams;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.upstreams.PortableSchema.Part;
import io.agentworkspace.engine.upstreams.PortableSchema.Unusable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
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
    private static final int DEEPEST = 24;

    /** What one part of a schema costs besides its texts, in characters. */
    private static final int PART = 16;

    private static final int LONGEST_TEXT = 500;
    private static final int LONGEST_HINT = 200;
    private static final int MOST_VALUES = 200;
    private static final int MOST_SHOWN = 20;
    private static final long LARGEST_NUMBER = 1L << 53;
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_.-]{1,64}");
    private static final List<String> TYPES = List.of("string", "number", "integer", "boolean", "object", "array");
    private static final List<String> ALTERNATIVES = List.of("anyOf", "oneOf");

    private final ObjectNode root;
    private long left = PortableSchema.LARGEST;

    SchemaTranslation(ObjectNode root) {
        this.root = root;
    }

    /**
     * A part of the schema.
     *
     * @param json null if only null is allowed
     */
    private record Translated(@Nullable ObjectNode json, Part part, boolean isNullable) {}

    static Unusable tooLarge() {
        return new Unusable("its inputSchema has more than %d KB, with references in their places"
                .formatted(PortableSchema.LARGEST >> 10));
    }

    PortableSchema root() throws Unusable {
        var within = new LinkedHashSet<String>();
        var flat = flat(root, within, 0);
        merge(flat, within, 0);
        var types = types(flat);
        if (!types.isEmpty() && !types.contains("object")) {
            throw new Unusable("its inputSchema describes no object");
        }
        var translated = object(flat, within, 0);
        if (!translated.json().has("properties")) {
            translated.json().putObject("properties");
        }
        return new PortableSchema(translated.json(), translated.part());
    }

    private void take(long characters) throws Unusable {
        left -= characters;
        if (left < 0) {
            throw tooLarge();
        }
    }

    /** Returns the schema with its references and {@code allOf} in it. Its values are those of the original: nobody changes them. */
    private ObjectNode flat(JsonNode schema, Set<String> within, int depth) throws Unusable {
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

    private ObjectNode target(String reference) throws Unusable {
        var shown = Excerpt.cut(reference, 100);
        if (!reference.startsWith("#")) {
            throw new Unusable("its inputSchema refers to another document, '%s'".formatted(shown));
        }
        try {
            if (reference.equals("#") || root.at(reference.substring(1)) instanceof ObjectNode) {
                return reference.equals("#")
                        ? root
                        : root.at(reference.substring(1)).asObject();
            }
        } catch (IllegalArgumentException notAPointer) {
            // As if it led nowhere.
        }
        throw new Unusable("its inputSchema refers to '%s', which it does not have".formatted(shown));
    }

    /** Adds what both must be: all properties, and of the rest what is not there. */
    private void mix(ObjectNode flat, ObjectNode more) throws Unusable {
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
    private ObjectNode beside(ObjectNode one, ObjectNode other, String how) throws Unusable {
        take((long) PART * (one.size() + other.size()));
        var all = Json.object();
        all.setAll(one);
        other.properties().forEach(each -> {
            var first = all.get(each.getKey());
            if (first == null || first.equals(each.getValue())) {
                all.set(each.getKey(), each.getValue());
            } else {
                var combined = Json.object();
                combined.putArray(how).add(first).add(each.getValue());
                all.set(each.getKey(), combined);
            }
        });
        return all;
    }

    /** Puts the properties of alternatives beside each other. Required is what all of them require. */
    private void merge(ObjectNode flat, Set<String> within, int depth) throws Unusable {
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

    private static LinkedHashSet<String> required(ObjectNode schema) {
        var names = new LinkedHashSet<String>();
        if (schema.get("required") instanceof ArrayNode list) {
            list.forEach(name -> names.add(name.asString("")));
        }
        return names;
    }

    private Translated translated(JsonNode schema, Set<String> outside, int depth) throws Unusable {
        var within = new LinkedHashSet<>(outside);
        var flat = flat(schema, within, depth);
        if (ALTERNATIVES.stream().anyMatch(key -> flat.get(key) instanceof ArrayNode list && !list.isEmpty())) {
            var own = types(flat);
            if (own.contains("object") || flat.has("properties")) {
                merge(flat, within, depth);
            } else if (own.stream().allMatch("null"::equals) && !flat.has("enum") && !flat.has("const")) {
                return alternatives(flat, within, depth);
            }
        }
        return typed(flat, within, depth);
    }

    private Translated alternatives(ObjectNode flat, Set<String> within, int depth) throws Unusable {
        var all = new ArrayList<Translated>();
        for (var key : ALTERNATIVES) {
            if (all.isEmpty() && flat.get(key) instanceof ArrayNode branches) {
                for (var branch : branches) {
                    all.add(translated(branch, within, depth + 1));
                }
            }
        }
        var isNullable = all.stream().anyMatch(each -> each.json() == null || each.isNullable())
                || types(flat).contains("null")
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
            describe(flat, branch, List.of());
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

    /** Returns the types that a schema names, or that its other words mean. */
    private static List<String> types(JsonNode schema) {
        var named = schema.path("type");
        var types = new LinkedHashSet<String>();
        (named.isArray() ? named : List.of(named)).forEach(type -> {
            var word = type.asString("");
            if (TYPES.contains(word) || word.equals("null")) {
                types.add(word);
            }
        });
        return List.copyOf(types);
    }

    private Translated typed(ObjectNode flat, Set<String> within, int depth) throws Unusable {
        var values = values(flat);
        var types = new LinkedHashSet<>(types(flat));
        var isNullable = types.remove("null") | flat.path("nullable").asBoolean(false);
        if (values != null) {
            isNullable = values.stream().anyMatch(JsonNode::isNull) && (isNullable || !flat.has("type"));
            var ofValues = new LinkedHashSet<String>();
            values.stream().filter(value -> !value.isNull()).forEach(value -> ofValues.add(typeOf(value)));
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
            take(values.size());
        }
        return values;
    }

    private static String typeOf(JsonNode value) {
        return value.isString()
                ? "string"
                : value.isBoolean()
                        ? "boolean"
                        : value.isIntegralNumber()
                                ? "integer"
                                : value.isNumber() ? "number" : value.isArray() ? "array" : "object";
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
                    text(json, flat, hints);
                } else if (!type.equals("boolean")) {
                    number(json, flat, hints);
                }
                if (values != null) {
                    allow(json, type, values, hints);
                }
                describe(flat, json, hints);
                keepDefault(json, flat);
                yield new Translated(json, Part.SAME, false);
            }
        };
    }

    private void text(ObjectNode json, ObjectNode flat, List<String> hints) {
        count(json, flat, "minLength", "maxLength");
        var format = flat.path("format").asString("");
        if (format.equals("date-time")) {
            json.put("format", format);
        } else if (!format.isEmpty()) {
            hints.add("Format: %s.".formatted(format));
        }
        if (flat.path("pattern").isString()) {
            hints.add("Pattern: %s".formatted(flat.path("pattern").asString()));
        }
    }

    private static void count(ObjectNode json, ObjectNode flat, String... names) {
        for (var name : names) {
            if (flat.path(name).isIntegralNumber()
                    && flat.path(name).canConvertToInt()
                    && flat.path(name).asInt() >= 0) {
                json.put(name, flat.path(name).asInt());
            }
        }
    }

    /** Limits that exclude themselves are a number in newer drafts, and a boolean beside the limit in draft 4. */
    private static void number(ObjectNode json, ObjectNode flat, List<String> hints) {
        limit(json, flat, "minimum", "exclusiveMinimum", 1, hints);
        limit(json, flat, "maximum", "exclusiveMaximum", -1, hints);
        if (flat.path("multipleOf").isNumber()) {
            hints.add("A multiple of %s.".formatted(flat.path("multipleOf").asString()));
        }
    }

    private static void limit(
            ObjectNode json, ObjectNode flat, String name, String exclusive, int step, List<String> hints) {
        var own = flat.path(name);
        var excluded = flat.path(exclusive).isNumber()
                ? flat.path(exclusive)
                : flat.path(exclusive).asBoolean(false) ? own : null;
        var isExcluded = excluded != null
                && excluded.isNumber()
                && (!own.isNumber() || step * (excluded.asDouble() - own.asDouble()) >= 0);
        var limit = isExcluded ? excluded : own;
        if (limit == null || !limit.isNumber() || Math.abs(limit.asDouble()) > LARGEST_NUMBER) {
            return;
        }
        if (isExcluded && json.path("type").asString().equals("integer") && limit.asDouble() % 1 == 0) {
            json.put(name, (long) limit.asDouble() + step);
        } else {
            json.set(name, limit);
            if (isExcluded) {
                hints.add("%s than %s.".formatted(step > 0 ? "More" : "Less", limit.asString()));
            }
        }
    }

    /** Only texts may be enumerated, and no empty ones. */
    private void allow(ObjectNode json, String type, List<JsonNode> values, List<String> hints) throws Unusable {
        var own = values.stream()
                .filter(value -> typeOf(value).equals(type) || type.equals("number") && value.isNumber())
                .distinct()
                .toList();
        if (type.equals("string")) {
            for (var value : own) {
                take(value.asString().length() + 3L);
            }
            if (own.size() <= MOST_VALUES
                    && own.stream().anyMatch(value -> !value.asString().isEmpty())) {
                var texts = json.putArray("enum");
                own.stream().filter(value -> !value.asString().isEmpty()).forEach(texts::add);
            }
            if (own.stream().anyMatch(value -> value.asString().isEmpty())) {
                hints.add("May be empty.");
            }
            return;
        }
        if (type.equals("boolean") && own.size() == 2) {
            return;
        }
        var shown = own.stream().limit(MOST_SHOWN).map(JsonNode::asString).toList();
        hints.add(
                own.size() == 1
                        ? "Always %s.".formatted(shown.getFirst())
                        : "One of %s%s.".formatted(String.join(", ", shown), own.size() > MOST_SHOWN ? ", …" : ""));
        if (!type.equals("boolean")) {
            var sorted = own.stream().mapToDouble(JsonNode::asDouble).sorted().toArray();
            own.stream()
                    .filter(value -> value.asDouble() == sorted[0])
                    .findFirst()
                    .ifPresent(value -> json.set("minimum", value));
            own.stream()
                    .filter(value -> value.asDouble() == sorted[sorted.length - 1])
                    .findFirst()
                    .ifPresent(value -> json.set("maximum", value));
        }
    }

    private void keepDefault(ObjectNode json, ObjectNode flat) throws Unusable {
        var value = flat.path("default");
        var type = json.path("type").asString();
        var fits = value.isValueNode()
                && !value.isNull()
                && (typeOf(value).equals(type) || type.equals("number") && value.isNumber())
                && value.asString().length() <= LONGEST_HINT
                && (!json.has("enum") || json.path("enum").valueStream().anyMatch(value::equals));
        if (fits) {
            take(value.asString().length());
            json.set("default", value);
        }
    }

    private void describe(ObjectNode flat, ObjectNode json, List<String> hints) throws Unusable {
        for (var name : List.of("title", "description")) {
            if (flat.path(name).isString() && !json.has(name)) {
                json.put(name, Excerpt.cut(flat.path(name).asString(), LONGEST_TEXT));
                take(json.path(name).asString().length() + PART);
            }
        }
        if (!hints.isEmpty()) {
            var said = json.path("description").asString("");
            var more = Excerpt.cut(String.join(" ", hints), LONGEST_HINT);
            json.put("description", said.isEmpty() ? more : said + " " + more);
            take(more.length() + 1L);
        }
    }

    private Translated array(ObjectNode flat, Set<String> within, int depth) throws Unusable {
        var json = Json.object().put("type", "array");
        count(json, flat, "minItems", "maxItems");
        describe(flat, json, List.of());
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
            describe(flat, json, List.of());
        }
        if (!(flat.get("properties") instanceof ObjectNode properties) || properties.isEmpty()) {
            return new Translated(json, Part.SAME, false);
        }
        var own = json.putObject("properties");
        var required = required(flat);
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
            take(name.length() + PART);
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

package io.agentworkspace.engine.integrations.upstreams.schema;

import io.agentworkspace.engine.integrations.upstreams.schema.PortableSchema.Unusable;
import io.agentworkspace.engine.model.text.Excerpt;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What a schema says about one text, number or boolean, and in words what no other word may say. */
record ValueWords(FlatSchemas flats) {
    private static final int LONGEST_TEXT = 500;
    private static final int LONGEST_HINT = 200;
    private static final int MOST_VALUES = 200;
    private static final int MOST_SHOWN = 20;
    private static final long LARGEST_NUMBER = 1L << 53;

    static void text(ObjectNode json, ObjectNode flat, List<String> hints) {
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

    static void count(ObjectNode json, ObjectNode flat, String... names) {
        for (var name : names) {
            if (flat.path(name).isIntegralNumber()
                    && flat.path(name).canConvertToInt()
                    && flat.path(name).asInt() >= 0) {
                json.put(name, flat.path(name).asInt());
            }
        }
    }

    /** Limits that exclude themselves are a number in newer drafts, and a boolean beside the limit in draft 4. */
    static void number(ObjectNode json, ObjectNode flat, List<String> hints) {
        limit(json, flat, "minimum", "exclusiveMinimum", 1, hints);
        limit(json, flat, "maximum", "exclusiveMaximum", -1, hints);
        if (flat.path("multipleOf").isNumber()) {
            hints.add("A multiple of %s.".formatted(flat.path("multipleOf").asString()));
        }
    }

    static void limit(ObjectNode json, ObjectNode flat, String name, String exclusive, int step, List<String> hints) {
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
    void allow(ObjectNode json, String type, List<JsonNode> values, List<String> hints) throws Unusable {
        var own = values.stream()
                .filter(value -> typeOf(value).equals(type) || type.equals("number") && value.isNumber())
                .distinct()
                .toList();
        if (type.equals("string")) {
            for (var value : own) {
                flats.take(value.asString().length() + 3L);
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
        var examples = own.stream().limit(MOST_SHOWN).map(JsonNode::asString).toList();
        hints.add(
                own.size() == 1
                        ? "Always %s.".formatted(examples.getFirst())
                        : "One of %s%s.".formatted(String.join(", ", examples), own.size() > MOST_SHOWN ? ", …" : ""));
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

    void keepDefault(ObjectNode json, ObjectNode flat) throws Unusable {
        var value = flat.path("default");
        var type = json.path("type").asString();
        var fits = value.isValueNode()
                && !value.isNull()
                && (typeOf(value).equals(type) || type.equals("number") && value.isNumber())
                && value.asString().length() <= LONGEST_HINT
                && (!json.has("enum") || json.path("enum").valueStream().anyMatch(value::equals));
        if (fits) {
            flats.take(value.asString().length());
            json.set("default", value);
        }
    }

    void describe(ObjectNode flat, ObjectNode json, List<String> hints) throws Unusable {
        for (var name : List.of("title", "description")) {
            if (flat.path(name).isString() && !json.has(name)) {
                json.put(name, Excerpt.cut(flat.path(name).asString(), LONGEST_TEXT));
                flats.take(json.path(name).asString().length() + FlatSchemas.PART);
            }
        }
        if (!hints.isEmpty()) {
            var said = json.path("description").asString("");
            var more = Excerpt.cut(String.join(" ", hints), LONGEST_HINT);
            json.put("description", said.isEmpty() ? more : said + " " + more);
            flats.take(more.length() + 1L);
        }
    }

    static String typeOf(JsonNode value) {
        return value.isString()
                ? "string"
                : value.isBoolean()
                        ? "boolean"
                        : value.isIntegralNumber()
                                ? "integer"
                                : value.isNumber() ? "number" : value.isArray() ? "array" : "object";
    }
}

package io.agentworkspace.engine.integrations.upstreams;

import io.agentworkspace.engine.kernel.scheduling.StepAllowance;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/**
 * Compares what a tool answered with its {@code outputSchema}, since clients fail on a result that contradicts it. Only types,
 * required properties and enumerations are compared: patterns and combinations of others could take any time.
 */
final class OutputCheck {
    private static final int DEEPEST = 20;
    private static final int STEPS = 1_000_000;

    private final StepAllowance steps = new StepAllowance(
            STEPS, () -> Problem.conflict("its answer and its outputSchema are too large to be compared"));

    private OutputCheck() {}

    /** Returns what is wrong with the structured content of a result; empty if nothing is. */
    static Optional<String> mismatch(JsonNode result, JsonNode schema) {
        return !schema.isObject() || result.path("isError").asBoolean(false)
                ? Optional.empty()
                : new OutputCheck().mismatch(result.path("structuredContent"), schema, "structuredContent", 0);
    }

    private Optional<String> mismatch(JsonNode value, JsonNode schema, String path, int depth) {
        steps.take();
        if (depth > DEEPEST || !schema.isObject() || schema.has("$ref")) {
            return Optional.empty();
        }
        if (value.isMissingNode()) {
            return Optional.of(path + " is missing");
        }
        var types = schema.path("type");
        var allowed =
                types.isArray() ? types.valueStream() : types.isString() ? Stream.of(types) : Stream.<JsonNode>empty();
        var names = allowed.map(type -> type.asString("")).toList();
        if (!names.isEmpty() && names.stream().noneMatch(name -> is(value, name))) {
            return Optional.of("%s is no %s".formatted(path, String.join(" or ", names)));
        }
        if (value.isValueNode() && schema.path("enum").isArray() && !isAmong(value, schema.path("enum"))) {
            return Optional.of(path + " is none of its allowed values");
        }
        return Stream.concat(properties(value, schema, path, depth), items(value, schema, path, depth))
                .findFirst();
    }

    private boolean isAmong(JsonNode value, JsonNode allowed) {
        steps.take(allowed.size());
        return allowed.valueStream().anyMatch(value::equals);
    }

    private Stream<String> properties(JsonNode value, JsonNode schema, String path, int depth) {
        if (!value.isObject()) {
            return Stream.empty();
        }
        steps.take(schema.path("required").size() + schema.path("properties").size());
        var missing = schema.path("required")
                .valueStream()
                .map(name -> name.asString(""))
                .filter(name -> !value.has(name))
                .map(name -> "%s/%s is missing".formatted(path, name));
        var wrong = schema.path("properties").properties().stream()
                .filter(property -> value.has(property.getKey()))
                .flatMap(
                        property -> mismatch(
                                value.get(property.getKey()),
                                property.getValue(),
                                path + "/" + property.getKey(),
                                depth + 1)
                                .stream());
        return Stream.concat(missing, wrong);
    }

    private Stream<String> items(JsonNode value, JsonNode schema, String path, int depth) {
        return value.isArray() && schema.path("items").isObject()
                ? IntStream.range(0, value.size())
                        .boxed()
                        .flatMap(place ->
                                mismatch(value.get(place), schema.get("items"), path + "/" + place, depth + 1).stream())
                : Stream.empty();
    }

    private static boolean is(JsonNode value, String type) {
        return switch (type) {
            case "object" -> value.isObject();
            case "array" -> value.isArray();
            case "string" -> value.isString();
            case "boolean" -> value.isBoolean();
            case "null" -> value.isNull();
            case "number" -> value.isNumber();
            case "integer" -> value.isIntegralNumber() || value.isNumber() && value.asDouble() % 1 == 0;
            default -> true;
        };
    }
}

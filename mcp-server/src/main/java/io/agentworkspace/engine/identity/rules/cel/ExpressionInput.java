package io.agentworkspace.engine.identity.rules.cel;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The values of an expression's variables.
 *
 * @param unknown variables or fields without a known value, such as {@code content} or {@code vx.profile}; an
 *     expression that depends on them has no result
 */
public record ExpressionInput(
        Fields command,
        Fields target,
        Fields vx,
        String content,
        Fields principal,
        Fields document,
        Fields task,
        Instant now,
        Set<String> unknown) {

    /** The fields of a variable. A field is read when an expression needs it. */
    @FunctionalInterface
    public interface Fields {
        /** Returns a String, a Long or a List of strings; null if the field was not given. */
        @Nullable
        Object get(String field);

        /** Returns the fields of a JSON object; those of other types count as not given. */
        static Fields of(JsonNode object) {
            return field -> {
                var value = object.path(field);
                if (value.isString()) {
                    return value.asString();
                } else if (value.isIntegralNumber() && value.canConvertToLong()) {
                    return value.asLong();
                } else if (value.isArray()) {
                    return texts(value);
                }
                return null;
            };
        }

        private static List<String> texts(JsonNode array) {
            return array.valueStream()
                    .filter(JsonNode::isString)
                    .map(JsonNode::asString)
                    .toList();
        }
    }

    /** Returns the input for a JSON request whose fields are these variables. */
    public static ExpressionInput of(ObjectNode values, Instant now) {
        return new ExpressionInput(
                Fields.of(values.path("command")),
                Fields.of(values.path("target")),
                Fields.of(values.path("vx")),
                values.path("content").asString(""),
                Fields.of(values.path("principal")),
                Fields.of(values.path("document")),
                Fields.of(values.path("task")),
                now,
                Set.of());
    }
}

package io.agentworkspace.engine.model.callplan;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonPointer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A reference to the answer of an earlier step, or to a part of it: {@code {"$from": "a", "path": "/json/pointer"}}. In a
 * step with {@code each}, the reference {@code {"$from": "each"}} is to the item.
 */
final class CallReference {
    static final String FROM = "$from";
    static final String EACH = "each";
    static final int MOST_ITEMS = 100;

    private static final String PATH = "path";
    private static final int NAMED = 12;
    private static final Pattern BARE_TILDE = Pattern.compile("~(?![01])");

    private CallReference() {}

    /** Returns whether the value is a reference, right or wrong. */
    static boolean isReference(JsonNode value) {
        return value.isObject() && value.has(FROM);
    }

    /** Returns whether there is a reference anywhere in the value. */
    static boolean isIn(JsonNode value) {
        return isReference(value) || value.valueStream().anyMatch(CallReference::isIn);
    }

    /**
     * The ids that a step may refer to.
     *
     * @param earlier the steps before it
     * @param all the steps of the plan
     */
    record Scope(String step, List<String> earlier, List<String> all) {
        /** @throws Problem if a reference anywhere in the value is not to an earlier step, or to the item */
        void check(JsonNode value, boolean hasItem) {
            if (!isReference(value)) {
                value.forEach(inner -> check(inner, hasItem));
                return;
            }
            var where = "step '%s'".formatted(step);
            var from = value.path(FROM);
            var path = value.path(PATH);
            if (!from.isString()
                    || !(path.isMissingNode() || path.isString())
                    || value.size() > (path.isMissingNode() ? 1 : 2)) {
                throw Problem.invalid(
                        where,
                        "has a reference %s that is not {\"$from\": \"<id>\", \"path\": \"/json/pointer\"}"
                                .formatted(Name.shortened(Json.text(value))));
            }
            check(from.asString(), hasItem, where);
            pointer(path.asString(""), "the path of a reference of " + where);
        }

        private void check(String from, boolean hasItem, String where) {
            var exists = from.equals(EACH) ? hasItem : earlier.contains(from);
            if (exists) {
                return;
            }
            var reason = from.equals(EACH)
                    ? "refers to 'each', but has no each"
                    : from.equals(step)
                            ? "refers to itself: refer to an earlier step"
                            : all.contains(from)
                                    ? "refers to '%s', which runs after it: put that step first".formatted(from)
                                    : "refers to '%s', which is no step of the plan; %s"
                                            .formatted(Name.shortened(from), before());
            throw Problem.invalid(where, reason);
        }

        private String before() {
            return earlier.isEmpty() ? "no step is before it" : "before it are " + String.join(", ", earlier);
        }
    }

    /** Returns the pointer. @throws Problem if it is none */
    static String pointer(String path, String field) {
        if (!path.isEmpty() && !path.startsWith("/") || BARE_TILDE.matcher(path).find()) {
            throw Problem.invalid(
                    field,
                    path.startsWith("/")
                            ? "is no JSON pointer: write '~' as '~0': '%s'".formatted(Name.shortened(path))
                            : "is no JSON pointer, which begins with '/': '%s'".formatted(Name.shortened(path)));
        }
        return path;
    }

    /**
     * Returns the value with all references replaced.
     *
     * @param answers of the steps that have run, by id
     * @param item of the step's {@code each}
     * @throws Problem if there is nothing at a path
     */
    static JsonNode resolved(JsonNode value, Map<String, JsonNode> answers, @Nullable JsonNode item) {
        if (isReference(value)) {
            var from = value.path(FROM).asString();
            var referred = from.equals(EACH) && item != null ? item : answers.get(from);
            if (referred == null) {
                throw new IllegalStateException("a checked plan refers to what has run");
            }
            return at(from, referred, value.path(PATH).asString("")).deepCopy();
        } else if (value instanceof ObjectNode object) {
            var resolved = Json.object();
            object.properties()
                    .forEach(field -> resolved.set(field.getKey(), resolved(field.getValue(), answers, item)));
            return resolved;
        } else if (value.isArray()) {
            var resolved = Json.array();
            value.forEach(element -> resolved.add(resolved(element, answers, item)));
            return resolved;
        }
        return value;
    }

    /** @throws Problem that says what there is instead */
    static JsonNode at(String from, JsonNode answer, String path) {
        var rest = JsonPointer.compile(path);
        var here = answer;
        while (!rest.matches()) {
            var next = here.isArray() ? here.get(rest.getMatchingIndex()) : here.get(rest.getMatchingProperty());
            if (next == null) {
                throw Problem.invalid(
                        from.equals(EACH) ? "the item of each" : "the answer of '%s'".formatted(from),
                        "has nothing at %s: at '%s' is %s"
                                .formatted(
                                        Name.shortened(path),
                                        Name.shortened(path.substring(
                                                0,
                                                path.length() - rest.toString().length())),
                                        described(here)));
            }
            here = next;
            rest = rest.tail();
        }
        return here;
    }

    /** Returns what a value is, in words. */
    static String described(JsonNode value) {
        if (value.isObject()) {
            return value.isEmpty()
                    ? "an empty object"
                    : "an object with "
                            + value.propertyNames().stream()
                                    .limit(NAMED)
                                    .map(Name::shortened)
                                    .collect(Collectors.joining(", "))
                            + (value.size() > NAMED ? ", …" : "");
        } else if (value.isArray()) {
            return value.isEmpty() ? "an empty array" : "an array with %d items, from /0".formatted(value.size());
        }
        return value.isNull() ? "null" : value.isString() ? "a string" : value.isNumber() ? "a number" : "a boolean";
    }
}

package io.agentworkspace.engine.model.callplan;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.LenientInput;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The steps of a plan, in order, and what its answer carries. A step refers only to earlier steps, so a plan has no
 * circles.
 *
 * @param returned in the order of the answer; empty for the answer of the last step
 */
public record CallPlan(List<Step> steps, List<Returned> returned) {
    public static final int MOST_STEPS = 20;

    private static final String STEPS = "steps";
    private static final String RETURN = "return";
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9_-]{1,64}");
    private static final List<String> OF_STEP = List.of("id", "tool", "arguments", "each");

    public CallPlan {
        steps = List.copyOf(steps);
        returned = List.copyOf(returned);
    }

    /**
     * One call of a tool, or one for each item of an array.
     *
     * @param each an array, or a reference to one; null for a single call
     */
    public record Step(
            String id,
            String tool,
            ObjectNode arguments,
            @Nullable JsonNode each) {
        /** Returns whether the arguments are known only when earlier steps have run. */
        public boolean refers() {
            return each != null || CallReference.isIn(arguments);
        }
    }

    /**
     * A part of the plan's answer.
     *
     * @param path a JSON pointer into the answer of the step
     */
    public record Returned(String from, String path) {}

    /** @throws Problem if the plan cannot run, whatever its tools answer */
    public static CallPlan of(ObjectNode arguments) {
        var list = list(arguments.path(STEPS), STEPS);
        if (list.isEmpty()) {
            throw Problem.invalid(STEPS, "is empty: it must have at least one step");
        } else if (list.size() > MOST_STEPS) {
            throw Problem.tooLarge(STEPS, list.size(), MOST_STEPS, "steps");
        }
        var steps = new ArrayList<Step>();
        var ids = new LinkedHashSet<String>();
        for (var i = 0; i < list.size(); i++) {
            var step = step("%s[%d]".formatted(STEPS, i), list.get(i), ids, idsOf(list));
            steps.add(step);
            ids.add(step.id());
        }
        return new CallPlan(steps, returned(arguments.path(RETURN), ids));
    }

    private static ArrayNode list(JsonNode value, String field) {
        if (value.isMissingNode() || value.isNull()) {
            throw Problem.missing(field);
        }
        if (LenientInput.list(value) instanceof ArrayNode list) {
            return list;
        }
        throw Problem.wrongType(field, "an array");
    }

    private static List<String> idsOf(ArrayNode steps) {
        return steps.valueStream()
                .map(step -> step.path("id").asString(""))
                .filter(id -> !id.isEmpty())
                .toList();
    }

    private static Step step(String field, JsonNode json, Set<String> earlier, List<String> all) {
        if (!(json instanceof ObjectNode step)) {
            throw Problem.wrongType(field, "an object with id, tool and arguments");
        }
        step.propertyNames().stream()
                .filter(name -> !OF_STEP.contains(name))
                .findFirst()
                .ifPresent(name -> {
                    throw Problem.invalid(
                            "%s.%s".formatted(field, Name.shortened(name)),
                            "is not a field of a step; it takes %s, and the tool's own fields are in 'arguments'"
                                    .formatted(String.join(", ", OF_STEP)));
                });
        var id = text(step, "id", field);
        if (!ID.matcher(id).matches() || id.equals(CallReference.EACH)) {
            throw Problem.invalid(
                    field + ".id",
                    "must have 1–64 letters, digits, '_' or '-', and not be 'each': '%s'"
                            .formatted(Name.shortened(id)));
        } else if (earlier.contains(id)) {
            throw Problem.invalid(
                    field + ".id", "'%s' is the id of an earlier step: give each step its own".formatted(id));
        }
        var each = step.path("each").isMissingNode() || step.path("each").isNull() ? null : each(step.get("each"));
        var scope = new CallReference.Scope(id, List.copyOf(earlier), all);
        if (each != null) {
            checkEach(each, field + ".each");
            scope.check(each, false);
        }
        var arguments = arguments(step.path("arguments"), field + ".arguments");
        scope.check(arguments, each != null);
        return new Step(id, text(step, "tool", field), arguments, each);
    }

    private static JsonNode each(JsonNode value) {
        return LenientInput.list(LenientInput.parsed(value));
    }

    private static void checkEach(JsonNode each, String field) {
        if (!each.isArray() && !CallReference.isReference(each)) {
            throw Problem.wrongType(
                    field, "an array, or a reference to one such as {\"$from\": \"a\", \"path\": \"/b\"}");
        } else if (each.isArray() && each.size() > CallReference.MOST_ITEMS) {
            throw Problem.tooLarge(field, each.size(), CallReference.MOST_ITEMS, "items");
        }
    }

    private static ObjectNode arguments(JsonNode value, String field) {
        if (value.isMissingNode() || value.isNull()) {
            return Json.object();
        }
        if (LenientInput.parsed(value) instanceof ObjectNode object && !CallReference.isReference(object)) {
            return object;
        }
        throw Problem.wrongType(field, "an object, whose values may be references");
    }

    private static String text(ObjectNode step, String name, String field) {
        var value = step.path(name);
        if (value.isMissingNode() || value.isNull()) {
            throw Problem.missing("%s.%s".formatted(field, name));
        } else if (!value.isString()) {
            throw Problem.wrongType("%s.%s".formatted(field, name), "a string");
        }
        return value.asString();
    }

    private static List<Returned> returned(JsonNode json, Set<String> ids) {
        if (json.isMissingNode() || json.isNull()) {
            return List.of();
        }
        var all = new ArrayList<Returned>();
        var list = list(json, RETURN);
        if (list.size() > 5 * MOST_STEPS) {
            throw Problem.tooLarge(RETURN, list.size(), 5 * MOST_STEPS, "entries");
        }
        for (var i = 0; i < list.size(); i++) {
            all.add(returned("%s[%d]".formatted(RETURN, i), list.get(i), ids));
        }
        return all;
    }

    /** An entry is the id of a step, perhaps with a JSON pointer behind it, or an object with {@code from} and {@code path}. */
    private static Returned returned(String field, JsonNode json, Set<String> ids) {
        if (json.isString()) {
            var text = json.asString();
            var end = text.indexOf('/');
            return returned(field, end < 0 ? text : text.substring(0, end), end < 0 ? "" : text.substring(end), ids);
        }
        var from = json.has(CallReference.FROM) ? json.get(CallReference.FROM) : json.path("from");
        var path = json.path("path");
        if (!from.isString() || (!path.isMissingNode() && !path.isString())) {
            throw Problem.wrongType(
                    field, "the id of a step, such as \"a\" or \"a/b\", or {\"from\": \"a\", \"path\": \"/b\"}");
        }
        return returned(field, from.asString(), path.asString(""), ids);
    }

    private static Returned returned(String field, String from, String path, Set<String> ids) {
        if (!ids.contains(from)) {
            throw Problem.invalid(
                    field,
                    "names the step '%s', which the plan does not have; it has %s"
                            .formatted(Name.shortened(from), String.join(", ", ids)));
        }
        return new Returned(from, CallReference.pointer(path, field + ".path"));
    }
}

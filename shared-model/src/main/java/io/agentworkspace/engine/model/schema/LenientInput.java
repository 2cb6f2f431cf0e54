package io.agentworkspace.engine.model.schema;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Corrects mistakes that models often make in arguments, where the meaning is certain: a field of {@code target} or
 * {@code vx} at the top level; an object or a list as JSON text; a number, {@code true} or {@code false} as text. Everything else stays as it is, and the
 * schema refuses it.
 */
public final class LenientInput {
    /** The fields that may be at the top level instead of inside these objects. */
    private static final Map<String, List<String>> INNER = Map.of(
            "target", List.of("agent", "domain", "bank", "user", "zone"),
            "vx", List.of("name", "description", "profile", "access", "tags"));

    private static final Pattern NUMBER = Pattern.compile("-?\\d{1,18}");
    private static final Pattern DECIMAL = Pattern.compile("-?\\d{1,18}(\\.\\d{1,18})?");

    private LenientInput() {}

    /** Returns the corrected arguments for a tool with this schema. The given ones do not change. */
    public static ObjectNode of(ObjectNode arguments, Schema schema) {
        var input = arguments.deepCopy();
        convert(schema.root(), input);
        place(input, schema);
        for (var field : schema.root().fields()) {
            if (field.shape() instanceof Shape.Fields inner) {
                INNER.getOrDefault(field.name(), List.of()).stream()
                        .filter(name -> input.has(name) && !schema.hasField(name) && inner.hasField(name))
                        .forEach(name -> move(name, name, field.name(), input));
            }
        }
        convert(schema.root(), input); // Also what has been moved.
        return input;
    }

    /**
     * Puts in their place what is certain on every endpoint: {@code context} beside {@code target}, and fields under their
     * other word. The arguments themselves change.
     */
    public static void place(ObjectNode arguments, Schema schema) {
        for (var field : schema.root().fields()) {
            if (!(field.shape() instanceof Shape.Fields inner)) {
                continue;
            }
            if (field.name().equals("target") && inner.hasField("context") && !schema.hasField("context")) {
                move("context", "context", "target", arguments);
            }
            for (var each : inner.fields()) {
                var word = each.alias();
                if (!word.isEmpty() && arguments.path(field.name()) instanceof ObjectNode around && around.has(word)) {
                    rename(word, each.name(), around);
                }
                if (!word.isEmpty() && !schema.hasField(word)) {
                    move(word, each.name(), field.name(), arguments);
                }
            }
        }
    }

    private static void rename(String word, String name, ObjectNode object) {
        if (!object.has(name) || object.get(name).equals(object.get(word))) {
            object.set(name, object.remove(word));
        }
    }

    /**
     * Moves a field into its object. If both places have a value and the values differ, both stay, and the schema
     * refuses the one at the top.
     */
    private static void move(String word, String name, String holder, ObjectNode input) {
        if (!input.has(word)) {
            return;
        }
        var around = input.path(holder);
        if (around.isMissingNode() || around.isNull()) {
            around = input.putObject(holder);
        }
        if (around instanceof ObjectNode object) {
            var value = input.get(word);
            var present = object.path(name);
            if (present.isMissingNode() || present.isNull() || present.equals(value)) {
                object.set(name, value);
                input.remove(word);
            }
        }
    }

    private static JsonNode converted(Shape shape, JsonNode value) {
        switch (shape) {
            case Shape.Whole _ -> {
                return value.isString()
                                && NUMBER.matcher(value.asString().strip()).matches()
                        ? Json.valueTree(Long.parseLong(value.asString().strip()))
                        : value;
            }
            case Shape.Fraction _ -> {
                return value.isString()
                                && DECIMAL.matcher(value.asString().strip()).matches()
                        ? Json.valueTree(Double.parseDouble(value.asString().strip()))
                        : value;
            }
            case Shape.Fields fields -> {
                var object = parsed(value);
                if (object instanceof ObjectNode inner) {
                    convert(fields, inner);
                }
                return object;
            }
            case Shape.Free _, Shape.Open _ -> {
                return parsed(value);
            }
            case Shape.Flag _, Shape.FlagOrUser _ -> {
                return flag(value);
            }
            case Shape.Items items -> {
                var list = list(value);
                if (list instanceof ArrayNode array) {
                    for (var i = 0; i < array.size(); i++) {
                        array.set(i, converted(items.item(), array.get(i)));
                    }
                }
                return list;
            }
            case Shape.TextOrItems either -> {
                return list(value) instanceof ArrayNode array ? converted(either.items(), array) : value;
            }
            default -> {
                return value;
            }
        }
    }

    private static void convert(Shape.Fields shape, ObjectNode object) {
        for (var field : shape.fields()) {
            if (object.has(field.name())) {
                object.set(field.name(), converted(field.shape(), object.get(field.name())));
            }
        }
    }

    /** Reads {@code true} and {@code false}, in any case, since other languages write them with a capital letter. */
    private static JsonNode flag(JsonNode value) {
        return switch (value.isString() ? value.asString().strip().toLowerCase(Locale.ROOT) : "") {
            case "true" -> Json.valueTree(true);
            case "false" -> Json.valueTree(false);
            default -> value;
        };
    }

    /** Parses a list that is given as JSON text. Any other value is returned unchanged. */
    public static JsonNode list(JsonNode value) {
        if (!value.isString() || !value.asString().stripLeading().startsWith("[")) {
            return value;
        }
        try {
            return Json.read(value.asString().getBytes(StandardCharsets.UTF_8));
        } catch (Problem noList) {
            return value;
        }
    }

    /** Parses an object that is given as JSON text. Any other value is returned unchanged. */
    public static JsonNode parsed(JsonNode value) {
        if (!value.isString() || !value.asString().stripLeading().startsWith("{")) {
            return value;
        }
        try {
            return Json.readObject(value.asString().getBytes(StandardCharsets.UTF_8));
        } catch (Problem noObject) {
            return value;
        }
    }
}

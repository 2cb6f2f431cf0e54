package io.agentworkspace.engine.model.schema;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.MemoryName;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.problem.UserHandle;
import io.agentworkspace.engine.model.problem.UserRecipient;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The shape of a field's value, derived from the Java type of a record component. */
public sealed interface Shape {
    /** The maximum number of characters or items for a field that declares none. */
    long DEFAULT_MAX = 1_000;

    /** Returns the JSON Schema of the value, with no more than a model needs. */
    default ObjectNode json() {
        return json(false);
    }

    /** @param typed whether the schema also names the types, for client generators: see {@link Schema#typed} */
    ObjectNode json(boolean typed);

    /**
     * @param title the name of the type, if its values are all those of an enumeration of the model
     * @param verbatim whether a blank text is a value
     */
    record Text(long max, List<String> oneOf, @Nullable String title, boolean verbatim) implements Shape {
        Text(long max, List<String> oneOf) {
            this(max, oneOf, null, false);
        }

        @Override
        public ObjectNode json(boolean typed) {
            var schema = titled("string", typed ? title : null);
            if (oneOf.isEmpty()) {
                return max == Long.MAX_VALUE ? schema : schema.put("maxLength", max);
            }
            oneOf.forEach(schema.putArray("enum")::add);
            return schema;
        }
    }

    /** @param ofAgent whether the field says that it names an agent, which may be a sub-agent */
    record NameText(boolean ofAgent) implements Shape {
        @Override
        public ObjectNode json(boolean typed) {
            return Json.object().put("type", "string").put("maxLength", Name.MAX);
        }
    }

    record MemoryNameText() implements Shape {
        @Override
        public ObjectNode json(boolean typed) {
            return Json.object().put("type", "string").put("maxLength", MemoryName.MAX);
        }
    }

    record UserText() implements Shape {
        @Override
        public ObjectNode json(boolean typed) {
            return Json.object().put("type", "string").put("maxLength", UserHandle.MAX);
        }
    }

    record Id() implements Shape {
        @Override
        public ObjectNode json(boolean typed) {
            return Json.object().put("type", "string").put("format", "uuid");
        }
    }

    record Time() implements Shape {
        @Override
        public ObjectNode json(boolean typed) {
            return Json.object().put("type", "string").put("format", "date-time");
        }
    }

    /** @param format {@code int32} or {@code int64} */
    record Whole(long min, long max, List<Long> oneOf, String format) implements Shape {
        @Override
        public ObjectNode json(boolean typed) {
            var schema = Json.object().put("type", "integer");
            if (typed) {
                schema.put("format", format);
            }
            if (!oneOf.isEmpty()) {
                oneOf.forEach(schema.putArray("enum")::add);
                return schema;
            }
            if (min != Long.MIN_VALUE) {
                schema.put("minimum", min);
            }
            return max == Long.MAX_VALUE ? schema : schema.put("maximum", max);
        }
    }

    /** A number that need not be whole. */
    record Fraction(long min, long max) implements Shape {
        @Override
        public ObjectNode json(boolean typed) {
            var schema = Json.object().put("type", "number");
            if (typed) {
                schema.put("format", "double");
            }
            if (min != Long.MIN_VALUE) {
                schema.put("minimum", min);
            }
            return max == Long.MAX_VALUE ? schema : schema.put("maximum", max);
        }
    }

    record Flag() implements Shape {
        @Override
        public ObjectNode json(boolean typed) {
            return Json.object().put("type", "boolean");
        }
    }

    /** {@code true} or a user's name. Some clients refuse a schema with a list of types. */
    record FlagOrUser() implements Shape {
        @Override
        public ObjectNode json(boolean typed) {
            var schema = Json.object();
            schema.putArray("anyOf").add(new Flag().json(typed)).add(new UserText().json(typed));
            return schema;
        }
    }

    record Items(Shape item, long max) implements Shape {
        @Override
        public ObjectNode json(boolean typed) {
            var schema = Json.object().put("type", "array");
            schema.set("items", item.json(typed));
            return schema;
        }
    }

    /** A list of texts, or one of them alone. */
    record TextOrItems(Items items) implements Shape {
        @Override
        public ObjectNode json(boolean typed) {
            var schema = Json.object();
            if (!typed) { // Generators of clients in Java cannot name the class of a list or text.
                schema.putArray("anyOf").add(items.item().json(false)).add(items.json(false));
            }
            return schema;
        }
    }

    /** A list for some tools, and whether to include something for others; only where their fields are united. */
    record FlagOrItems(Items items) implements Shape {
        @Override
        public ObjectNode json(boolean typed) {
            return Json.object(); // Generators of clients in Java cannot name the class of a list or boolean.
        }
    }

    /** An object whose keys are data. */
    record Free(Shape value) implements Shape {
        @Override
        public ObjectNode json(boolean typed) {
            var schema = Json.object().put("type", "object");
            schema.set("additionalProperties", value.json(typed));
            return schema;
        }
    }

    /** An object of any kind. */
    record Open() implements Shape {
        @Override
        public ObjectNode json(boolean typed) {
            return Json.object().put("type", "object");
        }
    }

    /** @param title the name of the type, if it belongs to the model */
    record Fields(
            List<Field> fields, boolean closed, @Nullable String title) implements Shape {
        @Override
        public ObjectNode json(boolean typed) {
            var schema = titled("object", typed ? title : null);
            var properties = schema.putObject("properties");
            fields.forEach(field -> properties.set(field.name(), field.json(typed)));
            var required =
                    fields.stream().filter(Field::required).map(Field::name).toList();
            if (!required.isEmpty()) {
                required.forEach(schema.putArray("required")::add);
            }
            return closed ? schema.put("additionalProperties", false) : schema;
        }

        boolean hasField(String name) {
            for (var field : fields) {
                if (field.name().equals(name)) {
                    return true;
                }
            }
            return false;
        }
    }

    /**
     * @param mayBeBlank whether it counts as left out if it is blank and the tool changes something
     * @param alias another word for it; empty for none
     */
    record Field(String name, String doc, boolean required, boolean mayBeBlank, String alias, Shape shape) {
        ObjectNode json(boolean typed) {
            var schema = shape.json(typed);
            var described = Json.object();
            if (schema.has("type")) {
                described.set("type", schema.get("type"));
            }
            described.put("description", doc);
            return described.setAll(schema);
        }
    }

    /** Returns the number. A problem names the limits that it exceeds. */
    static JsonNode within(long min, long max, JsonNode value, String path) {
        if (value.asDouble() < min || value.asDouble() > max) {
            throw Problem.invalid(path, "must be between %d and %d".formatted(min, max));
        }
        return value;
    }

    private static ObjectNode titled(String type, @Nullable String title) {
        var schema = Json.object().put("type", type);
        return title == null ? schema : schema.put("title", title);
    }

    /**
     * Returns the public name of a type of the model, or of one that is {@link Titled}, such as {@code Agent} or {@code EndpointHealth}. Other types belong to
     * one tool and have none.
     */
    private static @Nullable String title(Class<?> type) {
        if (!type.getPackageName().startsWith("io.agentworkspace.engine.model.")
                && !outermost(type).isAnnotationPresent(Titled.class)) {
            return null;
        }
        var around = type.getEnclosingClass();
        return around != null && around.isRecord() ? title(around) + type.getSimpleName() : type.getSimpleName();
    }

    private static Class<?> outermost(Class<?> type) {
        var around = type.getEnclosingClass();
        return around == null ? type : outermost(around);
    }

    /** @param closed whether unknown fields can be refused: true for input, false for output */
    static Fields ofRecord(Class<?> type, boolean closed) {
        return new Fields(fields(type, closed).toList(), closed, title(type));
    }

    private static Stream<Field> fields(Class<?> type, boolean closed) {
        return Arrays.stream(type.getRecordComponents())
                .flatMap(component -> component.getAccessor().isAnnotationPresent(JsonUnwrapped.class)
                        ? fields(component.getType(), closed)
                        : Stream.of(field(component, closed)));
    }

    private static Field field(RecordComponent component, boolean closed) {
        var doc = component.getAnnotation(Doc.class);
        if (doc == null) {
            throw new IllegalArgumentException(component + " has no @Doc");
        }
        var optional = component.getAnnotatedType().isAnnotationPresent(Nullable.class);
        var shape = shape(component.getAnnotatedType(), doc, closed);
        var mayBeBlank = shape instanceof Fields object
                ? object.fields().stream().allMatch(Field::mayBeBlank)
                : doc.mayBeBlank();
        return new Field(snake(component.getName()), doc.value(), !optional, mayBeBlank, doc.alias(), shape);
    }

    private static Shape shape(AnnotatedType annotated, Doc doc, boolean closed) {
        var type =
                annotated.getType() instanceof ParameterizedType generic ? generic.getRawType() : annotated.getType();
        if (type == UUID.class) {
            return doc.format().equals("uuid") ? new Id() : new Text(36, List.of());
        } else if (type == String.class) {
            // Output declares no lengths: clients validate it, and the limits apply to input.
            return new Text(
                    closed ? max(doc, DEFAULT_MAX) : Long.MAX_VALUE, List.of(doc.oneOf()), null, doc.verbatim());
        } else if (type == Name.class) {
            return new NameText(doc.ofAgent());
        } else if (type == MemoryName.class) {
            return new MemoryNameText();
        } else if (type == UserHandle.class) {
            return new UserText();
        } else if (type == UserRecipient.class) {
            return new FlagOrUser();
        } else if (type == Instant.class) {
            return new Time();
        } else if (type == boolean.class || type == Boolean.class) {
            return new Flag();
        } else if (type == double.class || type == Double.class) {
            return new Fraction(closed ? doc.min() : Long.MIN_VALUE, max(doc, Long.MAX_VALUE));
        } else if (type == int.class || type == Integer.class || type == long.class || type == Long.class) {
            var format = type == int.class || type == Integer.class ? "int32" : "int64";
            var allowed = Arrays.stream(doc.oneOf()).map(Long::valueOf).toList();
            return new Whole(doc.min(), max(doc, Long.MAX_VALUE), allowed, format);
        } else if (type == List.class) {
            var items = new Items(argument(annotated, 0, doc, closed), max(doc, DEFAULT_MAX));
            return doc.orOne() ? new TextOrItems(items) : items;
        } else if (type == ObjectNode.class) {
            return new Open();
        } else if (type == Map.class) {
            return new Free(argument(annotated, 1, doc, closed));
        } else if (type instanceof Class<?> record && record.isRecord()) {
            return ofRecord(record, closed);
        } else if (type instanceof Class<?> choice && choice.isEnum()) {
            return doc.oneOf().length == 0
                    ? new Text(Name.MAX, words(choice), title(choice), false)
                    : new Text(Name.MAX, List.of(doc.oneOf()));
        }
        throw new IllegalArgumentException("no schema for " + annotated);
    }

    private static long max(Doc doc, long otherwise) {
        return doc.max() == Doc.NONE ? otherwise : doc.max();
    }

    private static Shape argument(AnnotatedType annotated, int index, Doc doc, boolean closed) {
        var argument = ((AnnotatedParameterizedType) annotated).getAnnotatedActualTypeArguments()[index];
        return argument.getType() == String.class
                ? new Text(closed ? doc.eachMax() : Long.MAX_VALUE, List.of(doc.oneOf()))
                : shape(argument, doc, closed);
    }

    private static List<String> words(Class<?> choice) {
        return Arrays.stream(choice.getEnumConstants())
                .map(constant -> Json.valueTree(constant).asString())
                .toList();
    }

    static String snake(String camel) {
        return camel.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }
}

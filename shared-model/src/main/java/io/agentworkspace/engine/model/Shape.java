package io.agentworkspace.engine.model;

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
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** What a field's value looks like, read off the Java type of a record component. */
sealed interface Shape {
    /** The JSON Schema of the value. */
    ObjectNode json();

    record Text(long max, List<String> oneOf) implements Shape {
        @Override
        public ObjectNode json() {
            var schema = Json.object().put("type", "string");
            if (oneOf.isEmpty()) {
                return max == Long.MAX_VALUE ? schema : schema.put("maxLength", max);
            }
            oneOf.forEach(schema.putArray("enum")::add);
            return schema;
        }
    }

    record NameText() implements Shape {
        @Override
        public ObjectNode json() {
            return Json.object().put("type", "string").put("maxLength", Name.MAX);
        }
    }

    record Time() implements Shape {
        @Override
        public ObjectNode json() {
            return Json.object().put("type", "string").put("format", "date-time");
        }
    }

    record Whole(long min, long max) implements Shape {
        @Override
        public ObjectNode json() {
            var schema = Json.object().put("type", "integer").put("minimum", min);
            return max == Long.MAX_VALUE ? schema : schema.put("maximum", max);
        }
    }

    record Flag() implements Shape {
        @Override
        public ObjectNode json() {
            return Json.object().put("type", "boolean");
        }
    }

    record Items(Shape item, long max) implements Shape {
        @Override
        public ObjectNode json() {
            var schema = Json.object().put("type", "array");
            schema.set("items", item.json());
            return schema;
        }
    }

    /** An object whose keys are data. */
    record Free(Shape value) implements Shape {
        @Override
        public ObjectNode json() {
            var schema = Json.object().put("type", "object");
            schema.set("additionalProperties", value.json());
            return schema;
        }
    }

    /** An object of whatever kind. */
    record Open() implements Shape {
        @Override
        public ObjectNode json() {
            return Json.object().put("type", "object");
        }
    }

    record Fields(List<Field> fields, boolean closed) implements Shape {
        @Override
        public ObjectNode json() {
            var schema = Json.object().put("type", "object");
            var properties = schema.putObject("properties");
            fields.forEach(field -> properties.set(field.name(), field.json()));
            var required =
                    fields.stream().filter(Field::required).map(Field::name).toList();
            if (!required.isEmpty()) {
                required.forEach(schema.putArray("required")::add);
            }
            return closed ? schema.put("additionalProperties", false) : schema;
        }
    }

    record Field(String name, String doc, boolean required, Shape shape) {
        ObjectNode json() {
            var schema = shape.json();
            var described = Json.object();
            described.set("type", schema.get("type"));
            described.put("description", doc);
            return described.setAll(schema);
        }
    }

    /** @param closed whether unknown fields can be refused: true for input, false for output */
    static Fields ofRecord(Class<?> type, boolean closed) {
        var fields = Arrays.stream(type.getRecordComponents())
                .map(component -> field(component, closed))
                .toList();
        return new Fields(fields, closed);
    }

    private static Field field(RecordComponent component, boolean closed) {
        var doc = component.getAnnotation(Doc.class);
        if (doc == null) {
            throw new IllegalArgumentException(component + " has no @Doc");
        }
        var optional = component.getAnnotatedType().isAnnotationPresent(Nullable.class);
        return new Field(
                snake(component.getName()), doc.value(), !optional, shape(component.getAnnotatedType(), doc, closed));
    }

    private static Shape shape(AnnotatedType annotated, Doc doc, boolean closed) {
        var type =
                annotated.getType() instanceof ParameterizedType generic ? generic.getRawType() : annotated.getType();
        if (type == UUID.class) {
            return new Text(36, List.of());
        } else if (type == String.class) {
            // What we answer with promises no length: clients check answers, and the limits are the input's.
            return new Text(closed ? doc.max() : Long.MAX_VALUE, List.of(doc.oneOf()));
        } else if (type == Name.class) {
            return new NameText();
        } else if (type == Instant.class) {
            return new Time();
        } else if (type == boolean.class || type == Boolean.class) {
            return new Flag();
        } else if (type == double.class || type == Double.class) {
            throw new IllegalArgumentException("no fractions yet: " + annotated);
        } else if (type == int.class || type == Integer.class || type == long.class || type == Long.class) {
            return new Whole(doc.min(), doc.max() == 1_000 ? Long.MAX_VALUE : doc.max());
        } else if (type == List.class) {
            return new Items(argument(annotated, 0, doc, closed), doc.max());
        } else if (type == ObjectNode.class) {
            return new Open();
        } else if (type == Map.class) {
            return new Free(argument(annotated, 1, doc, closed));
        } else if (type instanceof Class<?> record && record.isRecord()) {
            return ofRecord(record, closed);
        } else if (type instanceof Class<?> choice && choice.isEnum()) {
            return new Text(Name.MAX, doc.oneOf().length == 0 ? words(choice) : List.of(doc.oneOf()));
        }
        throw new IllegalArgumentException("no schema for " + annotated);
    }

    private static Shape argument(AnnotatedType annotated, int index, Doc doc, boolean closed) {
        var argument = ((AnnotatedParameterizedType) annotated).getAnnotatedActualTypeArguments()[index];
        return argument.getType() == String.class
                ? new Text(closed ? Name.MAX : Long.MAX_VALUE, List.of(doc.oneOf()))
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

package io.agentworkspace.engine.model.schema;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The schema of a request that any of several tools can serve: all fields that one of them has, none of them required. A field
 * accepts what any of the tools accepts in it.
 */
public final class SchemaUnion {
    private SchemaUnion() {}

    /** A tool's field. */
    private record Owned(String tool, Shape.Field field) {}

    /**
     * @param title the name of the type
     * @param first fields that a request has besides
     * @param inputs the input schemas by the names of their tools
     * @throws IllegalArgumentException if a field has different JSON types in two tools
     */
    public static Schema of(String title, Schema first, Map<String, Schema> inputs) {
        var shapes = new LinkedHashMap<String, Shape.Fields>();
        inputs.forEach((tool, schema) -> shapes.put(tool, schema.root()));
        var all = new ArrayList<>(first.root().fields());
        all.addAll(fields(title, shapes).fields());
        return new Schema(new Shape.Fields(List.copyOf(all), true, title));
    }

    private static Shape.Fields fields(String title, Map<String, Shape.Fields> shapes) {
        var byName = new LinkedHashMap<String, List<Owned>>();
        shapes.forEach((tool, shape) -> shape.fields()
                .forEach(field -> byName.computeIfAbsent(field.name(), _ -> new ArrayList<>())
                        .add(new Owned(tool, field))));
        // Every tool that changes something has this one, after its own.
        var last = byName.remove(Schema.IDEMPOTENCY_KEY);
        if (last != null) {
            byName.put(Schema.IDEMPOTENCY_KEY, last);
        }
        var fields = byName.values().stream().map(SchemaUnion::field).toList();
        return new Shape.Fields(fields, true, title);
    }

    private static Shape.Field field(List<Owned> all) {
        var first = all.getFirst().field();
        var doc = all.size() == 1 ? "Of %s: %s".formatted(all.getFirst().tool(), first.doc()) : commonest(all);
        return new Shape.Field(first.name(), doc, false, true, "", shape(first.name(), all));
    }

    /** Returns what most tools say of the field, the first of them among equals. */
    private static String commonest(List<Owned> all) {
        var counts = all.stream()
                .map(owned -> owned.field().doc())
                .collect(Collectors.groupingBy(Function.identity(), LinkedHashMap::new, Collectors.counting()));
        var most = counts.values().stream().mapToLong(count -> count).max().orElseThrow();
        return counts.entrySet().stream()
                .filter(entry -> entry.getValue() == most)
                .findFirst()
                .orElseThrow()
                .getKey();
    }

    private static Shape shape(String name, List<Owned> all) {
        var shapes = new LinkedHashSet<Shape>();
        all.forEach(owned -> shapes.add(owned.field().shape()));
        if (shapes.stream().allMatch(Shape.Fields.class::isInstance)) {
            var inner = new LinkedHashMap<String, Shape.Fields>();
            all.forEach(owned ->
                    inner.put(owned.tool(), (Shape.Fields) owned.field().shape()));
            return fields(title(name), inner);
        }
        return shapes.stream().reduce((one, other) -> either(name, one, other)).orElseThrow();
    }

    private static String title(String field) {
        return Character.toUpperCase(field.charAt(0)) + field.substring(1);
    }

    private static Shape either(String name, Shape one, Shape other) {
        if (one instanceof Shape.Whole a && other instanceof Shape.Whole b) {
            return new Shape.Whole(
                    Math.min(a.min(), b.min()), Math.max(a.max(), b.max()), both(a.oneOf(), b.oneOf()), a.format());
        } else if (one instanceof Shape.Items a && other instanceof Shape.Items b) {
            var item = a.item().equals(b.item()) ? a.item() : either(name, a.item(), b.item());
            return new Shape.Items(item, Math.max(a.max(), b.max()));
        }
        if (flagOrItems(one, other) || flagOrItems(other, one)) {
            return new Shape.FlagOrItems(Stream.of(one, other)
                    .flatMap(SchemaUnion::items)
                    .reduce((a, b) -> new Shape.Items(a.item(), Math.max(a.max(), b.max())))
                    .orElseThrow());
        }
        var a = text(name, one);
        var b = text(name, other);
        return new Shape.Text(Math.max(a.max(), b.max()), both(a.oneOf(), b.oneOf()), null, true);
    }

    private static boolean flagOrItems(Shape one, Shape other) {
        return switch (one) {
            case Shape.Flag _ -> other instanceof Shape.Items;
            case Shape.FlagOrItems _ ->
                other instanceof Shape.Flag || other instanceof Shape.Items || other instanceof Shape.FlagOrItems;
            default -> false;
        };
    }

    private static Stream<Shape.Items> items(Shape shape) {
        return shape instanceof Shape.Items items
                ? Stream.of(items)
                : shape instanceof Shape.FlagOrItems either ? Stream.of(either.items()) : Stream.of();
    }

    /** Returns the choices of both; none if one of them accepts anything. */
    private static <T> List<T> both(List<T> one, List<T> other) {
        if (one.isEmpty() || other.isEmpty()) {
            return List.of();
        }
        Collection<T> all = new LinkedHashSet<>(one);
        all.addAll(other);
        return List.copyOf(all);
    }

    private static Shape.Text text(String name, Shape shape) {
        return switch (shape) {
            case Shape.Text text -> text;
            case Shape.NameText _, Shape.MemoryNameText _, Shape.UserText _, Shape.Id _, Shape.Time _ ->
                new Shape.Text(shape.json().path("maxLength").asLong(Shape.DEFAULT_MAX), List.of());
            default ->
                throw new IllegalArgumentException(
                        "the field '%s' has another JSON type in each of two tools".formatted(name));
        };
    }
}

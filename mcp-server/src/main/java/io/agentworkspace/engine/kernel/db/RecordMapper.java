package io.agentworkspace.engine.kernel.db;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.agentworkspace.engine.model.json.Json;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Makes records of rows, as JDBI's constructor mapper does. A component takes the column of its name:
 *
 * <table>
 * <caption>Which column a component reads</caption>
 * <tr><td>{@code createdAt}</td><td>{@code created_at}</td></tr>
 * <tr><td>{@code isReadable}</td><td>{@code is_readable}, otherwise {@code readable}</td></tr>
 * <tr><td>{@code long owner}, {@code UUID owner}</td><td>{@code owner_id}, otherwise {@code owner}</td></tr>
 * <tr><td>{@code String owner}</td><td>{@code owner_name}, otherwise {@code owner}</td></tr>
 * <tr><td>{@code List<String>}, of longs or integers</td><td>an array</td></tr>
 * <tr><td>another list, another record</td><td>JSON, if there is such a column</td></tr>
 * <tr><td>a record {@code owner} without such a column</td><td>{@code owner_id} and {@code owner_name}</td></tr>
 * <tr><td>a record that is {@link JsonUnwrapped}</td><td>those of its components</td></tr>
 * <tr><td>an enumeration, or a type with {@code of(String)}</td><td>its word</td></tr>
 * </table>
 *
 * <p>A component that is not {@code @Nullable} refuses SQL null, except that a primitive is 0 or false, as in JDBC, and a list of JSON is
 * empty. A record that can be null is null if its first component is.
 * Columns without a component are ignored. A component without a column fails at the statement's first row.
 */
final class RecordMapper {
    private static final ClassValue<RecordMapper> MAPPERS = new ClassValue<>() {
        @Override
        protected RecordMapper computeValue(Class<?> type) {
            return new RecordMapper(type);
        }
    };

    private final Class<?> type;

    /** By the prefix and the names of a statement's columns. */
    private final Map<Columns, Source> sources = new ConcurrentHashMap<>();

    private RecordMapper(Class<?> type) {
        this.type = type;
    }

    /** Where a value comes from. */
    interface Source {
        @Nullable
        Object read(ResultSet rows) throws SQLException;
    }

    private record Columns(String prefix, List<String> names) {}

    /** Returns the source of records of this type, from a statement's columns whose names begin with the prefix. */
    static Source source(Class<?> type, String prefix, List<String> columns) {
        var mapper = MAPPERS.get(type);
        return mapper.sources.computeIfAbsent(
                new Columns(prefix, columns), _ -> record(mapper.type, prefix, columns, false));
    }

    private static <T> T required(@Nullable T value, String what) {
        if (value == null) {
            throw new IllegalStateException(what + " is null in the database");
        }
        return value;
    }

    /** A record of the columns whose names begin with the prefix. */
    private static Source record(Class<?> type, String prefix, List<String> columns, boolean nullable) {
        var components = type.getRecordComponents();
        var constructor = constructor(type, components);
        var isPrimitive = components[0].getType().isPrimitive();
        var parts = new Source[components.length];
        for (var i = 0; i < components.length; i++) {
            parts[i] = part(components[i], prefix, columns, nullable && i == 0);
        }
        return rows -> {
            var values = new @Nullable Object[parts.length];
            for (var i = 0; i < parts.length; i++) {
                values[i] = parts[i].read(rows);
                if (i == 0 && nullable && (values[0] == null || isPrimitive && rows.wasNull())) {
                    return null;
                }
            }
            return made(() -> constructor.newInstance(values));
        };
    }

    private static Constructor<?> constructor(Class<?> type, RecordComponent[] components) {
        try {
            var constructor = type.getDeclaredConstructor(
                    Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
            constructor.setAccessible(true);
            return constructor;
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Makes a value, by a constructor or a method. */
    private interface Maker {
        Object make() throws ReflectiveOperationException;
    }

    private static Object made(Maker maker) {
        try {
            return maker.make();
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Source part(RecordComponent component, String prefix, List<String> columns, boolean mayBeNull) {
        var type = component.getType();
        var nullable = mayBeNull || component.getAnnotatedType().isAnnotationPresent(Nullable.class);
        if (component.getAccessor().isAnnotationPresent(JsonUnwrapped.class)) {
            return record(type, prefix, columns, nullable);
        }
        var name = prefix + column(component);
        var index = index(type, name, columns);
        if (index == 0) {
            if (!type.isRecord()) {
                throw new IllegalStateException("no column " + name + " for " + component.getName() + " of "
                        + component.getDeclaringRecord().getName() + ": " + columns);
            }
            return record(type, name + "_", columns, nullable);
        }
        var value = value(component, index);
        return nullable || type.isPrimitive()
                ? value
                : rows -> required(
                        value.read(rows),
                        name + " of " + component.getDeclaringRecord().getSimpleName());
    }

    /** The number of the column, from 1; 0 if there is none. */
    private static int index(Class<?> type, String name, List<String> columns) {
        var isId = type == long.class || type == Long.class || type == UUID.class;
        var longer = isId ? name + "_id" : type == String.class ? name + "_name" : "is_" + name;
        return columns.contains(longer) ? columns.indexOf(longer) + 1 : columns.indexOf(name) + 1;
    }

    private static String column(RecordComponent component) {
        var name = component.getName();
        if (name.startsWith("is") && name.length() > 2 && Character.isUpperCase(name.charAt(2))) {
            name = name.substring(2, 3).toLowerCase(Locale.ROOT) + name.substring(3);
        }
        return name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }

    private static Source value(RecordComponent component, int index) {
        var type = component.getType();
        if (type == String.class) {
            return rows -> rows.getString(index);
        } else if (type == long.class || type == Long.class) {
            return orNull(type, rows -> rows.getLong(index));
        } else if (type == int.class || type == Integer.class) {
            return orNull(type, rows -> rows.getInt(index));
        } else if (type == boolean.class || type == Boolean.class) {
            return orNull(type, rows -> rows.getBoolean(index));
        } else if (type == double.class || type == Double.class) {
            return orNull(type, rows -> rows.getDouble(index));
        } else if (type == byte[].class) {
            return rows -> rows.getBytes(index);
        } else if (type == UUID.class) {
            return rows -> {
                var text = rows.getString(index);
                return text == null ? null : UUID.fromString(text);
            };
        } else if (type == java.time.Instant.class) {
            return rows -> {
                var time = rows.getObject(index, OffsetDateTime.class);
                return time == null ? null : time.toInstant();
            };
        } else if (type == ObjectNode.class) {
            return rows -> {
                var json = rows.getString(index);
                return json == null ? null : Json.readValue(json, ObjectNode.class);
            };
        } else if (type == List.class) {
            return list(component, index);
        }
        var word = word(type);
        if (word != null) {
            return rows -> {
                var text = rows.getString(index);
                return text == null ? null : word.apply(text);
            };
        }
        return rows -> {
            var json = rows.getString(index);
            return json == null ? null : Json.readValue(json, type);
        };
    }

    private static Source orNull(Class<?> type, Source number) {
        return type.isPrimitive()
                ? number
                : rows -> {
                    var value = number.read(rows);
                    return rows.wasNull() ? null : value;
                };
    }

    private static Source list(RecordComponent component, int index) {
        var element = (Class<?>) ((ParameterizedType) component.getGenericType()).getActualTypeArguments()[0];
        if (element == String.class || Number.class.isAssignableFrom(element)) {
            return rows -> {
                var array = rows.getArray(index);
                return array == null ? null : Arrays.asList((Object[]) array.getArray());
            };
        }
        var nullable = component.getAnnotatedType().isAnnotationPresent(Nullable.class);
        return rows -> {
            var json = rows.getString(index);
            return json == null ? nullable ? null : List.of() : Json.readList(json, element);
        };
    }

    /** Makes the value of a word. */
    private interface Word {
        Object apply(String text);
    }

    private static @Nullable Word word(Class<?> type) {
        var of = of(type);
        if (of != null) {
            of.setAccessible(true);
            return text -> made(() -> of.invoke(null, text));
        }
        if (!type.isEnum()) {
            return null;
        }
        var constants = type.getEnumConstants();
        return text -> Arrays.stream(constants)
                .filter(constant -> ((Enum<?>) constant).name().equalsIgnoreCase(text))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no " + type.getSimpleName() + ": " + text));
    }

    private static @Nullable Method of(Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(method -> method.getName().equals("of")
                        && method.getReturnType() == type
                        && Arrays.equals(method.getParameterTypes(), new Class<?>[] {String.class}))
                .findFirst()
                .orElse(null);
    }
}

package io.agentworkspace.engine.identity.rules.cel;

import com.google.common.collect.ImmutableCollection;
import com.google.common.collect.ImmutableSet;
import dev.cel.common.types.CelKind;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypeProvider;
import dev.cel.common.types.ListType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.StructType;
import dev.cel.common.values.StructValue;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The variables of expressions, with the types of their fields. A field that was not given is empty,
 * and {@code has} returns false.
 */
final class Variables {
    private static final CelType TEXT = SimpleType.STRING;
    private static final CelType TEXTS = ListType.create(SimpleType.STRING);
    private static final CelType NUMBER = SimpleType.INT;

    static final Struct COMMAND = new Struct("command", fields("name family effect", "", ""));
    static final Struct TARGET = new Struct("target", fields("user agent domain bank zone", "", ""));
    static final Struct VX = new Struct("vx", fields("name description profile access", "tags", ""));
    static final Struct PRINCIPAL = new Struct("principal", fields("user role agent key", "capabilities", ""));
    static final Struct DOCUMENT =
            new Struct("document", fields("name media_type sha256 text", "warnings", "size version"));

    static final Struct TASK =
            new Struct("task", fields("id title state assignee result note", "after tags", "fence lease_seconds"));

    private static final List<Struct> STRUCTS = List.of(COMMAND, TARGET, VX, PRINCIPAL, DOCUMENT, TASK);

    private static final Map<String, CelType> ALL = new LinkedHashMap<>();

    static {
        STRUCTS.forEach(struct -> ALL.put(struct.variable(), struct.type()));
        ALL.put("content", TEXT);
        ALL.put("now", SimpleType.TIMESTAMP);
    }

    private Variables() {}

    /** A variable with fields. */
    static final class Struct {
        private final String variable;
        private final Map<String, CelType> fields;
        private final StructType type;

        @SuppressWarnings("Immutable") // The fields do not change.
        Struct(String variable, Map<String, CelType> fields) {
            this.variable = variable;
            this.fields = fields;
            // No name contains a space, so expressions cannot create this type.
            this.type = StructType.create(
                    variable + " record",
                    ImmutableSet.copyOf(fields.keySet()),
                    field -> Optional.ofNullable(fields.get(field)));
        }

        String variable() {
            return variable;
        }

        StructType type() {
            return type;
        }

        List<String> fields() {
            return List.copyOf(fields.keySet());
        }

        Value with(ExpressionInput.Fields input) {
            return new Value(this, input);
        }
    }

    /** The value of a variable with fields, for one evaluation. */
    @SuppressWarnings("Immutable") // Reads its fields lazily; they do not change in the meantime.
    static final class Value extends StructValue<String, Value> {
        private final Struct struct;
        private final ExpressionInput.Fields input;

        private Value(Struct struct, ExpressionInput.Fields input) {
            this.struct = struct;
            this.input = input;
        }

        @Override
        public Value value() {
            return this;
        }

        @Override
        public boolean isZeroValue() {
            return false;
        }

        @Override
        public CelType celType() {
            return struct.type();
        }

        @Override
        public Object select(String field) {
            var value = valid(field);
            if (struct == DOCUMENT && value instanceof String text) {
                // Built-in functions such as size() look at the whole text, and charge nothing themselves.
                EvaluationBudget.charge(text.length());
            }
            return value == null ? empty(field) : value;
        }

        @Override
        public Optional<Object> find(String field) {
            return Optional.ofNullable(valid(field));
        }

        /** Returns the value; null if it was not given, or has another type than the field. */
        private @Nullable Object valid(String field) {
            var value = input.get(field);
            var type = struct.fields.get(field);
            var isValid = value != null
                    && type != null
                    && switch (type.kind()) {
                        case LIST -> value instanceof List;
                        case INT -> value instanceof Long;
                        default -> value instanceof String;
                    };
            return isValid ? value : null;
        }

        private Object empty(String field) {
            var type = struct.fields.get(field);
            if (type == null) {
                throw new IllegalArgumentException("%s has no field %s".formatted(struct.variable, field));
            }
            return type.kind() == CelKind.LIST ? List.of() : type.kind() == CelKind.INT ? (Object) 0L : "";
        }
    }

    private static Map<String, CelType> fields(String texts, String lists, String numbers) {
        var fields = new LinkedHashMap<String, CelType>();
        put(fields, texts, TEXT);
        put(fields, lists, TEXTS);
        put(fields, numbers, NUMBER);
        return fields;
    }

    private static void put(Map<String, CelType> fields, String names, CelType type) {
        for (var name : names.isEmpty() ? new String[0] : names.split(" ")) {
            fields.put(name, type);
        }
    }

    /** Returns the types by the names of the variables, in order. */
    static Map<String, CelType> types() {
        return ALL;
    }

    static Optional<Struct> struct(String variable) {
        return STRUCTS.stream()
                .filter(struct -> struct.variable().equals(variable))
                .findFirst();
    }

    static CelTypeProvider provider() {
        return new CelTypeProvider() {
            @Override
            public ImmutableCollection<CelType> types() {
                return STRUCTS.stream().map(Struct::type).collect(ImmutableSet.toImmutableSet());
            }

            @Override
            public Optional<CelType> findType(String name) {
                return STRUCTS.stream()
                        .<CelType>map(Struct::type)
                        .filter(type -> type.name().equals(name))
                        .findFirst();
            }
        };
    }

    /** Returns the value of a variable. */
    static @Nullable Object resolve(ExpressionInput input, String name) {
        return switch (name) {
            case "command" -> COMMAND.with(input.command());
            case "target" -> TARGET.with(input.target());
            case "vx" -> VX.with(input.vx());
            case "content" -> input.content();
            case "principal" -> PRINCIPAL.with(input.principal());
            case "document" -> DOCUMENT.with(input.document());
            case "task" -> TASK.with(input.task());
            case "now" -> input.now();
            default -> null;
        };
    }
}

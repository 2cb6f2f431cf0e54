package io.agentworkspace.engine.model.schema;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.MemoryName;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.problem.UserHandle;
import io.agentworkspace.engine.model.text.BlankText;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The shape of a record on the wire: the JSON Schema for clients, and the validation of input. Both come from the
 * record's components, so they cannot differ.
 */
public final class Schema {
    /** The field that every transactional tool accepts. */
    public static final String IDEMPOTENCY_KEY = "idempotency_key";

    private static final Pattern ID = Pattern.compile("\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}");

    /** The earliest accepted time. */
    private static final Instant EARLIEST = Instant.EPOCH;

    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

    private static final Shape.Field IDEMPOTENCY =
            new Shape.Field(IDEMPOTENCY_KEY, "Makes a retry safe.", false, true, "", new Shape.Text(255, List.of()));

    /** The fields of {@code target}, {@code vx} and {@code page} that models most often send without the object around them. */
    private static final List<String> INNER = List.of("agent", "bank", "domain", "zone", "name", "limit");

    /** How many unknown fields a refusal names. The rest are only counted. */
    private static final int UNKNOWN_NAMED = 10;

    private final Shape.Fields root;
    private final ObjectNode json;

    /** Whether a blank field may count as left out only where its {@link Doc} says so: the tool changes something. */
    private final boolean isExact;

    /** The field that takes all input; null if the fields are those of a record. */
    private final @Nullable String whole;

    Schema(Shape.Fields root) {
        this(root, root.json(), false, null);
    }

    private Schema(Shape.Fields root, ObjectNode json, boolean isExact, @Nullable String whole) {
        this.root = root;
        this.json = json;
        this.isExact = isExact;
        this.whole = whole;
    }

    /**
     * Returns a schema that another server published, and validates itself.
     *
     * @param whole the field of the record that takes the whole input
     */
    public static Schema ofForeign(ObjectNode json, String whole) {
        return new Schema(new Shape.Fields(List.of(), false, null), json.deepCopy(), false, whole);
    }

    /** Returns the fields of an input record that are rarely sent. */
    public static List<String> rare(Class<?> type) {
        return Arrays.stream(type.getRecordComponents())
                .filter(field -> field.isAnnotationPresent(Doc.class)
                        && field.getAnnotation(Doc.class).rare())
                .map(field -> Shape.snake(field.getName()))
                .toList();
    }

    /** Returns the schema of an output record. */
    public static Schema of(Class<? extends Record> type) {
        return new Schema(Shape.ofRecord(type, false));
    }

    /**
     * Returns the schema of an input record. Where the tool changes something, it has an idempotency key, and refuses
     * blank fields as {@link Doc#mayBeBlank} says.
     */
    public static Schema ofInput(Class<? extends Record> type, boolean transactional) {
        var own = Shape.ofRecord(type, true);
        if (!transactional) {
            return new Schema(own);
        }
        var fields = new ArrayList<>(own.fields());
        fields.add(IDEMPOTENCY);
        var root = new Shape.Fields(List.copyOf(fields), true, own.title());
        return new Schema(root, root.json(), true, null);
    }

    /** Returns the same schema for a call that only reads: every blank field that is not required counts as left out. */
    public Schema forReading() {
        return new Schema(root, json, false, whole);
    }

    /** Returns the JSON Schema 2020-12, as a copy that callers may change. */
    public ObjectNode json() {
        return json.deepCopy();
    }

    /**
     * Returns the schema for client generators. Records and enumerations of the model have their name as
     * {@code title}, and integers have their width.
     */
    public ObjectNode typed() {
        return root.json(true);
    }

    /**
     * Validates the input and returns what the record needs of it: known fields only, names normalized, nulls and
     * blank optional fields left out. A blank or null field that would narrow what a tool changes is not left out but
     * missing.
     *
     * @param strict whether unknown fields are refused rather than left out
     * @throws Problem {@code malformed_json} for a wrong type, {@code missing_field}, {@code invalid_field},
     *     {@code too_large}
     */
    public ObjectNode read(ObjectNode input, boolean strict) {
        StorableInput.check("", input);
        if (whole != null) {
            return Json.object().set(whole, input.deepCopy());
        }
        checkTypes(input);
        if (strict) {
            refuseUnknown(input);
        }
        var missing = new ArrayList<String>();
        missing(root, input, "", missing);
        if (!missing.isEmpty()) {
            throw Problem.missing(missing);
        }
        if (isExact) {
            var blank = new ArrayList<String>();
            blank(root, input, "", blank);
            if (!blank.isEmpty()) {
                throw Problem.blank(blank);
            }
        }
        return fields(root, input, "");
    }

    /** Returns the paths of the input's fields that are not in this schema, in the input's order. */
    public List<String> unknown(ObjectNode input) {
        var unknown = new ArrayList<String>();
        unknown(root, input, "", (path, name, _) -> unknown.add(join(path, name)));
        return whole == null ? unknown : List.of();
    }

    /** Returns whether the schema has a field with this name. */
    public boolean hasField(String name) {
        return root.hasField(name);
    }

    Shape.Fields root() {
        return root;
    }

    /** Checks only the JSON types of the fields that this schema has. */
    public void checkTypes(ObjectNode input) {
        checkTypes(root, input, "");
    }

    private static void checkTypes(Shape shape, JsonNode value, String path) {
        switch (shape) {
            case Shape.Text _, Shape.NameText _, Shape.MemoryNameText _, Shape.UserText _, Shape.Id _, Shape.Time _ ->
                require(value.isString(), path, "a string");
            case Shape.Whole _ -> require(value.isIntegralNumber() && value.canConvertToLong(), path, "an integer");
            case Shape.Fraction _ -> require(value.isNumber(), path, "a number");
            case Shape.Flag _ -> require(value.isBoolean(), path, "true or false");
            case Shape.FlagOrUser _ -> require(value.isBoolean() || value.isString(), path, "true or a user's name");
            case Shape.Open _ -> require(value.isObject(), path, "an object");
            case Shape.Free free -> {
                require(value.isObject(), path, "an object");
                value.properties()
                        .forEach(property -> checkTypes(
                                free.value(), property.getValue(), join(path, Name.shortened(property.getKey()))));
            }
            case Shape.Items items -> {
                if (!value.isArray()) {
                    throw wrongType(path, "an array" + example(items, value));
                }
                for (var i = 0; i < value.size(); i++) {
                    checkTypes(items.item(), value.get(i), "%s[%d]".formatted(path, i));
                }
            }
            case Shape.TextOrItems either -> {
                require(value.isString() || value.isArray(), path, "a text or an array of texts");
                checkTypes(value.isString() ? either.items().item() : either.items(), value, path);
            }
            case Shape.FlagOrItems either ->
                checkTypes(value.isBoolean() ? new Shape.Flag() : either.items(), value, path);
            case Shape.Fields fields -> {
                if (!value.isObject()) {
                    throw wrongType(path, "an object" + example(fields, value));
                }
                for (var field : fields.fields()) {
                    var inner = present(value, field);
                    if (inner != null) {
                        checkTypes(field.shape(), inner, join(path, field.name()));
                    }
                }
            }
        }
    }

    /** Returns what a list of texts looks like with the text that was sent in its place; empty for other values. */
    private static String example(Shape.Items items, JsonNode value) {
        return items.item() instanceof Shape.Text && value.isString()
                ? " such as " + Json.text(Json.valueTree(List.of(Name.shortened(value.asString()))))
                : "";
    }

    /** Returns what the object looks like with the text or number that was sent in its place; empty for other values. */
    private static String example(Shape.Fields fields, JsonNode value) {
        var sent = value.isString() ? Json.valueTree(Name.shortened(value.asString())) : value;
        return INNER.stream()
                .filter(fields::hasField)
                .filter(_ -> sent.isString() || sent.isIntegralNumber())
                .findFirst()
                .map(name -> " such as " + Json.text(Json.object().set(name, sent)))
                .orElse("");
    }

    private static void require(boolean fits, String path, String expected) {
        if (!fits) {
            throw wrongType(path, expected);
        }
    }

    private static Problem wrongType(String path, String expected) {
        return Problem.wrongType(path.isEmpty() ? "the request" : path, expected);
    }

    private void refuseUnknown(ObjectNode input) {
        var notes = new ArrayList<String>();
        var count = new AtomicInteger();
        unknown(root, input, "", (path, name, shape) -> {
            if (count.incrementAndGet() <= UNKNOWN_NAMED) {
                var names = shape.fields().stream().map(Shape.Field::name).toList();
                notes.add("%s is not a field of this tool; %s"
                        .formatted(
                                join(path, Name.shortened(name)),
                                FieldHint.of(name, path, names, Field.of(json), input)));
            }
        });
        if (count.get() > UNKNOWN_NAMED) {
            notes.add("%d more are not fields of this tool either".formatted(count.get() - UNKNOWN_NAMED));
        }
        if (!notes.isEmpty()) {
            throw new Problem(Failure.INVALID_FIELD, String.join(". ", notes).replace("?. ", "? "));
        }
    }

    private interface Stranger {
        void met(String path, String name, Shape.Fields shape);
    }

    private static void unknown(Shape.Fields shape, JsonNode value, String path, Stranger stranger) {
        var names = shape.fields().stream().map(Shape.Field::name).toList();
        for (var name : value.propertyNames()) {
            if (!names.contains(name)) {
                stranger.met(path, name, shape);
            }
        }
        for (var field : shape.fields()) {
            var inner = present(value, field);
            if (inner != null) {
                inside(
                        field.shape(),
                        inner,
                        join(path, field.name()),
                        (at, fields, object) -> unknown(fields, object, at, stranger));
            }
        }
    }

    private interface Inner {
        void met(String path, Shape.Fields shape, JsonNode object);
    }

    /** Visits the objects with declared fields that the value is or contains as items. */
    private static void inside(Shape shape, JsonNode value, String path, Inner inner) {
        if (shape instanceof Shape.Fields fields && value.isObject()) {
            inner.met(path, fields, value);
        } else if (shape instanceof Shape.Items items && value.isArray()) {
            for (var i = 0; i < value.size(); i++) {
                inside(items.item(), value.get(i), "%s[%d]".formatted(path, i), inner);
            }
        } else if (shape instanceof Shape.Free free && value.isObject()) {
            value.properties()
                    .forEach(property -> inside(
                            free.value(), property.getValue(), join(path, Name.shortened(property.getKey())), inner));
        }
    }

    private static ObjectNode fields(Shape.Fields shape, JsonNode value, String path) {
        var checked = Json.object();
        for (var field : shape.fields()) {
            var inner = present(value, field);
            if (inner != null) {
                checked.set(field.name(), value(field.shape(), inner, join(path, field.name())));
            }
        }
        return checked;
    }

    /**
     * Collects the required fields that are absent or blank, each by its own path and not its object's:
     * {@code vx.name}.
     */
    private static void missing(Shape.Fields shape, JsonNode value, String path, List<String> into) {
        for (var field : shape.fields()) {
            var inner = present(value, field);
            if (inner == null && !field.required()) {
                continue;
            }
            var at = join(path, field.name());
            if (field.shape() instanceof Shape.Fields object
                    && (inner != null
                            || (field.required() && object.fields().stream().anyMatch(Shape.Field::required)))) {
                missing(object, inner == null ? Json.object() : inner, at, into);
            } else if (field.required() && inner == null) {
                into.add(at);
            } else if (inner != null) {
                inside(field.shape(), inner, at, (place, fields, item) -> missing(fields, item, place, into));
            }
        }
    }

    /**
     * Collects the optional fields that are null, blank, or a list of blank texts, and whose {@link Doc} does not
     * say that they may be. An object may be null if everything in it may be blank.
     */
    private static void blank(Shape.Fields shape, JsonNode value, String path, List<String> into) {
        for (var field : shape.fields()) {
            var sent = value.get(field.name());
            if (sent == null || field.required() && !(field.shape() instanceof Shape.Fields)) {
                continue;
            }
            var at = join(path, field.name());
            if (field.shape() instanceof Shape.Fields object && sent.isObject()) {
                blank(object, sent, at, into);
            } else if (isNothing(field.shape(), sent) && !field.mayBeBlank()) {
                into.add(at);
            }
        }
    }

    private static boolean isNothing(Shape shape, JsonNode value) {
        if (value.isArray() && !value.isEmpty()) {
            return value.valueStream().allMatch(item -> item.isString() && BlankText.isBlank(item.asString()));
        }
        var isVerbatim = shape instanceof Shape.Text text && text.verbatim();
        return value.isNull() || value.isString() && !isVerbatim && BlankText.isBlank(value.asString());
    }

    /** Returns whether the input has a value at this path. Null and blank count as absent, as in {@link #read}. */
    public static boolean isSent(ObjectNode input, String path) {
        var value = input.at("/" + path.replace('.', '/'));
        return !value.isMissingNode() && !value.isNull() && !(value.isString() && BlankText.isBlank(value.asString()));
    }

    /** Returns the checked value. */
    private static JsonNode value(Shape shape, JsonNode value, String path) {
        return switch (shape) {
            case Shape.Fields inner -> fields(inner, value, path);
            case Shape.NameText name -> name(value.asString(), path, name.ofAgent() || isOfAgent(path));
            case Shape.MemoryNameText _ -> memoryName(value.asString(), path);
            case Shape.UserText _ -> user(value.asString(), path);
            case Shape.FlagOrUser _ -> value.isBoolean() ? value : user(value.asString(), path);
            case Shape.Text text -> text(text, value, path);
            case Shape.Whole whole -> whole(whole, value, path);
            case Shape.Items items -> items(items, value, path);
            case Shape.TextOrItems either ->
                items(either.items(), value.isArray() ? value : Json.array().add(value), path);
            case Shape.Id _ -> id(value, path);
            case Shape.Time _ -> time(value, path);
            case Shape.Free free -> free(free, value, path);
            case Shape.Fraction number -> Shape.within(number.min(), number.max(), value, path);
            case Shape.Open _, Shape.Flag _, Shape.FlagOrItems _ -> value;
        };
    }

    private static JsonNode id(JsonNode value, String path) {
        if (!ID.matcher(value.asString()).matches()) {
            throw Problem.invalid(path, "must be a UUID, like 6f8b1c9e-3b0a-4f0e-9a52-0d8a4c1f7b11");
        }
        return value;
    }

    private static JsonNode time(JsonNode value, String path) {
        try {
            var time = OffsetDateTime.parse(value.asString().strip()).toInstant();
            if (time.isAfter(EARLIEST) && time.isBefore(LATEST)) {
                return Json.valueTree(time);
            }
        } catch (DateTimeParseException e) {
            // Handled below, like a time out of range.
        }
        throw Problem.invalid(path, "must be a time in ISO 8601 with its zone, like 2026-05-25T12:00:00Z");
    }

    private static JsonNode name(String text, String path, boolean ofAgent) {
        var raw = isMention(path) ? text.replaceFirst("^\\s*@", "") : text;
        (ofAgent ? Name.brokenMention(raw) : Name.broken(raw)).ifPresent(rule -> {
            throw Problem.invalid(path, rule);
        });
        return Json.valueTree(Name.normal(raw));
    }

    private static JsonNode memoryName(String text, String path) {
        MemoryName.broken(text).ifPresent(rule -> {
            throw Problem.invalid(path, rule);
        });
        return Json.valueTree(Name.normal(text));
    }

    private static JsonNode user(String text, String path) {
        return Json.valueTree(UserHandle.checked(path, text).text());
    }

    /**
     * Returns whether the text at this path may be a mention. "@Ada" means Ada where a field refers to an existing
     * thing; no name can begin with @.
     */
    private static boolean isMention(String path) {
        return !path.equals("name") && !path.endsWith(".name");
    }

    private static boolean isOfAgent(String path) {
        return path.endsWith("agent") || path.equals("parent");
    }

    private static JsonNode text(Shape.Text text, JsonNode value, String path) {
        var sent = value.asString();
        if (!text.oneOf().isEmpty() && !text.oneOf().contains(sent)) {
            throw Problem.invalid(path, "must be one of " + String.join(", ", text.oneOf()));
        }
        var length = sent.codePointCount(0, sent.length());
        if (length > text.max()) {
            throw Problem.tooLarge(path, length, text.max(), "characters");
        }
        return value;
    }

    private static JsonNode whole(Shape.Whole whole, JsonNode value, String path) {
        if (!whole.oneOf().isEmpty() && !whole.oneOf().contains(value.asLong())) {
            var allowed = whole.oneOf().stream().map(String::valueOf).collect(Collectors.joining(", "));
            throw Problem.invalid(path, "must be one of " + allowed);
        }
        return Shape.within(whole.min(), whole.max(), value, path);
    }

    private static JsonNode items(Shape.Items items, JsonNode value, String path) {
        if (value.size() > items.max()) {
            throw Problem.tooLarge(path, value.size(), items.max(), "items");
        }
        var checked = Json.array();
        for (var i = 0; i < value.size(); i++) {
            checked.add(item(items.item(), value.get(i), "%s[%d]".formatted(path, i)));
        }
        return checked;
    }

    private static JsonNode free(Shape.Free free, JsonNode value, String path) {
        var checked = Json.object();
        for (var property : value.properties()) {
            var at = join(path, Name.shortened(property.getKey()));
            checked.set(property.getKey(), item(free.value(), property.getValue(), at));
        }
        return checked;
    }

    /** Returns the checked item of a list or map, where a blank one is not absent but wrong. */
    private static JsonNode item(Shape shape, JsonNode value, String path) {
        if (isAbsent(shape, value)) {
            throw Problem.invalid(path, "must not be blank; leave the item out");
        }
        return value(shape, value, path);
    }

    private static @Nullable JsonNode present(JsonNode parent, Shape.Field field) {
        var value = parent.get(field.name());
        return value == null || isAbsent(field.shape(), value) ? null : value;
    }

    /** Returns whether the value counts as left out. Forms send empty fields as empty texts, whatever their type. */
    private static boolean isAbsent(Shape shape, JsonNode value) {
        return value.isNull()
                || value.isString()
                        && switch (shape) {
                            case Shape.Text text ->
                                !text.verbatim() && value.asString().isBlank();
                            default -> BlankText.isBlank(value.asString());
                        };
    }

    static String join(String path, String name) {
        return path.isEmpty() ? name : path + "." + name;
    }
}

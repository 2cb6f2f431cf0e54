package io.agentworkspace.engine.model.json;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Schema;
import io.agentworkspace.engine.model.text.Excerpt;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.Reader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.exc.StreamWriteException;
import tools.jackson.core.exc.UnexpectedEndOfInputException;
import tools.jackson.core.io.SerializedString;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.ser.std.StdSerializer;
import tools.jackson.databind.util.RawValue;

/** The service's JSON format: snake_case, no nulls, ISO 8601 UTC times with milliseconds, at most 64 levels deep. */
public final class Json {
    public static final int MAX_DEPTH = 64;

    /** The maximum number of values, names, and array and object boundaries in the JSON of a request. */
    static final int MAX_TOKENS = 50_000;

    /** The same in JSON of other servers. With them, a tree has at most about 20 MB besides its texts. */
    public static final int MAX_FOREIGN_TOKENS = 200_000;

    /** What stands for bytes that are no UTF-8. */
    private static final char REPLACEMENT = '\uFFFD';

    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    private static final DateTimeFormatter MILLIS =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    private static final int MAX_NAME = 1_000;
    private static final int MAX_NUMBER = 100;

    /** What a buffer has at first, and left after a large part, in bytes. */
    private static final int ROOM = 1_024;

    /** The parser's error messages, each with the message that replaces it. */
    private static final Map<Pattern, String> REASONS = reasons();

    private static final JsonMapper MAPPER = mapper(Long.MAX_VALUE);

    /**
     * Reads JSON that clients send. A tree needs memory for each value: for bodies like [{},{},…] about forty times
     * their length.
     */
    private static final JsonMapper READER = mapper(MAX_TOKENS);

    /** Larger texts of others are checked before a tree is made of them, in bytes. */
    private static final int LARGE = 1024 * 1024;

    private static final JsonMapper FOREIGN_READER = mapper(MAX_FOREIGN_TOKENS);

    private static final JsonMapper SORTED =
            MAPPER.rebuild().enable(JsonNodeFeature.WRITE_PROPERTIES_SORTED).build();

    private static final ObjectWriter ESCAPING = MAPPER.writer().with(JsonWriteFeature.ESCAPE_NON_ASCII);

    private Json() {}

    private static Map<Pattern, String> reasons() {
        var reasons = new LinkedHashMap<Pattern, String>();
        reasons.put(Pattern.compile("nesting depth"), "it is nested more than %d levels deep".formatted(MAX_DEPTH));
        reasons.put(Pattern.compile("Token count"), "it has more than %,d values and names".formatted(MAX_TOKENS));
        reasons.put(Pattern.compile("^Name length"), "a field's name has more than %,d characters".formatted(MAX_NAME));
        reasons.put(Pattern.compile("^Number value length"), "a number has more than %d digits".formatted(MAX_NUMBER));
        reasons.put(
                Pattern.compile("^Duplicate (?:Object )?property \"(.*?)\"", Pattern.DOTALL),
                "the field '%s' comes twice");
        reasons.put(Pattern.compile("surrogate", Pattern.CASE_INSENSITIVE), "a field's name has an unpaired surrogate");
        reasons.put(Pattern.compile("^Trailing token"), "something follows after the JSON value");
        reasons.put(Pattern.compile("end-of-input|End-of-input"), "it ends before it is complete");
        reasons.put(
                Pattern.compile("^Illegal unquoted character"),
                "a line break or control character inside a string must be escaped, like \\n");
        reasons.put(Pattern.compile("character escape '(.)'"), "'\\%s' is not an escape that JSON has");
        reasons.put(
                Pattern.compile("^Unrecognized token '([^']*)'"),
                "'%s' is not a JSON value; text needs double quotes around it");
        reasons.put(
                Pattern.compile("^Unexpected character \\('(.)'", Pattern.DOTALL),
                "the character '%s' cannot stand there");
        return reasons;
    }

    private static JsonMapper mapper(long tokens) {
        return JsonMapper.builder(JsonFactory.builder()
                        .streamReadConstraints(StreamReadConstraints.builder()
                                .maxNestingDepth(MAX_DEPTH)
                                .maxNameLength(MAX_NAME)
                                .maxNumberLength(MAX_NUMBER)
                                .maxTokenCount(tokens)
                                .build())
                        .build())
                .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                .changeDefaultPropertyInclusion(any -> any.withValueInclusion(JsonInclude.Include.NON_NULL))
                .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
                .addModule(new SimpleModule().addSerializer(Instant.class, new InstantWriter()))
                .build();
    }

    public static ArrayNode array() {
        return JsonNodeFactory.instance.arrayNode();
    }

    public static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    /** Reads one JSON object from UTF-8 bytes; anything else is {@code malformed_json}. */
    public static ObjectNode readObject(byte[] utf8) {
        if (read(utf8) instanceof ObjectNode object) {
            return object;
        }
        throw Problem.malformed("the body must be one JSON object");
    }

    /** Reads any one JSON value from UTF-8 bytes, strictly: no other encoding, no duplicate keys, nothing after it. */
    public static JsonNode read(byte[] utf8) {
        try {
            var text = new String(utf8, StandardCharsets.UTF_8);
            if (text.indexOf(REPLACEMENT) >= 0 && !Arrays.equals(text.getBytes(StandardCharsets.UTF_8), utf8)) {
                throw Problem.malformed("the body is not valid UTF-8; send it as JSON in UTF-8");
            }
            return READER.readTree(withoutByteOrderMark(text));
        } catch (JacksonException e) {
            var at = e.getLocation();
            var where = at == null ? "" : " at line %d, column %d".formatted(at.getLineNr(), at.getColumnNr());
            throw Problem.malformed("the body is not valid JSON%s: %s".formatted(where, reason(e)));
        }
    }

    /**
     * Reads any one JSON value that another server sent. What is no UTF-8 becomes replacement characters.
     *
     * @throws IllegalArgumentException what is wrong, as words that follow a subject
     */
    public static JsonNode readForeign(byte[] utf8) {
        try {
            if (utf8.length > LARGE) {
                checkForeign(utf8); // Without this, most of a tree that is then refused would fill the memory.
            }
            return FOREIGN_READER.readTree(foreignText(utf8));
        } catch (JacksonException e) {
            var message = String.valueOf(e.getOriginalMessage());
            throw new IllegalArgumentException(
                    message.contains("Token count")
                            ? "has more than %,d values and names".formatted(MAX_FOREIGN_TOKENS)
                            : message.contains("nesting depth")
                                    ? "is nested more than %d levels deep".formatted(MAX_DEPTH)
                                    : "is not valid JSON",
                    e);
        }
    }

    /** Returns the text, without a byte order mark. What is no UTF-8 is replaced. */
    private static Reader foreignText(byte[] utf8) {
        var start = Arrays.mismatch(utf8, BYTE_ORDER_MARK) == BYTE_ORDER_MARK.length ? BYTE_ORDER_MARK.length : 0;
        return new InputStreamReader(
                new ByteArrayInputStream(utf8, start, utf8.length - start), StandardCharsets.UTF_8);
    }

    /** Reads to the end, within the limits, and keeps nothing. */
    private static void checkForeign(byte[] utf8) {
        try (var parser = FOREIGN_READER.createParser(foreignText(utf8))) {
            while (parser.nextToken() != null) {
                continue;
            }
        }
    }

    /** Returns how many values and names a tree has. */
    public static int size(JsonNode tree) {
        var size = 1 + (tree.isObject() ? tree.size() : 0);
        for (var each : tree) {
            size += size(each);
        }
        return size;
    }

    /** Some clients put a byte order mark before their JSON (RFC 8259, section 8.1). */
    private static String withoutByteOrderMark(String text) {
        return text.startsWith("\uFEFF") ? text.substring(1) : text;
    }

    /** Returns an error message in our own words, since the parser's messages describe its classes and sources. */
    private static String reason(JacksonException e) {
        var message = String.valueOf(e.getOriginalMessage());
        if (e instanceof UnexpectedEndOfInputException) {
            return "it ends before it is complete";
        }
        return REASONS.entrySet().stream()
                .map(entry -> Map.entry(entry.getKey().matcher(message), entry.getValue()))
                .filter(entry -> entry.getKey().find())
                .map(entry -> entry.getKey().groupCount() == 0
                        ? entry.getValue()
                        : entry.getValue().formatted(Excerpt.of(entry.getKey().group(1), 60)))
                .findFirst()
                .orElse("it cannot be parsed");
    }

    /**
     * Returns the text or number with this name in the outermost object. The rest is not read and need not be
     * complete.
     */
    public static Optional<JsonNode> scalar(byte[] utf8, String name) {
        try (var parser = READER.createParser(utf8)) {
            for (var token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token == JsonToken.START_ARRAY) {
                    parser.skipChildren();
                } else if (token == JsonToken.PROPERTY_NAME) {
                    var isWanted = parser.currentName().equals(name);
                    var value = parser.nextToken();
                    if (isWanted) {
                        return value != null && value.isScalarValue()
                                ? Optional.of(parser.readValueAsTree())
                                : Optional.empty();
                    }
                    parser.skipChildren();
                }
            }
        } catch (JacksonException e) {
            // The value was not found.
        }
        return Optional.empty();
    }

    /** Binds a tree that a {@link Schema} has already checked, or that one of our own queries returned. */
    public static <T> T bind(JsonNode tree, Class<T> type) {
        return MAPPER.treeToValue(tree, type);
    }

    /** Reads text that this service wrote. */
    public static <T> T readValue(String text, Class<T> type) {
        return MAPPER.readValue(text, type);
    }

    public static <T> java.util.List<T> readList(String text, Class<T> element) {
        return MAPPER.readerForListOf(element).readValue(text);
    }

    public static ObjectNode tree(Object value) {
        return MAPPER.valueToTree(value);
    }

    /** Returns the tree of a value that is not an object. */
    public static JsonNode valueTree(Object value) {
        return MAPPER.valueToTree(value);
    }

    public static byte[] bytes(Object value) {
        return sink(value).toByteArray();
    }

    /** Returns the value as UTF-8 bytes, like {@link #bytes}, but without copying what was {@link #written}. */
    public static ByteBuffer buffer(Object value) {
        return sink(value).buffer();
    }

    private static final class Sink extends ByteArrayOutputStream {
        Sink() {
            super(ROOM);
        }

        /** Leaves some room after a large part, so that what follows it does not double the buffer. */
        @Override
        public synchronized void write(byte[] from, int offset, int length) {
            if (length > buf.length - count) {
                buf = Arrays.copyOf(buf, Math.max(2 * count, count + length + ROOM));
            }
            super.write(from, offset, length);
        }

        ByteBuffer buffer() {
            return ByteBuffer.wrap(buf, 0, count);
        }
    }

    /** Streams the value as UTF-8 bytes into something that counts them, without holding all of them in memory. */
    public static void count(Object value, OutputStream counter) {
        try {
            MAPPER.writeValue(counter, value);
        } catch (StreamWriteException unpairedSurrogate) {
            ESCAPING.writeValue(counter, value); // It then counts some bytes twice.
        }
    }

    private static Sink sink(Object value) {
        try {
            var out = new Sink();
            MAPPER.writeValue(out, value);
            return out;
        } catch (StreamWriteException unpairedSurrogate) {
            // UTF-8 cannot hold it, but JSON can escape it: a JSON-RPC id is returned as it was sent.
            var out = new Sink();
            ESCAPING.writeValue(out, value);
            return out;
        }
    }

    public static String text(Object value) {
        return MAPPER.writeValueAsString(value);
    }

    /** JSON that {@link #text} has written, as a value of a tree: it is copied, and nobody can look into it. */
    public static JsonNode written(String json) {
        return JsonNodeFactory.instance.rawValueNode(new RawValue(new SerializedString(json)));
    }

    /** Indented, for documents and golden files. */
    public static String pretty(Object value) {
        return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(value);
    }

    /**
     * Returns the same text for equal values, in whatever order their keys are. Used to compare requests with the
     * same idempotency key.
     */
    public static String canonical(JsonNode value) {
        return SORTED.writeValueAsString(value);
    }

    private static final class InstantWriter extends StdSerializer<Instant> {
        InstantWriter() {
            super(Instant.class);
        }

        @Override
        public void serialize(Instant value, JsonGenerator out, SerializationContext context) {
            out.writeString(MILLIS.format(value));
        }
    }
}

package io.agentworkspace.engine.model;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.ser.std.StdSerializer;

/** The one JSON dialect: snake_case, no nulls, ISO 8601 UTC times with milliseconds, at most 64 levels deep. */
public final class Json {
    public static final int MAX_DEPTH = 64;

    private static final DateTimeFormatter MILLIS =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    /** How the parser says that an object has a name a second time. */
    private static final Pattern TWICE = Pattern.compile("^Duplicate (?:Object )?property \"(.*?)\"", Pattern.DOTALL);

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(MAX_DEPTH)
                            .maxNameLength(1_000)
                            .maxNumberLength(100)
                            .build())
                    .build())
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .changeDefaultPropertyInclusion(any -> any.withValueInclusion(JsonInclude.Include.NON_NULL))
            .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
            .addModule(new SimpleModule().addSerializer(Instant.class, new InstantWriter()))
            .build();

    private static final JsonMapper SORTED =
            MAPPER.rebuild().enable(JsonNodeFeature.WRITE_PROPERTIES_SORTED).build();

    private Json() {}

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
            var text = StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(utf8));
            return MAPPER.readTree(text.toString());
        } catch (CharacterCodingException e) {
            throw Problem.malformed("the body is not valid UTF-8");
        } catch (JacksonException e) {
            var at = e.getLocation();
            var where = at == null ? "" : " at line %d, column %d".formatted(at.getLineNr(), at.getColumnNr());
            throw Problem.malformed("the body is not valid JSON%s: %s".formatted(where, reason(e)));
        }
    }

    private static String reason(JacksonException e) {
        var message = e.getOriginalMessage();
        if (message == null) {
            return "it cannot be parsed";
        }
        if (message.contains("nesting depth")) {
            return "it is nested more than %d levels deep".formatted(MAX_DEPTH);
        }
        var twice = TWICE.matcher(message);
        if (twice.find()) {
            return "the field '%s' comes twice".formatted(Excerpt.of(twice.group(1), 160));
        }
        var line = message.lines()
                .findFirst()
                .orElse("")
                .replaceAll("\\(for [^)]*\\)|`[^`]*`", "")
                .strip();
        return Excerpt.of(line, 160);
    }

    /** Binds a tree that a {@link Schema} has already checked, or that a query of ours produced. */
    public static <T> T bind(JsonNode tree, Class<T> type) {
        return MAPPER.treeToValue(tree, type);
    }

    /** Reads text that we wrote ourselves. */
    public static <T> T readValue(String text, Class<T> type) {
        return MAPPER.readValue(text, type);
    }

    public static <T> java.util.List<T> readList(String text, Class<T> element) {
        return MAPPER.readerForListOf(element).readValue(text);
    }

    public static ObjectNode tree(Object value) {
        return MAPPER.valueToTree(value);
    }

    /** A value that is not an object, as a tree. */
    public static JsonNode valueTree(Object value) {
        return MAPPER.valueToTree(value);
    }

    public static byte[] bytes(Object value) {
        return MAPPER.writeValueAsBytes(value);
    }

    public static String text(Object value) {
        return MAPPER.writeValueAsString(value);
    }

    /** Indented, for documents and golden files. */
    public static String pretty(Object value) {
        return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(value);
    }

    /** The same text for the same value, whatever the order of its keys: what an idempotency key is compared by. */
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

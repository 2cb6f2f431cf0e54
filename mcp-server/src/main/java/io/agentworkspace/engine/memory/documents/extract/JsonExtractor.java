package io.agentworkspace.engine.memory.documents.extract;

import io.agentworkspace.engine.memory.documents.extract.Block.BlockKind;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/**
 * Extracts JSON as paragraphs: one for each object with plain values, under headings with the names of the outer objects.
 */
public final class JsonExtractor {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(Bounds.DEPTH + 1)
                    .maxStringLength(Bounds.CHARACTERS)
                    .build())
            .build();

    /** The outer levels that become headings. The names of inner objects are in the lines. */
    private static final int HEADINGS = 2;

    private final BlockWriter out;
    private final Deque<Level> levels = new ArrayDeque<>();

    private JsonExtractor(BlockWriter out) {
        this.out = out;
    }

    /** An open object or array, with the lines of its plain values. */
    private static final class Level {
        private final boolean isArray;
        private final int line;
        private final StringBuilder values = new StringBuilder();
        private @Nullable String field;

        Level(boolean isArray, int line) {
            this.isArray = isArray;
            this.line = line;
        }

        String name() {
            return field == null ? "" : field;
        }
    }

    public static void extract(String text, BlockWriter out) {
        var extractor = new JsonExtractor(out);
        try (var parser = FACTORY.createParser(tools.jackson.core.ObjectReadContext.empty(), text)) {
            while (parser.nextToken() != null) {
                extractor.take(parser);
            }
        } catch (JacksonException e) {
            var at = e.getLocation() == null
                    ? null
                    : "line %d, column %d"
                            .formatted(
                                    e.getLocation().getLineNr(), e.getLocation().getColumnNr());
            throw Rejection.damaged("it is not well-formed JSON", at);
        }
    }

    private void take(JsonParser parser) {
        var token = parser.currentToken();
        if (levels.isEmpty() && !token.isStructStart()) {
            throw Rejection.damaged("something follows the end of the JSON", position(parser));
        }
        switch (token) {
            case START_OBJECT, START_ARRAY -> begin(parser, token == JsonToken.START_ARRAY);
            case PROPERTY_NAME -> levels.element().field = parser.currentName();
            case END_OBJECT, END_ARRAY -> end();
            default -> value(parser.getString());
        }
    }

    private static String position(JsonParser parser) {
        return "line " + parser.currentTokenLocation().getLineNr();
    }

    private void begin(JsonParser parser, boolean isArray) {
        if (levels.size() >= Bounds.DEPTH) {
            throw Rejection.damaged("it is nested deeper than %d levels".formatted(Bounds.DEPTH), position(parser));
        }
        if (!levels.isEmpty()) {
            var outer = levels.element();
            if (!outer.isArray && levels.size() <= HEADINGS) {
                flush(outer);
                out.add(BlockKind.HEADING, levels.size(), outer.name(), position(parser));
            }
        }
        levels.push(new Level(isArray, parser.currentTokenLocation().getLineNr()));
    }

    private void value(String value) {
        var level = levels.element();
        if (!value.isBlank()) {
            level.values
                    .append(level.values.isEmpty() ? "" : level.isArray ? ", " : "; ")
                    .append(level.isArray ? "" : level.name() + ": ")
                    .append(value);
        }
        if (level.values.length() > Bounds.BLOCK) {
            flush(level);
        }
    }

    /** Ends a level. An array of plain values belongs to the line of its name. */
    private void end() {
        var level = levels.pop();
        var outer = levels.peek();
        if (level.isArray && outer != null && !outer.isArray && levels.size() > HEADINGS && !level.values.isEmpty()) {
            outer.values
                    .append(outer.values.isEmpty() ? "" : "; ")
                    .append(outer.name())
                    .append(": ")
                    .append(level.values);
        } else {
            flush(level);
        }
    }

    private void flush(Level level) {
        var inner = levels.size() > HEADINGS && levels.peek() != null && !levels.element().isArray
                ? levels.element().name() + ": "
                : "";
        if (!level.values.isEmpty()) {
            out.add(BlockKind.PARAGRAPH, 0, inner + level.values, "line " + level.line);
            level.values.setLength(0);
        }
    }
}

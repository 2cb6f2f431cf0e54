package io.agentworkspace.engine.memory.documents.extract;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.agentworkspace.engine.memory.documents.conversation.SpokenLines;
import io.agentworkspace.engine.memory.documents.conversation.Turn;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A block of a document's structure.
 *
 * @param level of a heading, from 1; the depth of a list item, from 1; otherwise 0
 * @param position in the file, such as {@code page 3} or {@code line 12}
 * @param language of code, if its fence names it
 * @param turn who said it, and when, in a conversation
 */
public record Block(
        BlockKind kind,
        int level,
        String text,
        String position,
        @Nullable String language,
        @Nullable Turn turn) {
    public Block(BlockKind kind, int level, String text, String position) {
        this(kind, level, text, position, null, null);
    }

    public Block(BlockKind kind, int level, String text, String position, @Nullable String language) {
        this(kind, level, text, position, language, null);
    }

    /** The kind of a block. */
    public enum BlockKind {
        HEADING,
        PARAGRAPH,
        ITEM,
        /** The first row of a table. */
        HEADER,
        ROW,
        CODE,
        /** What somebody said in a conversation. */
        TURN;

        /** Returns whether its line breaks matter. */
        boolean keepsLines() {
            return this == CODE || this == TURN;
        }

        @JsonValue
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        @JsonCreator
        public static BlockKind of(String word) {
            return valueOf(word.toUpperCase(Locale.ROOT));
        }
    }

    /** Returns the block for a reader, with Markdown marks. */
    public String rendered() {
        return switch (kind) {
            case HEADING -> "#".repeat(Math.clamp(level, 1, 6)) + " " + text;
            case ITEM -> "  ".repeat(Math.clamp(level - 1, 0, 8)) + "- " + text;
            case CODE -> fenced();
            case TURN -> said();
            case PARAGRAPH, HEADER, ROW -> text;
        };
    }

    private String said() {
        var who = Objects.requireNonNull(turn);
        return (who.time() == null ? "" : "[" + who.time() + "] ") + who.speaker() + ": "
                + SpokenLines.escaped(text, who.speaker());
    }

    private String fenced() {
        var fence = new StringBuilder("```");
        while (text.contains(fence)) {
            fence.append('`');
        }
        return "%s%s\n%s\n%s".formatted(fence, language == null ? "" : language, text, fence);
    }

    /** Returns whether it follows the other block without an empty line between them. */
    public boolean continues(Block before) {
        return kind == BlockKind.ITEM && before.kind == BlockKind.ITEM
                || kind == BlockKind.ROW && (before.kind == BlockKind.ROW || before.kind == BlockKind.HEADER);
    }
}

package io.agentworkspace.engine.memory.documents.extract;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A block of a document's structure.
 *
 * @param level of a heading, from 1; the depth of a list item, from 1; otherwise 0
 * @param position in the file, such as {@code page 3} or {@code line 12}
 * @param language of code, if its fence names it
 */
public record Block(
        BlockKind kind,
        int level,
        String text,
        String position,
        @Nullable String language) {
    public Block(BlockKind kind, int level, String text, String position) {
        this(kind, level, text, position, null);
    }

    /** The kind of a block. */
    public enum BlockKind {
        HEADING,
        PARAGRAPH,
        ITEM,
        /** The first row of a table. */
        HEADER,
        ROW,
        CODE;

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
            case PARAGRAPH, HEADER, ROW -> text;
        };
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

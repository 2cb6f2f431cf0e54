package io.agentworkspace.engine.documents.extract;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/**
 * One piece of a document's structure.
 *
 * @param level of a heading, from 1; how deep an item of a list is, from 1; otherwise 0
 * @param position where it is in the file, such as {@code page 3} or {@code line 12}
 */
public record Block(Kind kind, int level, String text, String position) {
    /** What a block is. */
    public enum Kind {
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
        public static Kind of(String word) {
            return valueOf(word.toUpperCase(Locale.ROOT));
        }
    }

    /** As it is shown to a reader, with marks as in Markdown. */
    public String rendered() {
        return switch (kind) {
            case HEADING -> "#".repeat(Math.clamp(level, 1, 6)) + " " + text;
            case ITEM -> "  ".repeat(Math.clamp(level - 1, 0, 8)) + "- " + text;
            case PARAGRAPH, HEADER, ROW, CODE -> text;
        };
    }

    /** Whether it follows the other without an empty line between. */
    public boolean continues(Block before) {
        return kind == Kind.ITEM && before.kind == Kind.ITEM
                || kind == Kind.ROW && (before.kind == Kind.ROW || before.kind == Kind.HEADER);
    }
}

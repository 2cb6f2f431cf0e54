package io.agentworkspace.engine.memory.documents.extract;

import io.agentworkspace.engine.memory.documents.conversation.SaidText;
import io.agentworkspace.engine.memory.documents.conversation.Turn;
import io.agentworkspace.engine.memory.documents.extract.Block.BlockKind;
import io.agentworkspace.engine.model.document.DocumentReason.Code;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects the blocks of a document within {@link Bounds}. It cleans their text and drops empty ones. */
public final class BlockWriter {
    private static final int LONGEST_LANGUAGE = 40;
    private static final int LONGEST_PLACE = 100;

    private final List<Block> blocks = new ArrayList<>();
    private final boolean wantsComments;
    private long characters;
    private long turns;
    private String prefix = "";
    private int outerLevels;

    /** @param wantsComments whether readers' comments are part of the text */
    public BlockWriter(boolean wantsComments) {
        this.wantsComments = wantsComments;
    }

    public boolean wantsComments() {
        return wantsComments;
    }

    /** Adds a comment, if comments are wanted. */
    public void addComment(String author, String text, String position) {
        if (wantsComments && !text.isBlank()) {
            var by = author.isBlank() ? "Comment" : "Comment by " + author;
            add(BlockKind.PARAGRAPH, 0, by + ": " + text, position);
        }
    }

    /**
     * Runs what writes a part of the document, such as an attachment.
     *
     * @param place before the positions in the part
     * @param levels of headings around the part
     */
    public void within(String place, int levels, Runnable part) {
        var outerPrefix = prefix;
        prefix += place(place) + ", ";
        outerLevels += levels;
        try {
            part.run();
        } finally {
            prefix = outerPrefix;
            outerLevels -= levels;
        }
    }

    /** Returns a position in the part that is written, as one in the document; null if it is the whole document. */
    public @Nullable String placed(@Nullable String position) {
        return position != null
                ? prefix + position
                : prefix.isEmpty() ? null : prefix.substring(0, prefix.length() - 2);
    }

    public void add(BlockKind kind, int level, String text, String position) {
        add(kind, level, text, position, null);
    }

    /** @param language that a fence names, or nothing */
    public void addCode(String text, @Nullable String language, String position) {
        var word = language == null ? "" : language.strip().split("[\\s`~]", 2)[0];
        add(BlockKind.CODE, 0, text, position, word.isEmpty() || word.length() > LONGEST_LANGUAGE ? null : word);
    }

    /** Returns how many turns of conversations were added. */
    public long turns() {
        return turns;
    }

    /** Adds the turns of a conversation, with a heading for each session. */
    public void addConversation(List<SaidText> turns) {
        String session = null;
        for (var said : turns) {
            var turn = said.turn();
            var its = turn.session() == null ? null : clean(BlockKind.PARAGRAPH, turn.session());
            if (its != null && !its.equals(session)) {
                add(BlockKind.HEADING, 1, its, said.position());
            }
            session = its;
            var speaker = clean(BlockKind.PARAGRAPH, turn.speaker());
            var before = blocks.size();
            add(BlockKind.TURN, 0, said.text(), said.position(), null, new Turn(speaker, turn.time(), session));
            this.turns += blocks.size() > before ? 1 : 0;
        }
    }

    private void add(BlockKind kind, int level, String text, String position, @Nullable String language) {
        add(kind, level, text, position, language, null);
    }

    private void add(
            BlockKind kind, int level, String text, String position, @Nullable String language, @Nullable Turn turn) {
        var clean = clean(kind, text);
        if (clean.isBlank()) {
            return;
        }
        for (var from = 0; from < clean.length(); ) {
            var to = end(clean, from, kind == BlockKind.CODE ? '\n' : ' ');
            put(new Block(
                    kind,
                    kind == BlockKind.HEADING ? outerLevels + level : level,
                    clean.substring(from, to),
                    prefix + position,
                    language,
                    turn));
            from = to;
        }
    }

    private void put(Block block) {
        blocks.add(block);
        characters += block.text().length();
        if (isFull()) {
            throw tooLarge(block.position());
        }
    }

    /** Returns whether the whole document has more text than it may have, not only a part of it. */
    public boolean isFull() {
        return characters > Bounds.CHARACTERS || blocks.size() > Bounds.BLOCKS;
    }

    /** Refuses a text that is too long before it is put together. */
    public static void checkLength(long characters, String position) {
        if (characters > Bounds.CHARACTERS) {
            throw tooLarge(position);
        }
    }

    private static Rejection tooLarge(String position) {
        return new Rejection(
                Code.TOO_LARGE,
                "it has more text than one document may have: at most %,d characters in %,d paragraphs, items and rows; split it"
                        .formatted(Bounds.CHARACTERS, Bounds.BLOCKS),
                position);
    }

    /** Returns a name for positions, which each block has: cleaned, and cut after 100 characters. */
    public static String place(String name) {
        var clean = clean(BlockKind.PARAGRAPH, name);
        if (clean.length() <= LONGEST_PLACE) {
            return clean;
        }
        var to = Character.isHighSurrogate(clean.charAt(LONGEST_PLACE - 1)) ? LONGEST_PLACE - 1 : LONGEST_PLACE;
        return clean.substring(0, to) + "…";
    }

    private static int end(String text, int from, char between) {
        if (text.length() - from <= Bounds.BLOCK) {
            return text.length();
        }
        var to = from + Bounds.BLOCK;
        var space = text.lastIndexOf(between, to);
        if (space > from + Bounds.BLOCK / 2) {
            return space;
        }
        return Character.isHighSurrogate(text.charAt(to - 1)) ? to - 1 : to;
    }

    /** Returns the text in NFC, without invisible characters and those that the database cannot store. */
    private static String clean(BlockKind kind, String text) {
        var plain = new StringBuilder(text.length());
        var blank = false;
        for (var i = 0; i < text.length(); ) {
            var c = text.codePointAt(i);
            i += Character.charCount(c);
            if (isDropped(c)) {
                continue;
            }
            var isSpace = Character.isWhitespace(c) || Character.isSpaceChar(c);
            if (kind.keepsLines()) {
                plain.appendCodePoint(isSpace && c != '\n' && c != '\t' ? ' ' : c);
            } else if (!isSpace) {
                if (blank && !plain.isEmpty()) {
                    plain.append(' ');
                }
                plain.appendCodePoint(c);
            }
            blank = isSpace;
        }
        var normal = Normalizer.normalize(plain, Normalizer.Form.NFC);
        return kind.keepsLines() ? normal.stripTrailing() : normal;
    }

    private static boolean isDropped(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL -> !Character.isWhitespace(c);
            case Character.SURROGATE, Character.UNASSIGNED -> true;
            case Character.FORMAT -> c != 0x200C && c != 0x200D; // The joiners, which some scripts need.
            default -> false;
        };
    }

    public List<Block> blocks() {
        return blocks;
    }

    public boolean isEmpty() {
        return blocks.isEmpty();
    }
}

package io.agentworkspace.engine.memory.documents.load;

import io.agentworkspace.engine.memory.documents.extract.Block;
import io.agentworkspace.engine.memory.documents.extract.Block.BlockKind;
import java.text.BreakIterator;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Splits a document by its structure: at headings, between paragraphs, between the rows of a table, and within a
 * paragraph only if it is too long. The content of a piece decides where it ends, not its position. A change of the
 * document therefore changes only the pieces around it.
 */
final class Splitter {
    /** The tokens after which a piece may end. */
    private static final int ENOUGH = 300;

    /** The maximum tokens of a piece, besides its headings. */
    private static final int MOST = 500;

    /** A shorter section shares a piece with the next one. */
    private static final int SHORT = 150;

    /** The tokens that both parts of a split paragraph contain. */
    private static final int OVERLAP = 40;

    /** A piece may end at one of this many paragraphs. */
    private static final int ONE_IN = 3;

    private final List<Piece> pieces = new ArrayList<>();
    private final List<Block> path = new ArrayList<>();
    private final List<Block> current = new ArrayList<>();
    private String context = "";
    private @Nullable Block header;
    /** A heading with nothing below it so far, which is in no piece. */
    private @Nullable Block bare;

    private int tokens;

    private Splitter() {}

    /** Returns the pieces in order. */
    public static List<Piece> split(List<Block> blocks) {
        var splitter = new Splitter();
        blocks.forEach(splitter::take);
        splitter.keepBare(1);
        splitter.end();
        return splitter.pieces;
    }

    private void take(Block block) {
        if (block.kind() != BlockKind.HEADING) {
            bare = null; // It is among the headings of what follows.
        }
        switch (block.kind()) {
            case HEADING -> heading(block);
            case HEADER -> {
                end();
                header = block;
                add(block);
            }
            case ROW -> row(block);
            case PARAGRAPH, ITEM, CODE -> words(block);
            case TURN -> turn(block);
        }
    }

    /** A heading without anything below it is content: an outline has nothing else. */
    private void keepBare(int level) {
        var heading = bare;
        bare = null;
        if (heading != null && heading.level() >= level) {
            path.remove(heading);
            words(heading);
        }
    }

    private void heading(Block block) {
        keepBare(block.level());
        header = null;
        var isShort = tokens < SHORT && (tokens == 0 || !mayEnd(block));
        var isBelow = !current.isEmpty() && isBelow(block);
        if (!isShort || !isBelow) {
            end();
        }
        path.removeIf(outer -> outer.level() >= block.level());
        path.add(block);
        if (current.isEmpty()) {
            bare = block;
        } else {
            add(block);
        }
    }

    /** Returns whether this heading is deeper than the outermost heading of the piece. */
    private boolean isBelow(Block heading) {
        var first = path.isEmpty() ? 0 : path.getFirst().level();
        return heading.level() > first;
    }

    private void row(Block block) {
        if (header == null && !current.isEmpty() && current.getLast().kind() != BlockKind.ROW) {
            end();
        }
        var size = Tokens.of(block.text());
        if (tokens + size > MOST && holdsRows()) {
            end();
        }
        if (current.isEmpty() && header != null) {
            add(header);
        }
        if (size > MOST) {
            end();
            cut(block);
            return;
        }
        add(block);
        endIfEnough(block);
    }

    private boolean holdsRows() {
        return current.stream().anyMatch(block -> block.kind() == BlockKind.ROW);
    }

    private void words(Block block) {
        if (header != null) {
            end();
            header = null;
        }
        var size = Tokens.of(block.text());
        if (tokens + size > MOST) {
            end();
        }
        if (size > MOST) {
            cut(block);
        } else {
            add(block);
            endIfEnough(block);
        }
    }

    /** A turn is a piece, and a long one several: none has another turn in it, since each has its own speaker and time. */
    private void turn(Block block) {
        end();
        header = null;
        var turn = Objects.requireNonNull(block.turn());
        var parts = Tokens.of(block.text()) <= MOST ? List.of(block.text()) : parts(block.text());
        for (var part : parts) {
            pieces.add(new Piece(turn.speaker() + ": " + part.strip(), block.position(), turn));
        }
    }

    private void add(Block block) {
        if (current.isEmpty()) {
            context = String.join(" > ", path.stream().map(Block::text).toList());
        }
        current.add(block);
        tokens += Tokens.of(block.text());
    }

    private void endIfEnough(Block block) {
        if (tokens >= ENOUGH && mayEnd(block)) {
            end();
        }
    }

    private static boolean mayEnd(Block block) {
        return Math.floorMod(block.text().hashCode(), ONE_IN) == 0;
    }

    /** Splits a paragraph by sentences. Each part begins with the end of the one before. */
    private void cut(Block block) {
        if (block.kind() == BlockKind.CODE) {
            cutCode(block);
            return;
        }
        parts(block.text()).forEach(part -> put(block, part));
    }

    private static List<String> parts(String text) {
        var parts = new ArrayList<String>();
        var part = new StringBuilder();
        var before = "";
        for (var sentence : sentences(text)) {
            if (!part.isEmpty() && Tokens.of(part.toString()) + Tokens.of(sentence) > MOST - OVERLAP) {
                parts.add(part.toString());
                part = new StringBuilder(tail(before));
            }
            part.append(sentence);
            before = part.toString();
        }
        parts.add(part.toString());
        return parts;
    }

    /** Splits code between its lines. Each part gets fences of its own. */
    private void cutCode(Block block) {
        var part = new StringBuilder();
        for (var line : block.text().split("(?<=\n)")) {
            var pieces = new ArrayList<String>();
            addPieces(line, pieces);
            for (var piece : pieces) {
                if (!part.isEmpty() && Tokens.of(part.toString()) + Tokens.of(piece) > MOST) {
                    put(block, part.toString());
                    part.setLength(0);
                }
                part.append(piece);
            }
        }
        put(block, part.toString());
    }

    private void put(Block block, String text) {
        var clean = block.kind() == BlockKind.CODE ? text.stripTrailing() : text.strip();
        if (!clean.isBlank()) {
            add(new Block(block.kind(), block.level(), clean, block.position(), block.language()));
            end();
        }
    }

    /** Returns the last whole words. */
    private static String tail(String text) {
        var from = text.length();
        while (from > 0 && Tokens.of(text.substring(from - 1)) <= OVERLAP) {
            from--;
        }
        var space = text.indexOf(' ', from);
        var start = space >= 0 && space < text.length() - 1 ? space + 1 : from;
        return Character.isLowSurrogate(text.charAt(Math.min(start, text.length() - 1)))
                ? text.substring(start + 1)
                : text.substring(start);
    }

    private static List<String> sentences(String text) {
        var sentences = new ArrayList<String>();
        var breaks = BreakIterator.getSentenceInstance(Locale.ROOT);
        breaks.setText(text);
        var from = breaks.first();
        for (var to = breaks.next(); to != BreakIterator.DONE; to = breaks.next()) {
            addPieces(text.substring(from, to), sentences);
            from = to;
        }
        return sentences;
    }

    /** Adds a sentence in pieces. Without full stops, a sentence may be longer than a piece. */
    private static void addPieces(String sentence, List<String> to) {
        var most = Tokens.of(sentence) * 4 > sentence.length() * 2 ? MOST / 4 : MOST;
        for (var from = 0; from < sentence.length(); ) {
            var end = Math.min(sentence.length(), from + most);
            var space = end < sentence.length() ? sentence.lastIndexOf(' ', end) : -1;
            end = space > from ? space + 1 : end;
            if (end < sentence.length() && Character.isHighSurrogate(sentence.charAt(end - 1))) {
                end++;
            }
            to.add(sentence.substring(from, end));
            from = end;
        }
    }

    private void end() {
        var hasWords = current.stream().anyMatch(block -> block.kind() != BlockKind.HEADING && block != header);
        if (hasWords || !current.isEmpty() && header == null) {
            pieces.add(new Piece(text(), position()));
        } else if (header != null && !current.isEmpty() && pieces.stream().noneMatch(this::isOfTable)) {
            pieces.add(new Piece(text(), position())); // A table with only a header.
        }
        current.clear();
        tokens = 0;
    }

    private boolean isOfTable(Piece piece) {
        return header != null && piece.text().contains(header.text());
    }

    private String text() {
        var text = new StringBuilder(context);
        Block before = null;
        for (var block : current) {
            if (!text.isEmpty()) {
                text.append(before != null && block.continues(before) ? "\n" : "\n\n");
            }
            text.append(block.rendered());
            before = block;
        }
        return text.toString();
    }

    private String position() {
        var first = current.getFirst().position();
        var last = current.getLast().position();
        return first.equals(last) ? first : first + " – " + last;
    }
}

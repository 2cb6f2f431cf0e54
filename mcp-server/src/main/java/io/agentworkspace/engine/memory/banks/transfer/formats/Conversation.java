package io.agentworkspace.engine.memory.banks.transfer.formats;

import io.agentworkspace.engine.memory.banks.transfer.source.Place;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.text.StorableText;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Writes a conversation as Markdown: a heading with its title, and for each turn a paragraph that begins with its time
 * and its speaker, as in {@code [2026-05-03T10:00:00Z] User: }.
 */
final class Conversation {
    /** The maximum number of characters of a document. A longer conversation becomes several. */
    static final int MOST = 500_000;

    private static final int LONGEST_TITLE = 200;

    /** A line that would be read as a heading of the document or as HTML. */
    private static final Pattern STRUCTURE = Pattern.compile(" {0,3}(#{1,6}([ \\t].*|)|(=+|-+)[ \\t]*|<.*)");

    /** A line that would be read as the beginning of a turn, wherever it is. */
    private static final Pattern TURN =
            Pattern.compile("\\s*(\\[\\d{4}-\\d{2}-\\d{2}T.*|(?i:user|human|assistant|agent|system|tool): .*)");

    /** The beginning of code (CommonMark 0.31, section 4.5). */
    private static final Pattern FENCE = Pattern.compile(" {0,3}(```+(?=[^`]*$)|~~~+).*");

    private final String product;
    private final String title;
    private final String id;
    private final Place place;
    private final StringBuilder text = new StringBuilder();
    private int turns;
    private int part = 1;

    /** @param id what makes it unique among the conversations of the product */
    Conversation(String product, String title, String id, Place place) {
        this.product = product;
        this.title =
                Excerpt.cut(StorableText.replaced(title).replaceAll("\\s+", " ").strip(), LONGEST_TITLE);
        this.id = id;
        this.place = place;
    }

    void turn(@Nullable Instant at, String speaker, String raw, Records out) {
        var said = plain(StorableText.replaced(raw).strip(), speaker);
        for (var rest = said; !rest.isEmpty(); ) {
            var piece = Excerpt.cut(rest, MOST / 2);
            if (text.length() + piece.length() > MOST) {
                end(out);
                part++;
            }
            if (text.isEmpty()) {
                text.append("# ").append(title.isEmpty() ? product + " conversation" : title);
            }
            text.append("\n\n");
            if (at != null) {
                text.append('[').append(at.truncatedTo(ChronoUnit.SECONDS)).append("] ");
            }
            text.append(speaker).append(": ").append(piece);
            turns++;
            rest = rest.substring(piece.length()).stripLeading();
        }
    }

    /** Returns what was said, so that none of its lines is read as a part of the document or as another turn. */
    private static String plain(String said, String speaker) {
        var plain = new StringBuilder();
        var fence = "";
        for (var line : said.lines().toList()) {
            var isTurn = TURN.matcher(line).matches() || line.stripLeading().startsWith(speaker + ": ");
            if (isTurn || fence.isEmpty() && STRUCTURE.matcher(line).matches()) {
                plain.append('\\').append(line.stripLeading());
            } else {
                plain.append(line);
            }
            plain.append('\n');
            fence = fence(line, fence);
        }
        return fence.isEmpty() ? plain.toString().strip() : plain + fence;
    }

    /** Returns the fence that is open after the line; an empty text if none is. */
    private static String fence(String line, String open) {
        if (open.isEmpty()) {
            var begin = FENCE.matcher(line);
            return begin.matches() ? begin.group(1) : "";
        }
        var end = line.strip();
        var isEnd = end.startsWith(open) && end.chars().allMatch(sign -> sign == open.charAt(0));
        return isEnd ? "" : open;
    }

    /** Adds what was said to the records; nothing if nobody said anything. */
    void end(Records out) {
        if (turns > 0) {
            out.document(
                    new ImportedDocument(Labels.documentName(product, title, id, part), text + "\n", turns, place));
        } else if (part == 1) {
            out.leaveOut("a conversation in which nothing was said was left out", place);
        }
        text.setLength(0);
        turns = 0;
    }
}

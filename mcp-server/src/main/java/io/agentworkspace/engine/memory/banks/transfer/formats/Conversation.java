package io.agentworkspace.engine.memory.banks.transfer.formats;

import io.agentworkspace.engine.memory.banks.transfer.source.Place;
import io.agentworkspace.engine.memory.documents.conversation.SpokenLines;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.text.StorableText;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * Writes a conversation as Markdown: a heading with its title, and for each turn a paragraph that begins with its time
 * and its speaker, as in {@code [2026-05-03T10:00:00Z] User: }.
 */
final class Conversation {
    /** The maximum number of characters of a document. A longer conversation becomes several. */
    static final int MOST = 500_000;

    private static final int LONGEST_TITLE = 200;

    private final String product;
    private final String title;
    private final String unique;
    private final String id;
    private final Place place;
    private final StringBuilder text = new StringBuilder();

    /** The length of the heading, which does not count: a title that changes moves no turn to another part. */
    private int heading;

    private int turns;
    private int part = 1;

    /**
     * @param id its id in the product; an empty text if it has none
     * @param otherwise what then tells it from others with the same title
     */
    Conversation(String product, String title, String id, String otherwise, Place place) {
        this.product = product;
        this.title =
                Excerpt.cut(StorableText.replaced(title).replaceAll("\\s+", " ").strip(), LONGEST_TITLE);
        this.id = id;
        this.unique = id.isBlank() ? otherwise : id;
        this.place = place;
    }

    void turn(@Nullable Instant at, String speaker, String raw, Records out) {
        var said = SpokenLines.escaped(StorableText.replaced(raw).strip(), speaker);
        for (var rest = said; !rest.isEmpty(); ) {
            var piece = Excerpt.cut(rest, MOST / 2);
            if (text.length() - heading + piece.length() > MOST) {
                end(out);
                part++;
            }
            if (text.isEmpty()) {
                text.append("# ").append(title.isEmpty() ? product + " conversation" : title);
                heading = text.length();
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

    /** Adds what was said to the records; nothing if nobody said anything. */
    void end(Records out) {
        if (turns > 0) {
            out.document(new ImportedDocument(
                    Labels.documentName(product, title, unique, part),
                    Labels.origin(product, id, part),
                    text + "\n",
                    turns,
                    place));
        } else if (part == 1) {
            out.leaveOut("a conversation in which nothing was said was left out", place);
        }
        text.setLength(0);
        turns = 0;
    }
}

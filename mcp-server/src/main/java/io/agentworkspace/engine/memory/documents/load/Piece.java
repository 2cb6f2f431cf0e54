package io.agentworkspace.engine.memory.documents.load;

import io.agentworkspace.engine.memory.documents.conversation.Turn;
import io.agentworkspace.engine.model.text.Sha256;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A piece of a document's text, which becomes a memory.
 *
 * @param text with the headings above it in the first line
 * @param position in the file
 * @param turn who said it, and when, in a conversation
 */
public record Piece(String text, String position, @Nullable Turn turn) {
    Piece(String text, String position) {
        this(text, position, null);
    }

    /** Returns the digest by which pieces of different versions are compared. A turn is the same one in a session with another title. */
    public String digest() {
        var content = turn == null ? text : text + "\n" + turn.time();
        return Sha256.hex(content.getBytes(StandardCharsets.UTF_8));
    }
}

package io.agentworkspace.engine.memory.documents.load;

import io.agentworkspace.engine.model.text.Sha256;
import java.nio.charset.StandardCharsets;

/**
 * A piece of a document's text, which becomes a memory.
 *
 * @param text with the headings above it in the first line
 * @param position in the file
 */
public record Piece(String text, String position) {
    /** Returns the digest by which pieces of different versions are compared. */
    public String digest() {
        return Sha256.hex(text.getBytes(StandardCharsets.UTF_8));
    }
}

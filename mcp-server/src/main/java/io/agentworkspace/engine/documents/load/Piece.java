package io.agentworkspace.engine.documents.load;

import io.agentworkspace.engine.model.text.Sha256;
import java.nio.charset.StandardCharsets;

/**
 * A piece of a document's text, as a memory has it.
 *
 * @param text with the headings that it stands under in the first line
 * @param position where it is in the file
 */
public record Piece(String text, String position) {
    /** What tells whether it is the same as a piece of another version. */
    public String digest() {
        return Sha256.hex(text.getBytes(StandardCharsets.UTF_8));
    }
}

package io.agentworkspace.engine.kernel.wire;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/** Decodes a mirrored header: plain text, or {@code =?base64?…?=} for text that a header cannot contain. */
public final class EncodedHeader {
    private static final String BEGIN = "=?base64?";
    private static final String END = "?=";

    private EncodedHeader() {}

    /** Returns the decoded value. Empty if the encoding is invalid. */
    public static Optional<String> decode(String header) {
        var text = header.strip();
        if (!text.startsWith(BEGIN) || !text.endsWith(END) || text.length() < BEGIN.length() + END.length()) {
            return Optional.of(text);
        }
        var encoded = text.substring(BEGIN.length(), text.length() - END.length());
        try {
            var bytes = Base64.getDecoder().decode(encoded);
            if (!Base64.getEncoder().encodeToString(bytes).equals(encoded)) {
                return Optional.empty();
            }
            return Optional.of(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString());
        } catch (IllegalArgumentException | CharacterCodingException e) {
            return Optional.empty();
        }
    }
}

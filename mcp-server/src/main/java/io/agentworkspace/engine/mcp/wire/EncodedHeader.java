package io.agentworkspace.engine.mcp.wire;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/** A value in a mirrored header: as it is, or {@code =?base64?…?=} where it could not stand in a header. */
public final class EncodedHeader {
    private static final String BEGIN = "=?base64?";
    private static final String END = "?=";

    private EncodedHeader() {}

    /** The value meant; empty when the encoding is broken. */
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

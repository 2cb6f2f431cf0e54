package io.agentworkspace.engine.memory.banks.transfer.source;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Decodes files of unknown origin. */
public final class Utf8 {
    private Utf8() {}

    /** Returns the text, without a byte order mark; null if the bytes are not UTF-8 or contain a NUL. */
    public static @Nullable String decoded(byte[] bytes) {
        try {
            var text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return text.indexOf('\0') >= 0 ? null : text.startsWith("\uFEFF") ? text.substring(1) : text;
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}

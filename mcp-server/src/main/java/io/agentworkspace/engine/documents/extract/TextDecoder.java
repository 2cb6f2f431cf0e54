package io.agentworkspace.engine.documents.extract;

import io.agentworkspace.engine.model.document.DocumentReason.Code;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import org.apache.tika.parser.txt.CharsetDetector;
import org.jspecify.annotations.Nullable;

/** Decodes text: by its byte order mark, as UTF-8 if it is valid, else in the encoding that Tika finds most likely. */
final class TextDecoder {
    /** The confidence of Tika, in percent, below which bytes do not count as text. */
    private static final int LEAST = 10;

    private static final int SAMPLE = 64 * 1024;

    private TextDecoder() {}

    private record Mark(Charset charset, int... bytes) {
        boolean begins(byte[] file) {
            return file.length >= bytes.length
                    && java.util.stream.IntStream.range(0, bytes.length).allMatch(i -> (file[i] & 0xFF) == bytes[i]);
        }
    }

    private static final Mark[] MARKS = {
        new Mark(StandardCharsets.UTF_8, 0xEF, 0xBB, 0xBF),
        new Mark(StandardCharsets.UTF_32LE, 0xFF, 0xFE, 0, 0),
        new Mark(StandardCharsets.UTF_32BE, 0, 0, 0xFE, 0xFF),
        new Mark(StandardCharsets.UTF_16LE, 0xFF, 0xFE),
        new Mark(StandardCharsets.UTF_16BE, 0xFE, 0xFF)
    };

    /** Returns whether the file begins with a byte order mark, or has the zeros of UTF-16 without one. */
    static boolean isWide(byte[] file) {
        return Arrays.stream(MARKS).anyMatch(mark -> mark.begins(file)) || wide(file) != null;
    }

    /**
     * @param declared the encoding that the text itself declares, as HTML can
     * @throws Rejection {@code encoding}
     */
    static String decode(byte[] file, @Nullable Charset declared) {
        for (var mark : MARKS) {
            if (mark.begins(file)) {
                return strictly(file, mark.bytes().length, mark.charset());
            }
        }
        var wide = wide(file);
        if (wide != null) {
            return strictly(file, 0, wide);
        }
        var utf8 = tried(file, 0, StandardCharsets.UTF_8);
        if (utf8.isPresent()) {
            return utf8.get();
        } else if (declared != null) {
            return strictly(file, 0, declared);
        }
        return strictly(file, 0, likely(file));
    }

    /** Detects UTF-16 without a mark, in which every other byte of mostly Latin text is zero. */
    private static @Nullable Charset wide(byte[] file) {
        var size = Math.min(file.length, 4_096) & ~1;
        var even = 0;
        var odd = 0;
        for (var i = 0; i < size; i += 2) {
            even += file[i] == 0 ? 1 : 0;
            odd += file[i + 1] == 0 ? 1 : 0;
        }
        if (size < 8) {
            return null;
        }
        return odd > size / 4 && even == 0
                ? StandardCharsets.UTF_16LE
                : even > size / 4 && odd == 0 ? StandardCharsets.UTF_16BE : null;
    }

    private static Charset likely(byte[] file) {
        var detector = new CharsetDetector(SAMPLE);
        detector.setText(sample(file));
        for (var match : detector.detectAll()) {
            if (match.getConfidence() >= LEAST && Charset.isSupported(match.getName())) {
                var charset = Charset.forName(match.getName());
                if (tried(file, 0, charset).isPresent()) {
                    return charset;
                }
            }
        }
        throw new Rejection(
                Code.ENCODING,
                "no encoding could be found in which all of it is text; save it as UTF-8",
                "byte " + (firstBad(file, 0, StandardCharsets.UTF_8) + 1));
    }

    /** Returns the text from the first byte that is not ASCII, which is more significant than a long English preface. */
    private static byte[] sample(byte[] file) {
        var first = 0;
        while (first < file.length && file[first] >= 0) {
            first++;
        }
        var from = Math.max(0, Math.min(first - 2_000, file.length - SAMPLE));
        return Arrays.copyOfRange(file, from, Math.min(file.length, from + SAMPLE));
    }

    private static String strictly(byte[] file, int from, Charset charset) {
        return tried(file, from, charset)
                .orElseThrow(() -> new Rejection(
                        Code.ENCODING,
                        "it declares the encoding %s, but has bytes that are not in it; save it as UTF-8"
                                .formatted(charset.name()),
                        "byte " + (firstBad(file, from, charset) + 1)));
    }

    private static Optional<String> tried(byte[] file, int from, Charset charset) {
        try {
            var decoder = charset.newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT);
            return Optional.of(decoder.decode(ByteBuffer.wrap(file, from, file.length - from))
                    .toString());
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }

    private static int firstBad(byte[] file, int from, Charset charset) {
        var bytes = ByteBuffer.wrap(file, from, file.length - from);
        var decoder = charset.newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        var text = CharBuffer.allocate(8_192);
        while (decoder.decode(bytes, text, true).isOverflow()) {
            text.clear();
        }
        return bytes.position();
    }
}

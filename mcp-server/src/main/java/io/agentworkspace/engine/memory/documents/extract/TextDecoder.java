package io.agentworkspace.engine.memory.documents.extract;

import io.agentworkspace.engine.memory.documents.encoding.EncodingDetector;
import io.agentworkspace.engine.model.document.DocumentReason;
import io.agentworkspace.engine.model.document.DocumentReason.Code;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Decodes text: by its byte order mark, by the encoding that it declares, as UTF-8, or in the encoding that
 * {@link EncodingDetector} finds. A text whose encoding is not certain is refused.
 */
public final class TextDecoder {
    private static final Charset ISO_2022_JP = Charset.forName("ISO-2022-JP");

    /** The most bytes of a character in any encoding. */
    private static final int MOST_BYTES = 4;

    private TextDecoder() {}

    /** A text, and the warnings about how it was read. */
    public record DecodedText(String text, List<DocumentReason> warnings) {}

    private record Mark(Charset charset, int... bytes) {
        boolean begins(byte[] file) {
            return file.length >= bytes.length
                    && IntStream.range(0, bytes.length).allMatch(i -> (file[i] & 0xFF) == bytes[i]);
        }
    }

    private static final Mark[] MARKS = {
        new Mark(StandardCharsets.UTF_8, 0xEF, 0xBB, 0xBF),
        new Mark(Charset.forName("UTF-32LE"), 0xFF, 0xFE, 0, 0),
        new Mark(Charset.forName("UTF-32BE"), 0, 0, 0xFE, 0xFF),
        new Mark(StandardCharsets.UTF_16LE, 0xFF, 0xFE),
        new Mark(StandardCharsets.UTF_16BE, 0xFE, 0xFF)
    };

    static boolean hasMark(byte[] file) {
        return Arrays.stream(MARKS).anyMatch(mark -> mark.begins(file));
    }

    /**
     * @param sent the encoding that was sent with the file
     * @throws Rejection {@code encoding}
     */
    public static DecodedText decode(byte[] file, Optional<Charset> sent) {
        for (var mark : MARKS) {
            if (mark.begins(file)) {
                var text = Arrays.copyOfRange(file, mark.bytes().length, file.length);
                return declared(text, mark.charset(), mark.bytes().length);
            }
        }
        if (sent.isPresent()) {
            return declared(file, sent.get(), 0);
        }
        var wide = EncodingDetector.detectWide(file);
        if (wide.isPresent()) {
            return strictly(file, wide.get(), 0);
        }
        var inHead = DeclaredCharset.inHead(file);
        return inHead.isPresent() ? declared(file, inHead.get(), 0) : undeclared(file);
    }

    /** @param offset of the text in the file */
    private static DecodedText declared(byte[] text, Charset charset, int offset) {
        if (charset.equals(StandardCharsets.UTF_8)) {
            var utf8 = Utf8Text.of(text, offset);
            return utf8.isUtf8(true) ? utf8.decoded() : strictly(text, charset, offset);
        }
        // Bytes are valid in any encoding of one byte each, but UTF-8 is hardly ever valid by chance.
        var isNarrow = charset.canEncode() && charset.newEncoder().maxBytesPerChar() == 1;
        var utf8 = isNarrow ? tried(text, StandardCharsets.UTF_8) : Optional.<String>empty();
        if (utf8.isPresent() && utf8.get().length() < text.length) {
            return new DecodedText(
                    utf8.get(),
                    List.of(DocumentReason.of(
                            Code.ENCODING_FAULTS,
                            "a warning: it declares the encoding %s, but was read as UTF-8, in which it is valid; declare UTF-8"
                                    .formatted(charset.name()))));
        }
        return strictly(text, charset, offset);
    }

    private static DecodedText undeclared(byte[] file) {
        var utf8 = Utf8Text.of(file, 0);
        if (utf8.isValid()) {
            var text = utf8.decoded().text();
            if (text.contains("\u001B$") || text.contains("\u001B(")) {
                return strictly(file, ISO_2022_JP, 0);
            } else if (EncodingDetector.isOnlyByChance(file, text)) {
                throw undecided(file);
            }
            return utf8.decoded();
        }
        var found = EncodingDetector.detect(file);
        if (utf8.isUtf8(false) && (utf8.isCertain() || found.isEmpty())) {
            return utf8.decoded();
        }
        return strictly(file, found.orElseThrow(() -> undecided(file)), 0);
    }

    private static Rejection undecided(byte[] file) {
        var at = 0;
        while (at < file.length && file[at] >= 0) {
            at++;
        }
        return new Rejection(
                Code.ENCODING,
                "it is not UTF-8, declares no encoding, and could be text in several; save it as UTF-8, or send it with its charset in media_type, such as text/plain; charset=windows-1252",
                "byte " + (at + 1));
    }

    private static DecodedText strictly(byte[] text, Charset charset, int offset) {
        var whole = tried(text, charset);
        if (whole.isPresent()) {
            return new DecodedText(whole.get(), List.of());
        }
        var bad = firstBad(text, charset);
        return cut(text, charset, bad, offset)
                .orElseThrow(() -> new Rejection(
                        Code.ENCODING,
                        "its encoding is %s, but it has bytes that are not in it; save it as UTF-8"
                                .formatted(charset.name()),
                        "byte " + (bad + offset + 1)));
    }

    /** Returns the text of a file that ends within a character, without that character. */
    private static Optional<DecodedText> cut(byte[] text, Charset charset, int bad, int offset) {
        if (bad == 0 || text.length - bad >= MOST_BYTES) {
            return Optional.empty();
        }
        return tried(Arrays.copyOf(text, bad), charset)
                .filter(read -> read.length() < bad) // It has other characters of several bytes.
                .map(read -> new DecodedText(
                        read + '\uFFFD',
                        List.of(new DocumentReason(
                                Code.ENCODING_FAULTS,
                                "a warning: the file ends within a character; submit the whole file again",
                                "byte " + (bad + offset + 1)))));
    }

    private static Optional<String> tried(byte[] text, Charset charset) {
        try {
            var decoder = charset.newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT);
            return Optional.of(decoder.decode(ByteBuffer.wrap(text)).toString());
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }

    private static int firstBad(byte[] text, Charset charset) {
        var bytes = ByteBuffer.wrap(text);
        var decoder = charset.newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        var decoded = CharBuffer.allocate(8_192);
        while (decoder.decode(bytes, decoded, true).isOverflow()) {
            decoded.clear();
        }
        return bytes.position();
    }
}

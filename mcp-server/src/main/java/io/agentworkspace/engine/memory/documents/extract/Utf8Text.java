package io.agentworkspace.engine.memory.documents.extract;

import io.agentworkspace.engine.memory.documents.extract.TextDecoder.DecodedText;
import io.agentworkspace.engine.model.document.DocumentReason;
import io.agentworkspace.engine.model.document.DocumentReason.Code;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A file read as UTF-8, with the places where it is not.
 *
 * @param faults their offsets in the file
 * @param evidence how many valid characters beyond ASCII it has
 * @param isOnlyCut whether its one fault is an end within a character, which nothing else in it contradicts
 */
record Utf8Text(String text, List<Integer> faults, long evidence, boolean isOnlyCut) {
    /** A file with more faults is damaged, whatever its encoding. */
    private static final int MOST_FAULTS = 20;

    /** So many faults may be in a declared text that has no other characters beyond ASCII. */
    private static final int FEW = 3;

    /** The evidence from which no other encoding is considered: characters of several bytes are hardly ever there by chance. */
    private static final int CERTAIN = 3;

    /** Texts with fewer characters may be in any encoding. */
    private static final int SHORT = 4;

    private static final int NAMED = 5;

    static Utf8Text of(byte[] file, int offset) {
        var decoder = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        var bytes = ByteBuffer.wrap(file);
        var text = CharBuffer.allocate(file.length + 1);
        var faults = new ArrayList<Integer>();
        var cut = 0;
        for (CoderResult result = decoder.decode(bytes, text, true);
                result.isError() && faults.size() <= MOST_FAULTS;
                result = decoder.decode(bytes, text, true)) {
            faults.add(bytes.position() + offset);
            cut = result.length() == bytes.remaining() && (bytes.get(bytes.position()) & 0xFF) >= 0xC2
                    ? result.length()
                    : 0;
            bytes.position(bytes.position() + result.length());
            text.put('\uFFFD');
        }
        var read = text.flip().toString();
        var beyondAscii = read.codePoints()
                .filter(c -> c >= 0x80 && Character.getType(c) != Character.PRIVATE_USE)
                .count();
        var evidence = beyondAscii - faults.size();
        var isOnlyCut = faults.size() == 1 && cut > 0 && evidence + cut > 1 && read.length() >= SHORT;
        return new Utf8Text(read, List.copyOf(faults), evidence, isOnlyCut);
    }

    boolean isValid() {
        return faults.isEmpty();
    }

    /** Returns whether it is UTF-8 with few faults, if any. */
    boolean isUtf8(boolean isDeclared) {
        return faults.size() <= MOST_FAULTS
                && (isOnlyCut || evidence >= 2L * faults.size() || isDeclared && faults.size() <= FEW);
    }

    boolean isCertain() {
        return evidence >= Math.max(CERTAIN, 3L * faults.size());
    }

    DecodedText decoded() {
        return new DecodedText(
                text,
                faults.stream()
                        .limit(NAMED)
                        .map(at -> new DocumentReason(
                                Code.ENCODING_FAULTS,
                                "a warning: bytes that are not UTF-8 were replaced by \uFFFD%s; correct them and submit it again"
                                        .formatted(
                                                faults.size() > NAMED ? " in %d places".formatted(faults.size()) : ""),
                                "byte " + (at + 1)))
                        .toList());
    }
}

package io.agentworkspace.engine.memory.banks.transfer.source;

import io.agentworkspace.engine.model.problem.Problem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Reads lines of UTF-8 that may come from anybody, one at a time. */
public final class LineReader {
    /** The longest line, in bytes. A memory of 64,000 characters fits, however they are escaped. */
    public static final int LONGEST = 1_000_000;

    private final InputStream in;
    private final long most;
    private final int longest;
    private final byte[] read = new byte[64 * 1024];
    private int at;
    private int end;
    private long size;

    /** @param most the maximum size of the file, in bytes */
    public LineReader(InputStream in, long most) {
        this(in, most, LONGEST);
    }

    /** @param longest the maximum size of a line, in bytes */
    LineReader(InputStream in, long most, int longest) {
        this.in = in;
        this.most = most;
        this.longest = longest;
    }

    /**
     * A line without its end.
     *
     * @param fault what is wrong with it; then the text is empty
     */
    public record RawLine(String text, @Nullable String fault) {}

    /** Returns the next line; null after the last one. */
    @Nullable
    public RawLine next() throws IOException {
        var line = new ByteArrayOutputStream();
        var isTooLong = false;
        var isStarted = false;
        while (at < end || fill()) {
            isStarted = true;
            var from = at;
            while (at < end && read[at] != '\n') {
                at++;
            }
            isTooLong |= line.size() + at - from > longest;
            if (!isTooLong) {
                line.write(read, from, at - from);
            }
            if (at < end) {
                at++;
                break;
            }
        }
        return !isStarted ? null : isTooLong ? tooLong() : decoded(line.toByteArray());
    }

    private RawLine tooLong() {
        return new RawLine("", "the line has more than %,d bytes".formatted(longest));
    }

    private static RawLine decoded(byte[] line) {
        try {
            var text = StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(line))
                    .toString();
            return new RawLine(text.startsWith("\uFEFF") ? text.substring(1) : text, null);
        } catch (CharacterCodingException e) {
            return new RawLine("", "the line is not valid UTF-8");
        }
    }

    private boolean fill() throws IOException {
        at = 0;
        end = Math.max(0, in.read(read, 0, read.length));
        size += end;
        if (size > most) {
            throw Problem.tooLarge("the file", size, most, "bytes or more");
        }
        return end > 0;
    }
}

package io.agentworkspace.engine.memory.banks.transfer.source;

import io.agentworkspace.engine.kernel.scheduling.StepAllowance;
import io.agentworkspace.engine.model.json.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Reads the values of a JSON text one at a time: the elements of an array, or values that follow each other, as in JSON
 * lines. A value that cannot be read does not hide the next ones.
 */
public final class JsonValues {
    /** The maximum size of one value, in bytes. */
    static final int MOST = 16 << 20;

    private final InputStream in;
    private final StepAllowance allowance;
    private final byte[] read = new byte[1 << 16];
    private int at;
    private int end;
    private long line = 1;
    private long count;
    private boolean isArray;
    private boolean isStarted;

    /**
     * A value, and where it begins.
     *
     * @param number the number of the element of an array, or the line
     * @param size in bytes
     * @param fault what is wrong with it; then the value is missing
     */
    public record Value(
            long number, JsonNode json, int size, @Nullable String fault) {
        static Value broken(long number, String fault) {
            return new Value(number, Json.object().missingNode(), 0, fault);
        }
    }

    JsonValues(InputStream in, StepAllowance allowance) {
        this.in = in;
        this.allowance = allowance;
    }

    /** Returns the next value; null after the last one. */
    @Nullable
    Value next() throws IOException {
        var first = begin();
        if (!isStarted) {
            isStarted = true;
            isArray = first == '[';
            if (isArray) {
                at++;
                first = begin();
            }
        }
        if (first < 0) {
            return isArray ? ended() : null;
        }
        if (isArray && first == ']') {
            return null;
        }
        var number = isArray ? ++count : line;
        var bytes = new ByteArrayOutputStream();
        var isWhole = first == '{' || first == '[' ? nested(bytes) : scalar(bytes, first);
        if (!isWhole) {
            isArray = false;
            return Value.broken(number, "the file ends before the entry is complete");
        }
        return parsed(number, bytes);
    }

    private Value ended() {
        isArray = false;
        return Value.broken(count + 1, "the file ends before its list is complete");
    }

    private static Value parsed(long number, ByteArrayOutputStream bytes) {
        if (bytes.size() > MOST) {
            return Value.broken(number, "the entry has more than %,d bytes".formatted(MOST));
        }
        try {
            return new Value(number, Json.readForeign(bytes.toByteArray()), bytes.size(), null);
        } catch (IllegalArgumentException e) {
            return Value.broken(number, "the entry " + e.getMessage());
        }
    }

    /** Returns the first byte of what comes next; -1 at the end. */
    private int begin() throws IOException {
        for (var next = peek(); next >= 0; next = peek()) {
            var isBetween = next <= ' ' || next == ',' || next == 0xEF || next == 0xBB || next == 0xBF;
            if (!isBetween) {
                return next;
            }
            take(null);
        }
        return -1;
    }

    private boolean nested(ByteArrayOutputStream into) throws IOException {
        var depth = 0;
        var isText = false;
        for (var next = peek(); next >= 0; next = peek()) {
            take(into);
            if (isText) {
                if (next == '\\' && peek() >= 0) {
                    take(into);
                }
                isText = next != '"';
            } else if (next == '"') {
                isText = true;
            } else if (next == '{' || next == '[') {
                depth++;
            } else if ((next == '}' || next == ']') && --depth == 0) {
                return true;
            }
        }
        return false;
    }

    private boolean scalar(ByteArrayOutputStream into, int first) throws IOException {
        take(into);
        for (var next = peek(); next >= 0; next = peek()) {
            if (first == '"') {
                take(into);
                if (next == '\\' && peek() >= 0) {
                    take(into);
                } else if (next == '"') {
                    return true;
                }
            } else if (next <= ' ' || next == ',' || next == ']' || next == '}') {
                if (next == '}') {
                    take(into);
                }
                return true;
            } else {
                take(into);
            }
        }
        return first != '"';
    }

    private int peek() throws IOException {
        if (at == end) {
            at = 0;
            end = Math.max(0, in.read(read, 0, read.length));
            allowance.take(end);
        }
        return at < end ? read[at] & 0xFF : -1;
    }

    private void take(@Nullable ByteArrayOutputStream into) {
        if (read[at] == '\n') {
            line++;
        }
        if (into != null && into.size() <= MOST) {
            into.write(read[at]);
        }
        at++;
    }
}

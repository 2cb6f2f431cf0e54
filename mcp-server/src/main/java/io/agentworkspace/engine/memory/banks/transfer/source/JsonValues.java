package io.agentworkspace.engine.memory.banks.transfer.source;

import io.agentworkspace.engine.kernel.scheduling.StepAllowance;
import io.agentworkspace.engine.model.json.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Reads the values of a JSON text one at a time: the elements of an array, or values that follow each other, as in JSON
 * lines. A value that cannot be read does not hide the next ones.
 */
public final class JsonValues {
    /** The maximum size of one value, in bytes. */
    static final int MOST = 16 << 20;

    /** The lists of memories that programs wrap in an object. */
    private static final Set<String> LISTS = Set.of(
            "results",
            "memories",
            "facts",
            "edges",
            "nodes",
            "episodes",
            "entities",
            "relations",
            "entity_edges",
            "entity_nodes",
            "episodic_nodes");

    /** A longer array of numbers is an embedding, in bytes: an empty array takes its place. */
    private static final int EMBEDDING = 256;

    private final InputStream in;
    private final StepAllowance allowance;
    private final byte[] read = new byte[1 << 16];
    private int at;
    private int end;
    private long line = 1;
    private long count;
    private boolean isArray;
    private boolean isStarted;
    private boolean isDivided;
    private boolean hasList;
    private @Nullable String list;

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

        /** Returns whether it is refused only for its size. */
        boolean isTooLarge() {
            return fault != null && fault.contains(" has more than ");
        }
    }

    /** A text whose end can be taken back. */
    private static final class Bytes extends ByteArrayOutputStream {
        void truncate(int size) {
            count = size;
        }
    }

    JsonValues(InputStream in, StepAllowance allowance) {
        this.in = in;
        this.allowance = allowance;
    }

    /** Returns a reader of the lists of a large object: each element is a value, as an object with that list. */
    static JsonValues ofLists(InputStream in, StepAllowance allowance) {
        var values = new JsonValues(in, allowance);
        values.isDivided = true;
        return values;
    }

    /** Returns whether the object had one of the lists so far. */
    boolean hasList() {
        return hasList;
    }

    /** Returns the next value; null after the last one. */
    @Nullable
    Value next() throws IOException {
        if (isDivided) {
            return nextOfList();
        }
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
        var bytes = new Bytes();
        var isWhole = first == '{' || first == '[' ? nested(bytes) : scalar(bytes, first);
        if (!isWhole) {
            isArray = false;
            return Value.broken(number, "the file ends before the entry is complete");
        }
        return parsed(number, bytes);
    }

    private @Nullable Value nextOfList() throws IOException {
        if (!isStarted) {
            isStarted = true;
            begin();
            take(null);
        }
        for (var first = begin(); first >= 0 && (list != null || first != '}'); first = begin()) {
            if (list == null) {
                member();
            } else if (first == ']') {
                take(null);
                list = null;
            } else {
                return element(list, first);
            }
        }
        isDivided = false; // What follows are values of their own.
        if (peek() < 0) {
            return ended();
        }
        take(null);
        return next();
    }

    /** Reads a member's name, and its value unless that is one of the lists. */
    private void member() throws IOException {
        var name = new Bytes();
        scalar(name, begin());
        if (begin() == ':') {
            take(null);
        }
        var first = begin();
        var key = name.size() > 100 ? "" : name.toString(StandardCharsets.UTF_8).replace("\"", "");
        if (first == '[' && LISTS.contains(key)) {
            take(null);
            list = key;
            hasList = true;
        } else if (first == '{' || first == '[') {
            nested(new Bytes());
        } else if (first >= 0) {
            scalar(new Bytes(), first);
        }
    }

    private Value element(String of, int first) throws IOException {
        var bytes = new Bytes();
        var number = ++count;
        if (!(first == '{' || first == '[' ? nested(bytes) : scalar(bytes, first))) {
            return Value.broken(number, "the file ends before the entry is complete");
        }
        var value = parsed(number, bytes);
        if (value.fault() != null) {
            return value;
        }
        var wrapped = Json.object();
        wrapped.putArray(of).add(value.json());
        return new Value(number, wrapped, value.size(), null);
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

    private boolean nested(Bytes into) throws IOException {
        var depth = 0;
        var numbers = -1; // Where an array begins that has had only numbers so far.
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
                numbers = -1;
            } else if (next == '{' || next == '[') {
                depth++;
                numbers = next == '[' ? into.size() : -1;
            } else if (next == '}' || next == ']') {
                if (numbers >= 0 && into.size() - numbers > EMBEDDING) {
                    into.truncate(numbers);
                    into.write(']');
                }
                numbers = -1;
                if (--depth == 0) {
                    return true;
                }
            } else if (" \t\r\n,.+-eE0123456789".indexOf(next) < 0) {
                numbers = -1;
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

package io.agentworkspace.engine.model.tool;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.Cuttable;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * How many bytes of JSON a response may still contain, counted as sent. The responses of a batch share one budget.
 * Over MCP a tool's result is sent twice, as an object and as text that contains it; the text escapes each quotation
 * mark and each backslash.
 */
public final class ResponseBudget {
    /** The limit of one response: 1 MiB. */
    public static final int ANSWER = 1024 * 1024;

    /**
     * The least that a call of a batch needs to start. The longest single record fits into it, so no call is refused
     * after it has run.
     */
    public static final int LEAST = 288 * 1024;

    /** Reserved in a batch for the refusals of calls that have less than that. */
    public static final int REFUSALS = 64 * 1024;

    /** The largest archive in base64. */
    private static final int FILE = 32 * 1024 * 1024;

    /** Reserved for what surrounds the records: header, status, limits, the JSON-RPC message. */
    private static final int FRAME = 16 * 1024;

    /** Reserved for each row: its separator, and what a second list repeats of it. */
    private static final int ROW = 256;

    /** The most bytes that a character takes in a response that is sent twice: as an object, and escaped in text. */
    private static final int ESCAPED = 13;

    /** The most bytes of what surrounds a value, and of a number. */
    private static final int VALUE = 12;

    private static final int NUMBER = 80;

    /** For the fields that report a cut. */
    private static final int MARK = 200;

    private final boolean twice;
    private long left;

    private ResponseBudget(boolean twice, long left) {
        this.twice = twice;
        this.left = left;
    }

    /** Returns the budget for a response that is sent once. */
    public static ResponseBudget once() {
        return new ResponseBudget(false, ANSWER);
    }

    /** Returns the budget for a response whose tool result is sent as an object and as text. */
    public static ResponseBudget twice() {
        return new ResponseBudget(true, ANSWER);
    }

    /**
     * Returns the budget for a file that is sent as its own bytes and has its own limit. Only the tool's result is
     * JSON.
     */
    public static ResponseBudget ofFile() {
        return new ResponseBudget(false, FILE);
    }

    /** Returns the room for the records of one call, without what surrounds them. */
    public ResponseBudget forCall() {
        return new ResponseBudget(twice, left - FRAME);
    }

    /** Returns the same room, for records that are sent once. */
    public ResponseBudget sentOnce() {
        return new ResponseBudget(false, left);
    }

    public boolean isTwice() {
        return twice;
    }

    public long left() {
        return left;
    }

    public void spend(long bytes) {
        left -= bytes;
    }

    /** Takes the room for a record that is always shown. */
    public void spend(Object record) {
        left -= cost(record);
    }

    /** Returns how many bytes the value takes in the response. */
    public long cost(Object value) {
        var counter = new Counter();
        Json.count(value, counter);
        return twice ? 2 * counter.bytes + counter.escaped : counter.bytes;
    }

    /** Returns how many bytes the value takes if it is sent once. */
    public static long size(Object value) {
        var counter = new Counter();
        Json.count(value, counter);
        return counter.bytes;
    }

    /** @throws Problem {@code too_large} if the response is longer than what is left */
    public void check(JsonNode answer) {
        if (most(answer) <= left - FRAME / 2) {
            return; // Most responses are far shorter: they are not written only to be counted.
        }
        var cost = cost(answer);
        if (cost > left - FRAME / 2) {
            throw new Problem(
                    Failure.TOO_LARGE,
                    "this response would have %,d bytes of JSON; a response, or a batch, has at most %,d. Ask for less, for example with page.limit"
                            .formatted(cost, ANSWER));
        }
    }

    /** The most bytes that the value can take, which is quickly found. */
    private static long most(JsonNode value) {
        if (value.isString()) {
            return VALUE + (long) ESCAPED * value.asString().length();
        }
        var sum = (long) VALUE;
        if (value instanceof ObjectNode object) {
            for (var field : object.properties()) {
                sum += VALUE + (long) ESCAPED * field.getKey().length() + most(field.getValue());
            }
        } else if (value.isArray()) {
            for (var element : value) {
                sum += most(element);
            }
        } else {
            sum += NUMBER;
        }
        return sum;
    }

    /**
     * Takes the room of the first rows that fit, and returns them. The first row is always included, cut if it is too
     * long.
     */
    public <T> List<T> fit(List<T> rows) {
        return fit(rows, left);
    }

    /** Takes rows as above, limited to a share of what is left. */
    public <T> List<T> fit(List<T> rows, long share) {
        var fitting = new ArrayList<T>();
        var room = Math.min(share, left);
        for (var row : rows) {
            var item = fitting.isEmpty() ? fitted(row, room - ROW) : row;
            var cost = cost(item) + (twice ? 2 * ROW : ROW);
            if (!fitting.isEmpty() && cost > room) {
                break;
            }
            fitting.add(item);
            room -= cost;
            left -= cost;
        }
        return fitting;
    }

    /** Returns the room that {@link #fit} took for a row that is not shown after all. */
    public void giveBack(Object row) {
        left += cost(row) + (twice ? 2 * ROW : ROW);
    }

    /** Returns the record, cut if it is longer than this and can be cut. */
    @SuppressWarnings("unchecked") // A record that can be cut is cut to one of its own type.
    public <T> T fitted(T row, long room) {
        var excess = cost(row) - room;
        if (excess <= 0 || !(row instanceof Cuttable<?> cuttable)) {
            return row;
        }
        var text = cuttable.longText();
        return (T) cuttable.cut(head(text, cost(text) - excess - MARK), text.codePointCount(0, text.length()));
    }

    /** Returns the beginning of the text, up to this many bytes. */
    public String head(String text, long bytes) {
        if (cost(text) <= bytes) {
            return text;
        }
        var end = 0;
        var used = twice ? 6L : 2L; // For the quotation marks.
        while (end < text.length()) {
            var character = text.codePointAt(end);
            used += cost(character);
            if (used > bytes) {
                break;
            }
            end += Character.charCount(character);
        }
        return text.substring(0, end);
    }

    private int cost(int character) {
        var isMark = character == '"' || character == '\\';
        var isControl = character < 0x20;
        var bytes =
                isMark ? 2 : isControl ? 6 : character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
        return twice ? 2 * bytes + (isMark ? 2 : isControl ? 1 : 0) : bytes;
    }

    private static final class Counter extends OutputStream {
        private long bytes;
        private long escaped;

        @Override
        public void write(int b) {
            bytes++;
            if (b == '"' || b == '\\') {
                escaped++;
            }
        }

        @Override
        public void write(byte[] from, int offset, int length) {
            for (var i = offset; i < offset + length; i++) {
                write(from[i]);
            }
        }
    }
}

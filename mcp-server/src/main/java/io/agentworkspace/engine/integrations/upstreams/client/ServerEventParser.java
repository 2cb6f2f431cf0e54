package io.agentworkspace.engine.integrations.upstreams.client;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads server-sent events from bytes that may be cut anywhere, as the HTML standard says: lines end with CR, LF or CRLF, an event
 * ends with an empty line, and one that is not complete at the end is dropped.
 */
final class ServerEventParser {
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    private final Receiver receiver;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private final ByteArrayOutputStream data = new ByteArrayOutputStream();
    private String type = "";
    private boolean hasData;
    private boolean isFirstLine = true;
    private boolean endedWithReturn;

    /** Receives what the stream consists of. */
    interface Receiver {
        /** @param data its lines of data, joined by line feeds */
        void event(String type, byte[] data);

        /** The server names the place in the stream. */
        void id(String id);

        /** Receives how long the client waits before it connects again. */
        void retry(long millis);
    }

    ServerEventParser(Receiver receiver) {
        this.receiver = receiver;
    }

    /** Returns how many bytes wait for the end of their event. */
    int waiting() {
        return line.size() + data.size();
    }

    void read(byte next) {
        var isSecondHalf = endedWithReturn && next == '\n';
        endedWithReturn = next == '\r';
        if (next == '\r' || next == '\n') {
            if (!isSecondHalf) {
                endLine();
            }
        } else {
            line.write(next);
        }
    }

    private void endLine() {
        var bytes = line.toByteArray();
        line.reset();
        var start = isFirstLine && Arrays.equals(bytes, 0, Math.min(3, bytes.length), BYTE_ORDER_MARK, 0, 3) ? 3 : 0;
        isFirstLine = false;
        if (bytes.length == start) {
            endEvent();
            return;
        }
        var colon = start;
        while (colon < bytes.length && bytes[colon] != ':') {
            colon++;
        }
        var value = colon + 1 < bytes.length && bytes[colon + 1] == ' ' ? colon + 2 : colon + 1;
        field(text(bytes, start, colon), bytes, Math.min(value, bytes.length));
    }

    /** Other fields are ignored, and so are comments, whose name is empty. */
    private void field(String name, byte[] bytes, int start) {
        switch (name) {
            case "data" -> {
                if (hasData) {
                    data.write('\n');
                }
                data.write(bytes, start, bytes.length - start);
                hasData = true;
            }
            case "event" -> type = text(bytes, start, bytes.length);
            case "id" -> {
                var id = text(bytes, start, bytes.length);
                if (id.indexOf('\0') < 0) {
                    receiver.id(id);
                }
            }
            case "retry" -> {
                var millis = text(bytes, start, bytes.length);
                if (millis.matches("[0-9]{1,15}")) {
                    receiver.retry(Long.parseLong(millis));
                }
            }
            default -> {}
        }
    }

    private void endEvent() {
        if (hasData) {
            receiver.event(type.isEmpty() ? "message" : type, data.toByteArray());
        }
        data.reset();
        hasData = false;
        type = "";
    }

    private static String text(byte[] bytes, int start, int end) {
        return new String(bytes, start, end - start, StandardCharsets.UTF_8);
    }
}

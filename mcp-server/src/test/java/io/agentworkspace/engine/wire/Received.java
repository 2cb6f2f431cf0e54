package io.agentworkspace.engine.wire;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.QuietException;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import tools.jackson.databind.JsonNode;

/** A response whose messages are validated before they are sent, so that the running test gets the failures. */
final class Received extends Response.Wrapper {
    private static final String END_OF_EVENT = "\n\n";

    private final Sent sent;
    private final ByteArrayOutputStream waiting = new ByteArrayOutputStream();
    private Inspection inspection;
    private final List<JsonNode> ids = new ArrayList<>();
    private boolean answered;
    private boolean settled;

    Received(Sent sent, Response response) {
        super(sent, response);
        this.sent = sent;
    }

    @Override
    public void setStatus(int code) {
        sent.answering();
        super.setStatus(code);
    }

    @Override
    public void write(boolean last, ByteBuffer content, Callback callback) {
        if (content != null && content.hasRemaining()) {
            var bytes = new byte[content.remaining()];
            content.duplicate().get(bytes);
            waiting.writeBytes(bytes);
        }
        if (type().startsWith("text/event-stream")) {
            events();
        } else if (last && waiting.size() > 0) {
            whole();
        }
        if (last) {
            settle();
        }
        super.write(last, content, callback);
    }

    /** Inspects what a stream writes after its request: a chunk, with its length before it, or the last one. */
    void streamed(ByteBuffer[] buffers) {
        if (buffers.length > 1) {
            var bytes = new byte[buffers[1].remaining()];
            buffers[1].duplicate().get(bytes);
            waiting.writeBytes(bytes);
            events();
        }
        if (buffers.length != 3) {
            settle();
        }
    }

    private String type() {
        var type = getHeaders().get(HttpHeader.CONTENT_TYPE);
        return type == null ? "" : type;
    }

    private void whole() {
        var answer = Wire.read(plain());
        waiting.reset();
        if (!type().equals("application/json") || !answer.isContainer()) {
            Faults.report(Wire.noMessage(type()), sent.body(), answer);
            return;
        }
        var revision = answer.at("/result/protocolVersion").asString("");
        if (!revision.isEmpty()) {
            Wire.record(this, revision);
        }
        answered = true;
        (answer.isArray() ? answer.valueStream() : Stream.of(answer)).forEach(this::count);
        var exchange = inspection(revision);
        Faults.report(exchange.answer(answer), exchange.body(), answer);
    }

    private byte[] plain() {
        var bytes = waiting.toByteArray();
        if (!getHeaders().contains(HttpHeader.CONTENT_ENCODING, "gzip")) {
            return bytes;
        }
        try (var gzip = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
            return gzip.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void events() {
        answered = true;
        var text = waiting.toString(StandardCharsets.UTF_8);
        var end = text.lastIndexOf(END_OF_EVENT);
        if (end < 0) {
            return;
        }
        waiting.reset();
        waiting.writeBytes(text.substring(end + END_OF_EVENT.length()).getBytes(StandardCharsets.UTF_8));
        var exchange = inspection("");
        for (var event : text.substring(0, end).split(END_OF_EVENT)) {
            if (!event.startsWith(":")) {
                var message = message(event);
                count(message);
                Faults.report(exchange.streamed(message), exchange.body(), event);
            }
        }
    }

    private void count(JsonNode message) {
        if (!message.has("method")) {
            ids.add(message.path("id"));
        }
    }

    private void settle() {
        if (!settled) {
            settled = true;
            Faults.report(inspection("").owed(ids, request -> Wire.isCancelled(sent, request)), sent.body());
        }
    }

    private static JsonNode message(String event) {
        return Wire.read(event.replaceFirst("^event: message\ndata: ", "").getBytes(StandardCharsets.UTF_8));
    }

    /** @param revision the revision of the session that this response begins, or empty */
    private Inspection inspection(String revision) {
        if (inspection == null) {
            var body = sent.body();
            var rules = Rulebook.find(revision);
            var book = rules.orElseGet(() -> Wire.book(sent.getHeaders()::get, body));
            inspection = new Inspection(book, body, Faults.strict());
        }
        return inspection;
    }

    /** Ends the exchange. */
    void end() {
        if (!answered && getStatus() == 202) {
            Faults.report(inspection("").accepted(), sent.body());
        }
        settle();
    }

    /** Ends a broken exchange. A client that has disconnected gets no response; one that waits does. */
    void end(Throwable failure) {
        if (!(failure instanceof QuietException) && !(failure instanceof IOException)) {
            settle();
        }
    }
}

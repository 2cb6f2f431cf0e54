package io.agentworkspace.engine.kernel.streams;

import io.agentworkspace.engine.model.json.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.QuietException;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A response that stays open: server-sent events, each with one JSON object or one line of text. A client that does not read within the
 * time-out is disconnected. One thread writes at a time.
 */
public final class EventStream {
    /** curl's {@code --speed-limit 1}, by which listeners notice a dead connection, counts bytes per second over 5 seconds, rounded down. */
    private static final byte[] KEEP_ALIVE =
            ": alive, which clients see that measure the speed of a stream\n\n".getBytes(StandardCharsets.US_ASCII);

    private static final byte[] NOTHING = new byte[0];

    private final Line line;
    private final Duration patience;

    private EventStream(Line line, Duration patience) {
        this.line = line;
        this.patience = patience;
    }

    /** Where a stream is written to. */
    interface Line {
        void write(byte[] bytes, Callback callback);

        /** Writes the last bytes, which may be none. */
        void end(byte[] bytes, Callback callback);

        /** Completes the response, whose last bytes are written. */
        void ended();

        /** Closes the connection. */
        void cut(Throwable why);
    }

    /** The line of a request that is still running. */
    private record ResponseLine(Request request, Response response, Callback callback) implements Line {
        @Override
        public void write(byte[] bytes, Callback written) {
            response.write(false, ByteBuffer.wrap(bytes), written);
        }

        @Override
        public void end(byte[] bytes, Callback written) {
            response.write(true, ByteBuffer.wrap(bytes), written);
        }

        @Override
        public void ended() {
            callback.succeeded();
        }

        @Override
        public void cut(Throwable why) {
            request.getConnectionMetaData().getConnection().getEndPoint().close();
            callback.failed(why);
        }
    }

    /** Opens the stream as the response to a request that still runs. Nothing is sent before the first write. */
    public static EventStream during(Request request, Response response, Callback callback, Duration patience) {
        setHeaders(response);
        return new EventStream(new ResponseLine(request, response, callback), patience);
    }

    /** Opens a stream that outlives its request, of which it keeps nothing. The caller must not keep it either. */
    public static EventStream after(Request request, Response response, Callback callback, Duration patience) {
        setHeaders(response);
        return new EventStream(StreamConnection.after(request, response, callback), patience);
    }

    private static void setHeaders(Response response) {
        response.setStatus(HttpStatus.OK_200);
        response.getHeaders()
                .put(HttpHeader.CONTENT_TYPE, "text/event-stream")
                .put(HttpHeader.CACHE_CONTROL, "no-store, no-transform")
                .put("X-Accel-Buffering", "no");
    }

    public void send(ObjectNode message) throws IOException {
        write(event(message));
    }

    /** Sends an event with an id, from which a client can resume. */
    public void send(String id, String event, JsonNode data) throws IOException {
        var text = "id: %s\nevent: %s\ndata: %s\n\n".formatted(id, event, Json.text(data));
        write(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Sends an event with an id and a line of text, for clients that parse no JSON. */
    public void send(String id, String line) throws IOException {
        write("id: %s\ndata: %s\n\n".formatted(id, line).getBytes(StandardCharsets.UTF_8));
    }

    /** Sends an id without an event: clients report nothing, and resume from this id. */
    public void mark(String id) throws IOException {
        write("id: %s\n\n".formatted(id).getBytes(StandardCharsets.UTF_8));
    }

    /** Sends a comment, which clients ignore. */
    public void keepAlive() throws IOException {
        write(KEEP_ALIVE);
    }

    /** Sends the last message and ends the stream. */
    public void finish(ObjectNode message) throws IOException {
        end(event(message));
    }

    public void finish() throws IOException {
        end(NOTHING);
    }

    /** Closes the connection. */
    public void cut(Throwable why) {
        line.cut(why);
    }

    /** The client can no longer be written to. No code needs to handle this. */
    public static final class Gone extends IOException implements QuietException {
        public Gone(String message, Throwable cause) {
            super(message, cause);
        }
    }

    private static byte[] event(ObjectNode message) {
        return ("event: message\ndata: " + Json.text(message) + "\n\n").getBytes(StandardCharsets.UTF_8);
    }

    private void write(byte[] bytes) throws IOException {
        var written = new CompletableFuture<Void>();
        line.write(bytes, completing(written));
        await(written);
    }

    private void end(byte[] bytes) throws IOException {
        var written = new CompletableFuture<Void>();
        line.end(bytes, completing(written));
        await(written);
        line.ended();
    }

    private static Callback completing(CompletableFuture<Void> written) {
        return Callback.from(() -> written.complete(null), written::completeExceptionally);
    }

    private void await(CompletableFuture<Void> written) throws IOException {
        try {
            written.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new Gone("the client is gone", e);
        } catch (TimeoutException e) {
            throw new Gone("the client does not read", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Gone("interrupted while writing", e);
        }
    }
}

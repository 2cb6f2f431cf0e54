package io.agentworkspace.engine.mcp.streams;

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
import org.eclipse.jetty.util.Callback;
import tools.jackson.databind.node.ObjectNode;

/**
 * An answer that goes on: server-sent events, one JSON-RPC message in each. A client that does not take what is written
 * within the time-out is cut off. One thread writes at a time.
 */
final class EventStream {
    private static final byte[] KEEP_ALIVE = ":\n\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NOTHING = new byte[0];

    private final McpExchange exchange;
    private final Duration patience;

    private EventStream(McpExchange exchange, Duration patience) {
        this.exchange = exchange;
        this.patience = patience;
    }

    /** Begins the answer; nothing of it is on its way before the first write. */
    static EventStream open(McpExchange exchange, Duration patience) {
        var response = exchange.response();
        response.setStatus(HttpStatus.OK_200);
        response.getHeaders()
                .put(HttpHeader.CONTENT_TYPE, "text/event-stream")
                .put(HttpHeader.CACHE_CONTROL, "no-store, no-transform")
                .put("X-Accel-Buffering", "no");
        return new EventStream(exchange, patience);
    }

    void send(ObjectNode message) throws IOException {
        write(false, event(message));
    }

    /** A comment, which clients ignore. */
    void keepAlive() throws IOException {
        write(false, KEEP_ALIVE);
    }

    /** The last message, and the end. */
    void finish(ObjectNode message) throws IOException {
        write(true, event(message));
        exchange.callback().succeeded();
    }

    void finish() throws IOException {
        write(true, NOTHING);
        exchange.callback().succeeded();
    }

    /** Hangs up. */
    void cut(Throwable why) {
        exchange.request().getConnectionMetaData().getConnection().getEndPoint().close();
        exchange.callback().failed(why);
    }

    /** The client cannot be written to any more; nothing that anybody here has to know. */
    static final class Gone extends IOException implements QuietException {
        Gone(String message, Throwable cause) {
            super(message, cause);
        }
    }

    private static byte[] event(ObjectNode message) {
        return ("event: message\ndata: " + Json.text(message) + "\n\n").getBytes(StandardCharsets.UTF_8);
    }

    private void write(boolean last, byte[] bytes) throws IOException {
        var written = new CompletableFuture<Void>();
        exchange.response()
                .write(
                        last,
                        ByteBuffer.wrap(bytes),
                        Callback.from(() -> written.complete(null), written::completeExceptionally));
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

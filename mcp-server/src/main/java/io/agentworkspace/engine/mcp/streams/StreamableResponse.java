package io.agentworkspace.engine.mcp.streams;

import io.agentworkspace.engine.kernel.scheduling.Cancellation;
import io.agentworkspace.engine.kernel.streams.EventStream;
import io.agentworkspace.engine.kernel.streams.StreamLimits;
import io.agentworkspace.engine.kernel.streams.Ticker;
import io.agentworkspace.engine.kernel.wire.RpcError;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;
import org.eclipse.jetty.http.HttpStatus;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The response to one request. It starts as JSON and becomes an event stream at the first notification, or when it
 * takes long. The stream then gets regular comments. If a comment cannot be written, the client is gone, and the
 * work is cancelled.
 */
public final class StreamableResponse {
    private static final Logger LOG = LoggerFactory.getLogger(StreamableResponse.class);
    private static final Duration PERIOD = Duration.ofMillis(500);

    private final McpExchange exchange;
    private final StreamLimits.Places places;
    private final Thread worker = Thread.currentThread();
    private final Optional<Cancellation> work = Cancellation.current();
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable EventStream stream;
    private @Nullable Future<?> beat;
    private boolean streamable;
    private boolean done;
    private boolean gone;
    private boolean cancelled;

    private StreamableResponse(McpExchange exchange, StreamLimits.Places places) {
        this.exchange = exchange;
        this.places = places;
        this.streamable = exchange.takesEvents();
    }

    /** Begins the response. Call this on the thread that does the work. */
    public static StreamableResponse begin(McpExchange exchange, StreamLimits.Places places, Ticker ticker) {
        var reply = new StreamableResponse(exchange, places);
        if (reply.streamable) {
            reply.beat = ticker.every(PERIOD, reply::beat);
        }
        return reply;
    }

    /** Returns whether messages before the response reach the client. */
    public boolean isHeard() {
        lock.lock();
        try {
            return streamable && !gone && !done && open() != null;
        } finally {
            lock.unlock();
        }
    }

    /** Sends a message that belongs to this request, if the client accepts streams. */
    public void send(ObjectNode message) {
        lock.lock();
        try {
            var open = done || gone ? null : open();
            if (open != null) {
                open.send(message);
            }
        } catch (IOException e) {
            lost();
        } finally {
            lock.unlock();
        }
    }

    /** Sends the beginning of the stream at once, if the client accepts streams. */
    public void start() {
        beat();
    }

    private void beat() {
        if (!lock.tryLock()) {
            return; // Another thread is writing, which is a sign of life too.
        }
        try {
            var open = done || gone ? null : open();
            if (open != null) {
                open.keepAlive();
            }
        } catch (IOException e) {
            lost();
        } finally {
            lock.unlock();
        }
    }

    private @Nullable EventStream open() {
        if (stream == null && streamable) {
            stream = opened();
            streamable = stream != null;
        }
        return stream;
    }

    private @Nullable EventStream opened() {
        try {
            places.take(0);
        } catch (Problem noneFree) {
            return null; // The response is then sent as JSON.
        }
        return EventStream.during(exchange.request(), exchange.response(), exchange.callback(), places.patience());
    }

    private void lost() {
        gone = true;
        stop();
        endWork();
    }

    /** Ends what waits, what computes, and what runs at the database. */
    private void endWork() {
        work.ifPresent(Cancellation::cancelSoon);
        worker.interrupt();
    }

    /** Stops the work, since the client no longer expects a response. */
    public void cancel() {
        lock.lock();
        try {
            if (!done) {
                cancelled = true;
                endWork();
            }
        } finally {
            lock.unlock();
        }
    }

    private void stop() {
        if (beat != null) {
            beat.cancel(false);
        }
    }

    /** Ends the exchange with the response. */
    public void finish(int status, ObjectNode response) {
        lock.lock();
        try {
            done = true;
            stop();
            // The interrupt concerned this request; the thread is used for others.
            var _ = Thread.interrupted();
            if (stream == null && cancelled) {
                exchange.accept();
            } else if (stream == null) {
                exchange.reply(status, response);
            } else {
                end(stream, response);
            }
        } finally {
            lock.unlock();
        }
    }

    private void end(EventStream open, ObjectNode response) {
        try {
            if (cancelled && !gone) {
                open.finish();
            } else if (!gone) {
                open.finish(response);
            }
        } catch (IOException e) {
            gone = true;
        } finally {
            places.giveBack();
        }
        if (gone) {
            open.cut(new EventStream.Gone("the client is gone", new IOException("it does not take what is written")));
        }
    }

    /** Ends the exchange after a defect. The gate renders it if nothing was sent yet. Cancelled work gets no response. */
    public void fail(Throwable defect) {
        lock.lock();
        try {
            if (gone || cancelled) {
                finish(HttpStatus.OK_200, Json.object());
            } else if (stream != null) {
                finish(HttpStatus.OK_200, exchange.json(error(defect)));
            } else {
                done = true;
                stop();
                exchange.callback().failed(defect);
            }
        } finally {
            lock.unlock();
        }
    }

    private RpcError error(Throwable defect) {
        var id = exchange.requestId();
        if (defect instanceof Problem problem) {
            return RpcError.of(problem, id);
        }
        LOG.atError().addKeyValue("request_id", id).setCause(defect).log("a request failed");
        return RpcError.internal(Problem.internal(id), id);
    }
}

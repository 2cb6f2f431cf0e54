package io.agentworkspace.engine.mcp.streams;

import io.agentworkspace.engine.mcp.wire.Change;
import io.agentworkspace.engine.mcp.wire.JsonRpcMessage;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.streams.EventStream;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * An open stream that tells its client what changes. What waits to be told is a set, so it is bounded by what was asked
 * for; a thread exists only while something is written, and a client that does not read is cut off.
 */
public final class NotificationStream {
    private final McpExchange exchange;
    private final Purpose purpose;
    private final Function<String, Optional<ObjectNode>> words;
    private final BooleanSupplier valid;
    private final Runnable closed;
    private final EventStream stream;
    private final Object looking = new Object();
    private final Set<String> waiting = new LinkedHashSet<>();
    private final Set<String> putOff = new LinkedHashSet<>();
    private volatile Subscriptions subscriptions;
    private volatile Runnable refresh = () -> {};
    private volatile @Nullable ObjectNode greeting;
    private boolean keepAlive;
    private boolean ending;
    private boolean writing;
    private boolean done;

    /**
     * Why it is open.
     *
     * @param subscription the id of the request that opened it, or null for the stream of a session
     * @param session the session's id in the store, or null
     * @param opened the order among the streams of one session: a newer one takes over
     */
    public record Purpose(
            @Nullable JsonNode subscription, @Nullable String session, long opened) {}

    /**
     * @param words the notification of what is told, if there still is something to tell
     * @param closed what to do once, when it has ended
     */
    NotificationStream(
            McpExchange exchange,
            Purpose purpose,
            Subscriptions subscriptions,
            Function<String, Optional<ObjectNode>> words,
            Duration patience,
            Runnable closed) {
        this.exchange = exchange;
        this.purpose = purpose;
        this.subscriptions = subscriptions;
        this.words = words;
        this.valid = exchange.validity();
        this.closed = closed;
        this.stream = EventStream.open(exchange.request(), exchange.response(), exchange.callback(), patience);
    }

    Caller caller() {
        return exchange.caller();
    }

    public Purpose purpose() {
        return purpose;
    }

    /** Begins to write; the greeting first, where there is one. */
    public synchronized void start(@Nullable ObjectNode first) {
        greeting = first;
        keepAlive = first == null;
        write();
    }

    public void wishes(Subscriptions changed) {
        subscriptions = changed;
    }

    public Subscriptions wishes() {
        return subscriptions;
    }

    /** What to do when something was said about its session. */
    public void onSession(Runnable work) {
        refresh = work;
    }

    /** One look after the other: an earlier one must not have the last word. */
    public void sessionChanged() {
        synchronized (looking) {
            refresh.run();
        }
    }

    /** Tells of a change, if it was wished for. */
    void tell(Change change) {
        var told = subscriptions.toldOf(change);
        if (!told.isEmpty()) {
            tell(told);
        }
    }

    /** Tells of everything, since something may have been missed. */
    void tellAll() {
        tell(subscriptions.everything());
    }

    /** Tells of one thing. */
    void tell(String what) {
        tell(Set.of(what));
    }

    private synchronized void tell(Set<String> what) {
        if (!done && !ending) {
            waiting.addAll(what);
            write();
        }
    }

    /** Shows that the stream is alive, or that its client is not. */
    synchronized void keepAlive() {
        keepAlive = true;
        waiting.addAll(putOff);
        putOff.clear();
        write();
    }

    /** Ends it, as far as the client reads along; also when its credential has become invalid. */
    public synchronized void end() {
        ending = true;
        write();
    }

    /** @param isValid asks, or knows already what it answered: equal ones answer the same */
    void endIfInvalid(Predicate<BooleanSupplier> isValid) {
        if (!isValid.test(valid)) {
            end();
        }
    }

    private void write() {
        if (!writing && !done) {
            writing = true;
            Thread.startVirtualThread(this::drain);
        }
    }

    private void drain() {
        try {
            for (var next = next(); next != null; next = next()) {
                send(next);
            }
        } catch (IOException | RuntimeException e) {
            finish(() -> stream.cut(e));
        }
    }

    private void send(List<String> told) throws IOException {
        var first = greeting;
        if (first != null) {
            greeting = null;
            stream.send(first);
        } else if (told.isEmpty()) {
            stream.keepAlive();
        }
        for (var what : told) {
            var message = word(what);
            if (message.isPresent()) {
                stream.send(message.get());
            }
        }
    }

    private Optional<ObjectNode> word(String what) {
        try {
            return words.apply(what);
        } catch (Problem e) {
            putOff(what); // The database is away, or too busy: it is looked up again at the next sign of life.
            return Optional.empty();
        }
    }

    private synchronized void putOff(String what) {
        putOff.add(what);
    }

    /** What is to be told now; nothing more when null, a comment when empty. */
    private @Nullable List<String> next() throws IOException {
        synchronized (this) {
            if (greeting != null || keepAlive || !waiting.isEmpty()) {
                keepAlive = false;
                var told = List.copyOf(waiting);
                waiting.clear();
                return told;
            }
            if (!ending) {
                writing = false;
                return null;
            }
        }
        bow(); // Nobody else writes any more, since this thread is never through.
        return null;
    }

    /** The texts disagree on how a listening request ends: with a cancellation, or with a result. So it gets both. */
    private void bow() throws IOException {
        var id = purpose.subscription();
        if (id == null) {
            stream.finish();
        } else {
            var params = Json.object();
            params.set("requestId", id);
            Subscriptions.tag(params, id);
            stream.send(JsonRpcMessage.notification("notifications/cancelled", params));
            var result = Json.object().put("resultType", "complete");
            Subscriptions.tag(result, id);
            stream.finish(new JsonRpcMessage(id, "", result).answer(result));
        }
        finish(() -> {});
    }

    private void finish(Runnable last) {
        synchronized (this) {
            if (done) {
                return;
            }
            done = true;
        }
        last.run();
        closed.run();
    }
}

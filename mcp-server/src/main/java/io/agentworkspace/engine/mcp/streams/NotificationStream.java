package io.agentworkspace.engine.mcp.streams;

import io.agentworkspace.engine.kernel.streams.EventStream;
import io.agentworkspace.engine.kernel.streams.StreamLimits;
import io.agentworkspace.engine.kernel.wire.JsonRpcMessage;
import io.agentworkspace.engine.kernel.wire.SubscribedChange;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * An open stream that notifies its client of changes. Pending notifications are a set, so the subscriptions bound their
 * number. A thread exists only while something is written. A client that does not read is disconnected. It keeps nothing
 * of the request that opened it.
 */
public final class NotificationStream {
    private final Caller caller;
    private final Purpose purpose;
    private final StreamLimits.Places places;
    private final Function<String, Optional<ObjectNode>> words;
    private final BooleanSupplier valid;
    private final Runnable closed;
    private final EventStream stream;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
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
     * Why a stream is open.
     *
     * @param subscription the id of the request that opened it, or null for the stream of a session
     * @param session the session's id in the store, or null
     * @param opened the order among the streams of one session: a newer one takes over
     */
    public record Purpose(
            @Nullable JsonNode subscription, @Nullable String session, long opened) {}

    /**
     * @param places are taken
     * @param words returns the notification of a change, or empty if there is nothing to send any more
     * @param closed runs once, when the stream has ended
     */
    NotificationStream(
            McpExchange exchange,
            Purpose purpose,
            Subscriptions subscriptions,
            Function<String, Optional<ObjectNode>> words,
            StreamLimits.Places places,
            Runnable closed) {
        this.caller = exchange.caller();
        this.purpose = purpose;
        this.subscriptions = subscriptions;
        this.places = places;
        this.words = words;
        this.valid = exchange.validity();
        this.closed = closed;
        this.stream =
                EventStream.after(exchange.request(), exchange.response(), exchange.callback(), places.patience());
    }

    Caller caller() {
        return caller;
    }

    public Purpose purpose() {
        return purpose;
    }

    /** Begins to write, with the first message if there is one. */
    public synchronized void start(@Nullable ObjectNode first) {
        greeting = first;
        keepAlive = first == null;
        write();
    }

    /** @throws Problem {@code rate_limited} or {@code unavailable} if there is no memory for them */
    public void subscriptions(Subscriptions changed) {
        places.grow(changed.bytes() - subscriptions.bytes());
        subscriptions = changed;
    }

    public Subscriptions subscriptions() {
        return subscriptions;
    }

    /** Sets the action to run when the stream's session changes. */
    public void onSession(Runnable work) {
        refresh = work;
    }

    /** Looks up the session. Look-ups run one at a time, so that an earlier one cannot overwrite a later one. */
    public void sessionChanged() {
        synchronized (looking) {
            refresh.run();
        }
    }

    /** Notifies the client of a change that it subscribed to. */
    void deliver(SubscribedChange change) {
        var messages = subscriptions.toldOf(change);
        if (!messages.isEmpty()) {
            deliver(messages);
        }
    }

    /** Notifies the client of all its subscriptions, since a change may have been missed. */
    void tellAll() {
        deliver(subscriptions.everything());
    }

    /** Notifies the client of one subscription. */
    void deliver(String what) {
        deliver(Set.of(what));
    }

    private synchronized void deliver(Set<String> what) {
        if (!done && !ending) {
            waiting.addAll(what);
            write();
        }
    }

    /** Writes a sign of life, which fails if the client is gone. */
    synchronized void keepAlive() {
        keepAlive = true;
        waiting.addAll(putOff);
        putOff.clear();
        write();
    }

    /** Ends the stream after the pending notifications, also when its credential has become invalid. */
    public synchronized void end() {
        ending = true;
        write();
    }

    /** Returns a future that completes when the stream has ended. */
    CompletableFuture<Void> ended() {
        return ended;
    }

    /** @param isValid tests the credential; it may return a cached result for an equal one */
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

    private void send(List<String> messages) throws IOException {
        var first = greeting;
        if (first != null) {
            greeting = null;
            stream.send(first);
        } else if (messages.isEmpty()) {
            stream.keepAlive();
        }
        for (var what : messages) {
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
            putOff(what); // No answer from the database: retried at the next sign of life.
            return Optional.empty();
        }
    }

    private synchronized void putOff(String what) {
        putOff.add(what);
    }

    /** Returns the next notifications: null if there are none, an empty list for a comment. */
    private @Nullable List<String> next() throws IOException {
        synchronized (this) {
            if (greeting != null || keepAlive || !waiting.isEmpty()) {
                keepAlive = false;
                var messages = List.copyOf(waiting);
                waiting.clear();
                return messages;
            }
            if (!ending) {
                writing = false;
                return null;
            }
        }
        finish(); // Only this thread writes now: `writing` stays true.
        return null;
    }

    /**
     * Ends the stream. The specification's texts disagree on whether a listening request ends with a cancellation or
     * with a result, so the client gets both.
     */
    private void finish() throws IOException {
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
        ended.complete(null);
    }
}

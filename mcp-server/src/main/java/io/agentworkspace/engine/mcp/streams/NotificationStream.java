package io.agentworkspace.engine.mcp.streams;

import io.agentworkspace.engine.kernel.streams.EventQueue;
import io.agentworkspace.engine.kernel.streams.EventStream;
import io.agentworkspace.engine.kernel.streams.Hub;
import io.agentworkspace.engine.kernel.streams.StreamLimits;
import io.agentworkspace.engine.kernel.wire.JsonRpcMessage;
import io.agentworkspace.engine.kernel.wire.SubscribedChange;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * An open stream that notifies its client of changes. Equal notifications are written once, so the subscriptions bound the
 * number of those that wait. It keeps nothing of the request that opened it.
 */
public final class NotificationStream implements Hub.Subscriber {
    private final Caller caller;
    private final Purpose purpose;
    private final StreamLimits.Places places;
    private final Function<String, Optional<ObjectNode>> words;
    private final BooleanSupplier valid;
    private final EventQueue queue;
    private final Object looking = new Object();

    /** What the database did not answer for. It is looked up again at the next sign of life. */
    private final Set<String> putOff = ConcurrentHashMap.newKeySet();

    private volatile Subscriptions subscriptions;
    private volatile Runnable refresh = () -> {};

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
     */
    NotificationStream(
            McpExchange exchange,
            Purpose purpose,
            Subscriptions subscriptions,
            Function<String, Optional<ObjectNode>> words,
            StreamLimits.Places places) {
        this.caller = exchange.caller();
        this.purpose = purpose;
        this.subscriptions = subscriptions;
        this.places = places;
        this.words = words;
        this.valid = exchange.validity();
        var stream = EventStream.after(exchange.request(), exchange.response(), exchange.callback(), places.patience());
        this.queue = new EventQueue(stream, places, 0);
    }

    Caller caller() {
        return caller;
    }

    public Purpose purpose() {
        return purpose;
    }

    /** Begins to write, with the first message if there is one. */
    public void start(@Nullable ObjectNode first) {
        queue.begin(first == null ? EventStream::keepAlive : stream -> stream.send(first));
    }

    @Override
    public long tenant() {
        return caller.tenant();
    }

    @Override
    public BooleanSupplier validity() {
        return valid;
    }

    @Override
    public CompletableFuture<Void> ended() {
        return queue.ended();
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
        subscriptions.toldOf(change).forEach(this::deliver);
    }

    /** Notifies the client of all its subscriptions, since a change may have been missed. */
    void tellAll() {
        subscriptions.everything().forEach(this::deliver);
    }

    /** Notifies the client of one subscription. */
    void deliver(String what) {
        queue.add(new Notice(this, what));
    }

    /** A subscription of which the client is notified, if there is still something to send when it is written. */
    private record Notice(NotificationStream of, String what) implements EventQueue.Line {
        @Override
        public void sendTo(EventStream stream) throws IOException {
            var message = of.word(what);
            if (message.isPresent()) {
                stream.send(message.get());
            }
        }
    }

    private Optional<ObjectNode> word(String what) {
        try {
            return words.apply(what);
        } catch (Problem unavailable) {
            putOff.add(what);
            return Optional.empty();
        }
    }

    @Override
    public void keepAlive() {
        for (var what : putOff) {
            putOff.remove(what);
            deliver(what);
        }
        queue.keepAlive(EventStream::keepAlive);
    }

    /** Ends the stream after the pending notifications, also when its credential has become invalid. */
    @Override
    public void end() {
        queue.endAfter(this::finish);
    }

    /**
     * Ends the stream. The specification's texts disagree on whether a listening request ends with a cancellation or
     * with a result, so the client gets both.
     */
    private void finish(EventStream stream) throws IOException {
        var id = purpose.subscription();
        if (id == null) {
            stream.finish();
            return;
        }
        var params = Json.object();
        params.set("requestId", id);
        Subscriptions.tag(params, id);
        stream.send(JsonRpcMessage.notification("notifications/cancelled", params));
        var result = Json.object().put("resultType", "complete");
        Subscriptions.tag(result, id);
        stream.finish(new JsonRpcMessage(id, "", result).answer(result));
    }
}

package io.agentworkspace.engine.workspace.delivery.live;

import io.agentworkspace.engine.kernel.streams.EventQueue;
import io.agentworkspace.engine.kernel.streams.Hub;
import io.agentworkspace.engine.model.json.Json;
import java.time.Clock;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ObjectNode;

/** One open stream. A client that falls behind must read everything again. */
final class LiveStream implements Hub.Subscriber {
    /** The memory of an event that waits. */
    static final int EVENT = 4 * 1024;

    private final LiveView view;
    private final EventQueue queue;
    private final Set<String> topics;
    private final BooleanSupplier valid;
    private final Clock clock;

    /** What was sent of the transactions since {@link #horizon}: the events since then are read again. */
    private final Map<Long, Long> sent = new LinkedHashMap<>();

    private long epoch;
    private long horizon;
    private long ordinal;
    private boolean hasCaughtUp;

    LiveStream(LiveView view, EventQueue queue, Set<Topic> topics, BooleanSupplier valid, Clock clock) {
        this.view = view;
        this.queue = queue;
        this.topics = EnumSet.copyOf(topics).stream().map(Topic::word).collect(Collectors.toUnmodifiableSet());
        this.valid = valid;
        this.clock = clock;
    }

    LiveView view() {
        return view;
    }

    @Override
    public long tenant() {
        return view.caller().tenant();
    }

    @Override
    public Object audience() {
        return view.key();
    }

    @Override
    public BooleanSupplier validity() {
        return valid;
    }

    @Override
    public CompletableFuture<Void> ended() {
        return queue.ended();
    }

    /** Sends the first event: which of the requested topics the caller receives. */
    synchronized void begin(List<Topic> granted, ResumeToken from, boolean isResumed) {
        epoch = from.epoch();
        horizon = from.horizon();
        ordinal = from.ordinal();
        hasCaughtUp = !isResumed;
        sent.put(from.ordinal(), from.horizon());
        var first = Json.object().put("resumed", isResumed);
        granted.forEach(topic -> first.withArray("topics").add(topic.word()));
        queue.begin(line(id(), "open", first));
    }

    /** Returns whether it has what its client missed. Before, it gets nothing else: a client that resumed after a newer event would never get the older ones. */
    synchronized boolean hasCaughtUp() {
        return hasCaughtUp;
    }

    /** Returns where its next read begins. */
    synchronized long horizon() {
        return horizon;
    }

    /** Sends the events of its topics that it has not sent yet. */
    synchronized void send(LiveQueries.Batch batch) {
        if (batch.epoch() < epoch) {
            return; // It was read before the tenant got another epoch.
        }
        if (batch.epoch() > epoch) {
            epoch = batch.epoch();
            horizon = batch.horizon();
            sent.clear();
            startAgain();
        }
        for (var event : batch.events()) {
            if (topics.contains(event.topic()) && event.xid() >= horizon && remember(event)) {
                ordinal = Math.max(ordinal, event.ordinal());
                var id = id();
                queue.add(line(id, event.topic(), event.data()), reset(id));
            }
        }
        horizon = Math.max(horizon, batch.horizon());
        sent.values().removeIf(xid -> xid < horizon);
        if (batch.tooMany()) {
            queue.replace(reset(id()));
        }
        hasCaughtUp = true;
    }

    private boolean remember(LiveEvent event) {
        if (sent.putIfAbsent(event.ordinal(), event.xid()) != null) {
            return false;
        }
        if (sent.size() > 2 * EventQueue.MOST) {
            sent.remove(sent.keySet().iterator().next());
        }
        return true;
    }

    /** Sends that events may have been missed, so that the client must read everything again. */
    synchronized void startAgain() {
        queue.replace(reset(id()));
    }

    private static EventQueue.Line reset(String id) {
        return line(id, "reset", Json.object());
    }

    private static EventQueue.Line line(String id, String event, ObjectNode data) {
        return stream -> stream.send(id, event, data);
    }

    private String id() {
        return ResumeToken.of(epoch, horizon, ordinal, clock.instant()).text();
    }

    /** Also advances the id from which the client resumes. */
    @Override
    public synchronized void keepAlive() {
        var id = id();
        queue.keepAlive(stream -> stream.mark(id));
    }

    @Override
    public void end() {
        queue.end();
    }
}

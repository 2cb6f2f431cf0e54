package io.agentworkspace.engine.workspace.delivery.live;

import io.agentworkspace.engine.kernel.streams.EventStream;
import io.agentworkspace.engine.kernel.streams.StreamLimits;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * One open stream. A thread exists only while something is written. The queue is limited: a client that falls behind
 * must read everything again, and one that does not read at all is disconnected.
 */
final class LiveStream {
    /** The maximum number of events waiting to be written. */
    private static final int MOST_WAITING = 1_000;

    /** The memory of an event that waits. */
    private static final int EVENT = 4 * 1024;

    private final EventStream stream;
    private final StreamLimits.Places places;
    private final Set<String> topics;
    private final BooleanSupplier valid;
    private final Runnable closed;
    private final Clock clock;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final Deque<Item> waiting = new ArrayDeque<>();

    /** What was sent of the transactions since {@link #horizon}: the events since then are read again. */
    private final Map<Long, Long> sent = new LinkedHashMap<>();

    private int counted;
    private long epoch;
    private long horizon;
    private long ordinal;
    private volatile boolean caughtUp;
    private boolean writing;
    private boolean ending;
    private boolean done;

    /** @param event null for a mark that only advances the id */
    private record Item(@Nullable String event, ObjectNode data, String id) {}

    /** @param places are taken */
    LiveStream(
            EventStream stream,
            StreamLimits.Places places,
            Set<Topic> topics,
            BooleanSupplier valid,
            Clock clock,
            Runnable closed) {
        this.stream = stream;
        this.places = places;
        this.topics = EnumSet.copyOf(topics).stream().map(Topic::word).collect(Collectors.toUnmodifiableSet());
        this.valid = valid;
        this.clock = clock;
        this.closed = closed;
    }

    /** Returns a future that completes when the stream has ended. */
    CompletableFuture<Void> ended() {
        return ended;
    }

    BooleanSupplier validity() {
        return valid;
    }

    /** Sends the first event: which of the requested topics the caller receives. */
    synchronized void begin(List<Topic> granted, ResumeToken from, boolean resumed) {
        epoch = from.epoch();
        horizon = from.horizon();
        ordinal = from.ordinal();
        sent.put(from.ordinal(), from.horizon());
        var first = Json.object().put("resumed", resumed);
        granted.forEach(topic -> first.withArray("topics").add(topic.word()));
        add("open", first);
        write();
    }

    /** Returns whether it has sent what its client missed. */
    boolean hasCaughtUp() {
        return caughtUp;
    }

    /** From now on it gets what its audience gets. */
    void caughtUp() {
        caughtUp = true;
    }

    /** Sends the events of its topics that it has not sent yet. */
    synchronized void send(LiveQueries.Batch batch) {
        if (done || ending) {
            return;
        }
        for (var event : batch.events()) {
            if (topics.contains(event.topic()) && event.xid() >= horizon && remember(event)) {
                ordinal = Math.max(ordinal, event.ordinal());
                add(event.topic(), event.data());
            }
        }
        horizon = Math.max(horizon, batch.horizon());
        sent.values().removeIf(xid -> xid < horizon);
        if (batch.tooMany()) {
            reset();
        }
        write();
    }

    /** Reports that events may have been missed, so that the client must read everything again. */
    synchronized void reset() {
        keepOpening();
        add("reset", Json.object());
        write();
    }

    private boolean remember(LiveEvent event) {
        if (sent.putIfAbsent(event.ordinal(), event.xid()) != null) {
            return false;
        }
        if (sent.size() > 2 * MOST_WAITING) {
            sent.remove(sent.keySet().iterator().next());
        }
        return true;
    }

    private void add(@Nullable String event, ObjectNode data) {
        if (waiting.size() >= MOST_WAITING) {
            keepOpening();
            waiting.add(new Item("reset", Json.object(), id()));
        } else {
            waiting.add(new Item(event, data, id()));
        }
    }

    /** Takes or returns the memory for the waiting events. Without it, the client must read everything again. */
    private void count() {
        try {
            places.grow(EVENT * (long) (waiting.size() - counted));
            counted = waiting.size();
        } catch (Problem noMemory) {
            places.grow(-EVENT * (long) counted);
            counted = 0;
            keepOpening();
            waiting.add(new Item("reset", Json.object(), id()));
        }
    }

    /** Drops all waiting events but the first one of the stream, which the client needs in any case. */
    private void keepOpening() {
        waiting.removeIf(item -> !"open".equals(item.event()));
    }

    private String id() {
        return ResumeToken.of(epoch, horizon, ordinal, clock.instant()).text();
    }

    /**
     * Shows the client that the stream is alive, and detects whether the client is. Also advances the id from which
     * the client resumes.
     */
    synchronized void keepAlive() {
        if (!done && waiting.isEmpty()) {
            add(null, Json.object());
        }
        write();
    }

    /** Ends the stream after the current write. Events still waiting are dropped. */
    synchronized void end() {
        waiting.clear();
        ending = true;
        write();
    }

    private void write() {
        count();
        if (!writing && !done && (ending || !waiting.isEmpty())) {
            writing = true;
            Thread.startVirtualThread(this::drain);
        }
    }

    private void drain() {
        try {
            for (var next = next(); next != null; next = next()) {
                if (next.event() == null) {
                    stream.mark(next.id());
                } else {
                    stream.send(next.id(), next.event(), next.data());
                }
            }
        } catch (IOException | RuntimeException e) {
            finish(() -> stream.cut(e));
        }
    }

    private @Nullable Item next() throws IOException {
        synchronized (this) {
            var next = waiting.poll();
            if (waiting.size() < counted) {
                count();
            }
            if (next != null || !ending) {
                writing = next != null;
                return next;
            }
        }
        stream.finish();
        finish(() -> {});
        return null;
    }

    private void finish(Runnable last) {
        synchronized (this) {
            if (done) {
                return;
            }
            done = true;
            waiting.clear();
        }
        last.run();
        closed.run();
        ended.complete(null);
    }
}

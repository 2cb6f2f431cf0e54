package io.agentworkspace.engine.a2a.tasks;

import io.agentworkspace.engine.a2a.wire.TaskRecord;
import io.agentworkspace.engine.kernel.streams.EventQueue;
import io.agentworkspace.engine.kernel.streams.EventStream;
import io.agentworkspace.engine.kernel.streams.Hub;
import io.agentworkspace.engine.model.json.Json;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The events of one task: first the task, then what changes, until it ends or, after a message, until the client has its turn. */
final class TaskStream implements Hub.Subscriber {
    /** The memory of an event that waits to be written. */
    static final int EVENT = 64 * 1024;

    private final AgentCall call;
    private final AgentPlace place;
    private final String task;
    private final EventQueue queue;
    private final UnaryOperator<ObjectNode> frame;
    private final boolean untilRest;
    private final @Nullable Integer historyLength;
    private String seen = "";
    private @Nullable String shown;

    /** Those who see the same. */
    private record Audience(String principal, long speaker, String task) {}

    /**
     * @param frame puts an event into what the binding sends
     * @param untilRest whether it ends when the client has its turn
     * @param historyLength the most messages of the task; null for all
     */
    TaskStream(
            AgentCall call,
            AgentPlace place,
            String task,
            EventQueue queue,
            UnaryOperator<ObjectNode> frame,
            boolean untilRest,
            @Nullable Integer historyLength) {
        this.call = call;
        this.place = place;
        this.task = task;
        this.queue = queue;
        this.frame = frame;
        this.untilRest = untilRest;
        this.historyLength = historyLength;
    }

    AgentCall call() {
        return call;
    }

    AgentPlace place() {
        return place;
    }

    String task() {
        return task;
    }

    synchronized boolean hasSeen(TaskQueries.Listed now) {
        return now.version().equals(seen);
    }

    synchronized void show(TaskQueries.Listed now, TaskRecord record) {
        seen = now.version();
        var version = record.version();
        if (version.equals(shown)) {
            return;
        }
        if (shown == null) {
            var first = Json.object();
            first.set("task", record.json(true, historyLength));
            send(first);
        } else {
            record.artifactUpdates().forEach(this::send);
            send(record.statusUpdate());
        }
        shown = version;
        if (untilRest ? record.state().isResting() : record.state().isFinal()) {
            queue.endAfter(EventStream::finish);
        }
    }

    private void send(ObjectNode event) {
        var framed = frame.apply(event);
        queue.add(stream -> stream.send(framed));
    }

    @Override
    public long tenant() {
        return place.tenant();
    }

    @Override
    public Object audience() {
        return new Audience(call.caller().principal(), place.speaker(), task);
    }

    @Override
    public BooleanSupplier validity() {
        return call.validity();
    }

    @Override
    public void keepAlive() {
        queue.keepAlive(EventStream::keepAlive);
    }

    @Override
    public void end() {
        queue.end();
    }

    @Override
    public CompletableFuture<Void> ended() {
        return queue.ended();
    }
}

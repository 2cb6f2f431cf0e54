package io.agentworkspace.engine.a2a.tasks;

import io.agentworkspace.engine.a2a.wire.TaskRecord;
import io.agentworkspace.engine.kernel.streams.EventQueue;
import io.agentworkspace.engine.kernel.streams.EventStream;
import io.agentworkspace.engine.model.json.Json;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The events of one task: first the task, then what changes, until it ends or, after a message, until the client has its turn. */
final class TaskStream implements TaskWatch.Listener {
    /** The memory of an event that waits to be written. */
    static final int EVENT = 64 * 1024;

    private final EventQueue queue;
    private final UnaryOperator<ObjectNode> frame;
    private final boolean untilRest;
    private @Nullable String shown;

    /**
     * @param frame puts an event into what the binding sends
     * @param untilRest whether it ends when the client has its turn
     */
    TaskStream(EventQueue queue, UnaryOperator<ObjectNode> frame, boolean untilRest) {
        this.queue = queue;
        this.frame = frame;
        this.untilRest = untilRest;
    }

    @Override
    public synchronized void show(TaskRecord task) {
        var version = task.version();
        if (version.equals(shown)) {
            return;
        }
        if (shown == null) {
            var first = Json.object();
            first.set("task", task.json());
            send(first);
        } else {
            task.artifactUpdates().forEach(this::send);
            send(task.statusUpdate());
        }
        shown = version;
        if (untilRest ? task.state().isResting() : task.state().isFinal()) {
            queue.endAfter(EventStream::finish);
        }
    }

    private void send(ObjectNode event) {
        var framed = frame.apply(event);
        queue.add(stream -> stream.send(framed));
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

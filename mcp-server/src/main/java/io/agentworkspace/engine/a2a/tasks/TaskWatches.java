package io.agentworkspace.engine.a2a.tasks;

import io.agentworkspace.engine.a2a.tasks.AgentCall.Reading;
import io.agentworkspace.engine.a2a.wire.A2aError;
import io.agentworkspace.engine.a2a.wire.TaskRecord;
import io.agentworkspace.engine.kernel.changes.DatabaseSignals;
import io.agentworkspace.engine.kernel.streams.EventQueue;
import io.agentworkspace.engine.kernel.streams.EventStream;
import io.agentworkspace.engine.kernel.streams.Hub;
import io.agentworkspace.engine.kernel.streams.ListeningTenants;
import io.agentworkspace.engine.kernel.streams.StreamLimits;
import io.agentworkspace.engine.kernel.streams.Ticker;
import io.agentworkspace.engine.model.change.ChangeTopic;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The open streams of tasks on this replica. A message that is sent on any replica makes those look whom it may concern. */
public final class TaskWatches implements AutoCloseable {
    /** How often it is looked without a signal: none says that a question was taken back, or that a message was delivered. */
    private static final Duration AGAIN = Duration.ofSeconds(5);

    private final Ticker ticker = new Ticker();
    private final TaskReader reader;
    private final StreamLimits limits;
    private final Hub<TaskStream> hub;

    /** @param limits shared with the streams of the other endpoints */
    public TaskWatches(TaskReader reader, ListeningTenants listening, StreamLimits limits) {
        this.reader = reader;
        this.limits = limits;
        this.hub = new Hub<>(ticker, listening, ChangeTopic.MESSAGES.word()::equals, this::look);
        hub.start();
        ticker.every(AGAIN, hub::wakeAll);
    }

    public DatabaseSignals.Listener listener() {
        return hub;
    }

    /** Returns what ends the streams when the server stops. */
    public Hub<?> streams() {
        return hub;
    }

    /** One look serves all who wait for the same. The messages are read only if there is news. */
    private void look(List<TaskStream> same) {
        var first = same.getFirst();
        var call = first.call().again();
        var found = reader.find(first.place(), first.task());
        if (found.isPresent() && same.stream().allMatch(stream -> stream.hasSeen(found.get()))) {
            return;
        }
        try {
            found.flatMap(task -> reader.record(call, first.place(), task, TaskReader.MOST, Reading.AGAIN)
                            .map(record -> show(same, task, record)))
                    .ifPresentOrElse(_ -> {}, () -> same.forEach(TaskStream::end));
        } catch (A2aError refused) {
            if (refused.problem() != null) {
                throw refused.problem(); // The next signal looks again.
            }
            throw refused;
        }
    }

    private static TaskRecord show(List<TaskStream> same, TaskQueries.Listed task, TaskRecord record) {
        same.forEach(stream -> stream.show(task, record));
        return record;
    }

    /** Looks again for all who wait in a tenant. */
    void changed(long tenant) {
        hub.of(tenant).forEach(hub::wake);
    }

    /**
     * Opens the stream of a task, which outlives the request.
     *
     * @param task makes sure of the task, when the stream has its place
     * @param untilRest whether it ends when the client has its turn
     * @param historyLength the most messages of the task; null for all
     */
    void open(
            AgentCall call,
            AgentPlace place,
            Supplier<String> task,
            Function<Duration, EventStream> opening,
            UnaryOperator<ObjectNode> frame,
            boolean untilRest,
            @Nullable Integer historyLength) {
        hub.listen(place.tenant());
        var places = limits.of(call.caller());
        places.take(0);
        EventQueue queue;
        String id;
        try {
            id = task.get();
            queue = new EventQueue(opening.apply(places.patience()), places, TaskStream.EVENT);
        } catch (RuntimeException refused) {
            places.giveBack();
            throw refused;
        }
        var stream = new TaskStream(call, place, id, queue, frame, untilRest, historyLength);
        hub.add(stream);
        hub.wake(stream);
    }

    @Override
    public void close() {
        ticker.close();
    }
}

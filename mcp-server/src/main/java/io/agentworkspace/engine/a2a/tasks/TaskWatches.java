package io.agentworkspace.engine.a2a.tasks;

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
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import tools.jackson.databind.node.ObjectNode;

/** Who waits for news of tasks on this replica. A message that is sent on any replica makes those look whom it may concern. */
public final class TaskWatches implements AutoCloseable {
    /** How often it is looked without a signal: none says that a question was taken back, or that a message was delivered. */
    private static final Duration AGAIN = Duration.ofSeconds(5);

    private final Ticker ticker = new Ticker();
    private final TaskReader reader;
    private final StreamLimits limits;
    private final Hub<TaskWatch> hub;

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

    /** One read serves all who wait for the same. */
    private void look(List<TaskWatch> same) {
        var first = same.getFirst();
        try {
            reader.look(first.call(), first.place(), first.task())
                    .ifPresentOrElse(
                            task -> same.forEach(watch -> watch.show(task)), () -> same.forEach(TaskWatch::end));
        } catch (A2aError refused) {
            if (refused.problem() != null) {
                throw refused.problem(); // The next signal looks again.
            }
            throw refused;
        }
    }

    /** Looks again for all who wait in a tenant. */
    void changed(long tenant) {
        hub.of(tenant).forEach(hub::wake);
    }

    /** Opens the stream of a task, which outlives the request. */
    void open(
            AgentCall call,
            AgentPlace place,
            String task,
            Function<Duration, EventStream> opening,
            UnaryOperator<ObjectNode> frame,
            boolean untilRest) {
        hub.listen(place.tenant());
        var places = limits.of(call.caller());
        places.take(0);
        var queue = new EventQueue(opening.apply(places.patience()), places, TaskStream.EVENT);
        watch(new TaskWatch(call.lasting(), place, task, new TaskStream(queue, frame, untilRest)));
    }

    private void watch(TaskWatch watch) {
        hub.add(watch);
        hub.wake(watch);
    }

    /** A request that waits until the client has its turn, or the task has ended. */
    private record Waiting(CompletableFuture<TaskRecord> found, CompletableFuture<Void> ended)
            implements TaskWatch.Listener {
        @Override
        public void show(TaskRecord task) {
            if (task.state().isResting()) {
                found.complete(task);
            }
        }

        @Override
        public void end() {
            found.cancel(false);
        }
    }

    /** Waits until the agent has answered or asked back, or the time is over. It holds no connection to the database meanwhile. */
    void await(AgentCall call, AgentPlace place, String task, Duration longest) {
        hub.listen(place.tenant());
        var waiting = new Waiting(new CompletableFuture<>(), new CompletableFuture<>());
        var places = limits.of(call.caller());
        places.take(0);
        var resumption = call.pause().get();
        try {
            watch(new TaskWatch(call, place, task, waiting));
            waiting.found().get(longest.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException | CancellationException e) {
            // The task is shown as it is.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            waiting.ended().complete(null);
            places.giveBack();
        }
        resumption.run();
    }

    @Override
    public void close() {
        ticker.close();
    }
}

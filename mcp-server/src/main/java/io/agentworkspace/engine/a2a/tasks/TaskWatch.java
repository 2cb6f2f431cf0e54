package io.agentworkspace.engine.a2a.tasks;

import io.agentworkspace.engine.a2a.wire.TaskRecord;
import io.agentworkspace.engine.kernel.streams.Hub;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** Somebody who waits for news of a task: a stream, or a request that waits for the answer. */
final class TaskWatch implements Hub.Subscriber {
    private final AgentCall call;
    private final AgentPlace place;
    private final String task;
    private final Listener listener;

    /** What the news are for. */
    interface Listener {
        void show(TaskRecord task);

        default void keepAlive() {}

        void end();

        CompletableFuture<Void> ended();
    }

    /** Those who see the same. */
    private record Audience(String principal, long speaker, String task) {}

    TaskWatch(AgentCall call, AgentPlace place, String task, Listener listener) {
        this.call = call;
        this.place = place;
        this.task = task;
        this.listener = listener;
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

    void show(TaskRecord record) {
        listener.show(record);
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
        listener.keepAlive();
    }

    @Override
    public void end() {
        listener.end();
    }

    @Override
    public CompletableFuture<Void> ended() {
        return listener.ended();
    }
}

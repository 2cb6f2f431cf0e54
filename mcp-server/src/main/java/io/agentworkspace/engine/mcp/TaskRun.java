package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.model.Caller;
import io.agentworkspace.engine.model.Json;
import io.agentworkspace.engine.model.Problem;
import io.agentworkspace.engine.store.TaskStore;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/** One attempt at a task: the call of its tool, as the client would have made it, and what came of it. */
final class TaskRun {
    private static final Logger LOG = LoggerFactory.getLogger(TaskRun.class);
    private static final int TRIES = 5;

    private final TaskStore.Task task;
    private final TaskOrigin.Kept kept;
    private final TaskMemory memory;
    private @Nullable Thread thread;
    private boolean stopped;

    TaskRun(TaskStore.Task task) {
        this.task = task;
        this.kept = TaskOrigin.Kept.read(task.request());
        this.memory = TaskMemory.read(task.memory());
    }

    TaskStore.Claim claim() {
        return task.claim();
    }

    String principal() {
        return task.principal();
    }

    /** Begins to work on a thread of its own. */
    synchronized void start(Runnable work) {
        thread = Thread.startVirtualThread(work);
    }

    /** Stops the work: nobody wants it any more, or another does it. */
    synchronized void stop() {
        stopped = true;
        if (thread != null) {
            thread.interrupt();
        }
    }

    /** The interrupt was about the work; what became of it can still be told. */
    synchronized void workIsOver() {
        thread = null;
        var _ = Thread.interrupted();
    }

    private synchronized boolean isStopped() {
        return stopped;
    }

    /** @param progress takes what the tool says about how far it is */
    TaskStore.Step work(Tools tools, Optional<Caller> caller, Consumer<String> progress) {
        if (caller.isEmpty()) {
            return step(TaskStore.Status.CANCELLED, "the credential that began it is no longer valid", null);
        }
        if (task.tries() > TRIES) {
            return failed(Problem.internal(kept.requestId()));
        }
        var voice = Voice.progress(notification -> progress.accept(words(notification)));
        var turn = new Turn(new TaskOrigin(caller.get(), kept), kept.client(), voice, memory.inputs());
        try {
            return step(tools.run(kept.tool(), kept.arguments(), turn));
        } catch (RpcError error) {
            return failed(error);
        } catch (Problem problem) {
            return failed(problem);
        } catch (RuntimeException | Error defect) {
            if (!isStopped()) {
                LOG.atError()
                        .addKeyValue("request_id", kept.requestId())
                        .setCause(defect)
                        .log("a task failed");
            }
            return failed(Problem.internal(kept.requestId()));
        }
    }

    private static String words(ObjectNode notification) {
        var progress = notification.path("params");
        var total = progress.has("total") ? " of " + progress.get("total") : "";
        var message = progress.path("message").asString("");
        return progress.get("progress") + total + (message.isEmpty() ? "" : ": " + message);
    }

    private TaskStore.Step step(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Done done -> {
                var result = Json.object().put("resultType", "complete");
                yield step(TaskStore.Status.COMPLETED, null, result.setAll(done.result()));
            }
            case Outcome.Ask ask -> {
                Workings.checkAbilities(ask, kept.client());
                yield new TaskStore.Step(
                        TaskStore.Status.INPUT_REQUIRED,
                        "it waits for answers to its inputRequests: send them with tasks/update",
                        memory.with(ask).json(),
                        null);
            }
        };
    }

    private TaskStore.Step failed(Problem problem) {
        return failed(RpcError.internal(problem, kept.requestId()));
    }

    private TaskStore.Step failed(RpcError error) {
        var json = (ObjectNode) error.json(null).get("error");
        return step(TaskStore.Status.FAILED, json.path("message").asString(""), json);
    }

    private TaskStore.Step step(TaskStore.Status status, @Nullable String message, @Nullable ObjectNode outcome) {
        return new TaskStore.Step(status, message, memory.json(), outcome);
    }
}

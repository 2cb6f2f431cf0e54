package io.agentworkspace.engine.mcp.lanes;

import io.agentworkspace.engine.kernel.scheduling.Cancellation;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.kernel.wire.RequestNotifier;
import io.agentworkspace.engine.kernel.wire.RpcError;
import io.agentworkspace.engine.mcp.methods.ToolMethods;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.tasks.McpTaskState;
import io.agentworkspace.engine.mcp.tasks.McpTaskStore;
import io.agentworkspace.engine.mcp.tasks.TaskOrigin;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/** One attempt at a task: runs its tool as if the client had called it, and reports the result. */
final class TaskAttempt {
    private static final Logger LOG = LoggerFactory.getLogger(TaskAttempt.class);
    private static final int TRIES = 5;
    private static final Duration LONGEST = Duration.ofHours(1);

    private final McpTaskStore.Task task;
    private final TaskOrigin.StoredOrigin kept;
    private final McpTaskState memory;
    private final long startNanos = System.nanoTime();
    private final Cancellation cancellation = new Cancellation();
    private @Nullable Thread thread;
    private volatile boolean stopped;
    private volatile McpTaskStore.@Nullable Step verdict;

    TaskAttempt(McpTaskStore.Task task) {
        this.task = task;
        this.kept = TaskOrigin.StoredOrigin.read(task.request());
        this.memory = McpTaskState.read(task.memory());
    }

    McpTaskStore.ClaimedTask claim() {
        return task.claim();
    }

    String principal() {
        return task.principal();
    }

    boolean tookTooLong() {
        return System.nanoTime() - startNanos > LONGEST.toNanos();
    }

    private synchronized void workBegins() {
        thread = Thread.currentThread();
        if (stopped) {
            end(thread);
        }
    }

    /** Stops the work. Another replica may continue it. */
    void stop() {
        stop(null);
    }

    /** Stops the work for good: no replica continues it. */
    void stopForGood() {
        stop(tookTooLong() ? failed("it took longer than an hour, and was stopped") : withoutCredential());
    }

    private synchronized void stop(McpTaskStore.@Nullable Step why) {
        stopped = true;
        verdict = verdict == null ? why : verdict;
        if (thread != null) {
            end(thread);
        }
    }

    /** Ends what waits, what computes, and what runs at the database. */
    private void end(Thread working) {
        cancellation.cancelSoon();
        working.interrupt();
    }

    /** Clears the interrupt, which concerned only the work, so that the result can still be reported. */
    private synchronized void workIsOver() {
        thread = null;
        var _ = Thread.interrupted();
    }

    /**
     * Runs the tool.
     *
     * @param progress receives the tool's progress
     * @return empty if the work was stopped before it succeeded, so that another replica continues it
     */
    Optional<McpTaskStore.Step> work(ToolMethods tools, Optional<Caller> caller, Consumer<String> progress) {
        workBegins();
        var step = caller.map(current -> work(tools, current, progress)).orElseGet(this::withoutCredential);
        workIsOver();
        return stopped && !succeeded(step) ? Optional.ofNullable(verdict) : Optional.of(step);
    }

    private static boolean succeeded(McpTaskStore.Step step) {
        return switch (step.status()) {
            case COMPLETED ->
                step.outcome() != null && !step.outcome().path("isError").asBoolean(false);
            case INPUT_REQUIRED -> true;
            default -> false;
        };
    }

    private McpTaskStore.Step work(ToolMethods tools, Caller caller, Consumer<String> progress) {
        if (task.tries() > TRIES) {
            return failed("it was begun %d times, and each time its server was lost".formatted(TRIES));
        }
        var notifier = RequestNotifier.progress(notification -> progress.accept(words(notification)));
        var request = new McpRequest(new TaskOrigin(caller, kept), kept.client(), notifier, memory.inputs());
        try {
            return cancellation.call(() -> step(tools.run(kept.tool(), kept.arguments(), request)));
        } catch (RpcError error) {
            return failed(error);
        } catch (Problem problem) {
            return failed(RpcError.of(problem, kept.requestId()));
        } catch (RuntimeException | Error defect) {
            if (!stopped) {
                LOG.atError()
                        .addKeyValue("request_id", kept.requestId())
                        .setCause(defect)
                        .log("a task failed");
            }
            return failed(RpcError.of(Problem.internal(kept.requestId()), kept.requestId()));
        }
    }

    private static String words(ObjectNode notification) {
        var progress = notification.path("params");
        var total = progress.has("total") ? " of " + progress.get("total") : "";
        var message = progress.path("message").asString("");
        return clean(progress.get("progress") + total + (message.isEmpty() ? "" : ": " + message));
    }

    /** Removes characters that the database cannot store. */
    private static String clean(String text) {
        return text.replace("\0", "");
    }

    private McpTaskStore.Step step(MethodResult outcome) {
        return switch (outcome) {
            case MethodResult.Done done -> {
                var result = Json.object().put("resultType", "complete");
                yield step(McpTaskStore.Status.COMPLETED, null, result.setAll(done.result()));
            }
            case MethodResult.Ask ask -> {
                LaneContext.checkAbilities(ask, kept.client());
                yield new McpTaskStore.Step(
                        McpTaskStore.Status.INPUT_REQUIRED,
                        "it waits for answers to its inputRequests: send them with tasks/update",
                        memory.with(ask).json(),
                        null);
            }
        };
    }

    private McpTaskStore.Step withoutCredential() {
        return step(McpTaskStore.Status.CANCELLED, "the credential that began it is no longer valid", null);
    }

    private McpTaskStore.Step failed(String note) {
        return failed(RpcError.internal(new Problem(Failure.INTERNAL, note), kept.requestId()));
    }

    private McpTaskStore.Step failed(RpcError error) {
        var json = (ObjectNode) error.json(null).get("error");
        return step(McpTaskStore.Status.FAILED, clean(json.path("message").asString("")), json);
    }

    private McpTaskStore.Step step(McpTaskStore.Status status, @Nullable String message, @Nullable ObjectNode outcome) {
        return new McpTaskStore.Step(status, message, memory.json(), outcome);
    }
}

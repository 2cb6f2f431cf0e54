package io.agentworkspace.engine.mcp.tasks;

import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.node.ObjectNode;

/**
 * The tasks of the MCP endpoint. They are started for clients that accept them; only the principal that started one
 * can read, answer or cancel it.
 */
public final class McpTasks {
    private static final Duration LIFE = Duration.ofHours(24);
    private static final int POLL_MILLIS = 1_000;

    private final String server;
    private final McpTaskStore store;
    private final Clock clock;
    private final SecureRandom random = new SecureRandom();
    private final Runnable wake;

    /**
     * @param server the name of the server that the tools belong to
     * @param wake runs when a task is ready to run
     */
    public McpTasks(String server, McpTaskStore store, Clock clock, Runnable wake) {
        this.server = server;
        this.store = store;
        this.clock = clock;
        this.wake = wake;
    }

    /** Creates a task, which is stored when this returns. */
    public MethodResult begin(String tool, ObjectNode arguments, McpRequest request) {
        var id = newId();
        var now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        var draft = new McpTaskStore.TaskDraft(
                id,
                server,
                TaskOrigin.StoredOrigin.of(id, tool, arguments, request).json(),
                McpTaskState.of(request.inputs()).json(),
                now,
                now.plus(LIFE));
        var task = store.insert(request.caller(), draft)
                .orElseThrow(() -> Problem.conflict(
                        "a limit is reached: %d unfinished tasks, or in the last 24 hours %d tasks or %d MiB of calls and results (%d MiB in your tenant). Wait, or end an unfinished task with tasks/cancel"
                                .formatted(
                                        McpTaskStore.MAX_OPEN,
                                        McpTaskStore.MAX_KEPT,
                                        McpTaskStore.MAX_BYTES >> 20,
                                        McpTaskStore.MAX_BYTES_OF_TENANT >> 20)));
        wake.run();
        return MethodResult.done(json(task).put("resultType", "task"));
    }

    /** Returns a new id that cannot be guessed. */
    private String newId() {
        var bytes = new byte[18];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Returns the task with the fields of its status. */
    public Optional<ObjectNode> find(Caller caller, String id) {
        return store.find(caller, id).map(McpTasks::detailed);
    }

    /** Returns those of the ids that belong to the caller. */
    public Set<String> existing(Caller caller, Collection<String> ids) {
        return store.existing(caller, ids);
    }

    /** Adds answers. When none is missing, the task continues. */
    boolean answer(Caller caller, String id, Map<String, ObjectNode> answers) {
        var found = store.update(
                caller,
                id,
                step -> {
                    var memory = McpTaskState.read(step.memory()).with(answers);
                    return memory.questions().isEmpty()
                            ? new McpTaskStore.Step(McpTaskStore.Status.WORKING, null, memory.json(), null)
                            : new McpTaskStore.Step(step.status(), step.message(), memory.json(), null);
                },
                clock.instant());
        wake.run();
        return found.isPresent();
    }

    boolean cancel(Caller caller, String id) {
        return store.cancel(caller, id, "cancelled by the client", clock.instant());
    }

    private static ObjectNode detailed(McpTaskStore.Task task) {
        var json = json(task);
        switch (task.status()) {
            case INPUT_REQUIRED ->
                McpTaskState.read(task.memory()).questions().forEach(json.putObject("inputRequests")::set);
            case COMPLETED -> json.set("result", task.outcome());
            case FAILED -> json.set("error", task.outcome());
            case WORKING, CANCELLED -> {}
        }
        return json;
    }

    private static ObjectNode json(McpTaskStore.Task task) {
        var json = Json.object()
                .put("taskId", task.id())
                .put("status", task.status().word());
        if (task.message() != null) {
            json.put("statusMessage", task.message());
        }
        json.set("createdAt", Json.valueTree(task.createdAt()));
        json.set("lastUpdatedAt", Json.valueTree(task.updatedAt()));
        return json.put(
                        "ttlMs",
                        Duration.between(task.createdAt(), task.expiresAt()).toMillis())
                .put("pollIntervalMs", POLL_MILLIS);
    }
}

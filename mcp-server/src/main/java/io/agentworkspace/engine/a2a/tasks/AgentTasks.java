package io.agentworkspace.engine.a2a.tasks;

import io.agentworkspace.engine.a2a.tasks.AgentCall.Reading;
import io.agentworkspace.engine.a2a.wire.A2aError;
import io.agentworkspace.engine.a2a.wire.A2aError.Kind;
import io.agentworkspace.engine.a2a.wire.Fields;
import io.agentworkspace.engine.a2a.wire.SentMessage;
import io.agentworkspace.engine.a2a.wire.TaskRecord;
import io.agentworkspace.engine.kernel.page.Cursor;
import io.agentworkspace.engine.kernel.streams.EventStream;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.Sha256;
import io.agentworkspace.engine.model.tool.ResponseBudget;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * The operations on tasks. A message begins a task by AP_Ask, or continues one by AP_Chat; CancelTask takes the question back by AP_Answer. So
 * whatever applies to these tools applies here: access, rules, limits, the loop guard, audit, idempotency keys.
 */
public final class AgentTasks {
    /** How many seconds SendMessage waits for the answer. Proxies and clients usually give up after a minute. */
    private static final int PATIENCE = 50;

    private static final int PAGE = 50;
    private static final int MOST = 100;

    /** How many messages are read to find the answer among them. */
    private static final int WITH_ANSWER = 20;

    /** The states of the protocol. No task here is rejected, or waits for a sign-in. */
    private static final List<String> STATES = Stream.concat(
                    Stream.of(TaskRecord.State.values()).map(TaskRecord.State::word),
                    Stream.of("TASK_STATE_REJECTED", "TASK_STATE_AUTH_REQUIRED"))
            .toList();

    private final TaskReader reader;
    private final TaskQueries queries;
    private final TaskWatches watches;

    public AgentTasks(TaskReader reader, TaskQueries queries, TaskWatches watches) {
        this.reader = reader;
        this.queries = queries;
        this.watches = watches;
    }

    /**
     * Begins or continues a task, waits for the answer if the client does, and returns the task as it then is.
     *
     * @param begun runs with the task's id before the answer is waited for; null if there is nothing to run
     */
    public TaskRecord send(AgentCall call, AgentPlace place, SentMessage message, @Nullable Consumer<String> begun) {
        var ready = ready(call, place, message);
        var isWaiting = !message.atOnce();
        var task = ready.send(call, isWaiting && begun == null);
        if (begun != null) {
            begun.accept(task);
            if (isWaiting) {
                ready.send(call, true); // The same call again: nothing is sent twice.
            }
        }
        call.requireValid();
        return reader.again(call, place, task);
    }

    /**
     * A message that is checked.
     *
     * @param task that it continues; empty if it begins one
     */
    private record Ready(String task, ObjectNode arguments, String key) {
        /** Sends the message, unless it was sent before, and returns its task. */
        String send(AgentCall call, boolean isWaiting) {
            var sent = arguments.deepCopy();
            if (isWaiting) {
                sent.put("wait_seconds", PATIENCE);
            }
            var answer = call.say(task.isEmpty() ? "AP_Ask" : "AP_Chat", sent, key);
            return task.isEmpty() ? answer.at("/question/id").asString("") : task;
        }
    }

    private Ready ready(AgentCall call, AgentPlace place, SentMessage message) {
        checkContext(place, message.contextId());
        var key = key(place, message);
        var arguments = Json.object();
        if (message.taskId().isEmpty()) {
            arguments.put("content", MessageFiles.text(call, message, key));
            arguments.putObject("target").put("agent", place.name());
            return new Ready("", arguments, key);
        }
        var task = reader.find(place, message.taskId()).orElseThrow(() -> A2aError.noTask(message.taskId()));
        if (task.state().isFinal()) {
            throw A2aError.of(
                    Kind.UNSUPPORTED_OPERATION,
                    "the task is %s and takes no further message: leave out taskId to begin another"
                            .formatted(task.state().name().toLowerCase(Locale.ROOT)));
        }
        var id = task.id().toString();
        arguments.put("content", MessageFiles.text(call, message, key)).put("reply_to", id);
        return new Ready(id, arguments, key);
    }

    private static void checkContext(AgentPlace place, String contextId) {
        if (!contextId.isEmpty() && !contextId.equals(place.contextId())) {
            throw A2aError.invalid(
                    "message.contextId",
                    "is none of yours at this agent: your conversation with it is %s; leave contextId out to use it"
                            .formatted(place.contextId()));
        }
    }

    /** Returns the idempotency key: the same message, sent again, is one. Some clients use an id again for another message. */
    private static String key(AgentPlace place, SentMessage message) {
        var parts = Json.array()
                .add(place.contextId())
                .add(message.taskId())
                .add(message.messageId())
                .add(message.text());
        message.files()
                .forEach(file -> parts.add(file.name()).add(file.mediaType()).add(hash(file.bytes())));
        return "a2a-" + hash(Json.bytes(parts));
    }

    private static String hash(byte[] bytes) {
        return HexFormat.of().formatHex(Sha256.of(bytes), 0, 16);
    }

    public TaskRecord read(AgentCall call, AgentPlace place, String task) {
        return reader.read(call, place, task);
    }

    /**
     * Sends a message, and opens the stream of its task. The stream has its place before anything is sent.
     *
     * @param begun runs with the task's id before the stream begins; null if there is nothing to run
     */
    public void stream(
            AgentCall call,
            AgentPlace place,
            SentMessage message,
            @Nullable Consumer<String> begun,
            Function<Duration, EventStream> opening,
            UnaryOperator<ObjectNode> frame) {
        Supplier<String> task = () -> {
            var id = ready(call, place, message).send(call, false);
            if (begun != null) {
                begun.accept(id);
            }
            return id;
        };
        watches.open(call, place, task, opening, frame, true, message.historyLength());
    }

    /** Opens the stream of a task that has not ended. */
    public void subscribe(
            AgentCall call,
            AgentPlace place,
            String id,
            Function<Duration, EventStream> opening,
            UnaryOperator<ObjectNode> frame) {
        var task = reader.read(call, place, id);
        if (task.state().isFinal()) {
            throw A2aError.of(
                    Kind.UNSUPPORTED_OPERATION,
                    "the task has ended (%s): GetTask returns it"
                            .formatted(task.state().word()));
        }
        watches.open(call, place, task::id, opening, frame, false, null);
    }

    /** Takes the question back. */
    public TaskRecord cancel(AgentCall call, AgentPlace place, String id) {
        var task = reader.read(call, place, id);
        if (task.state() == TaskRecord.State.CANCELED) {
            return task;
        }
        if (task.state().isFinal()) {
            throw notCancelable(task);
        }
        try {
            call.run("AP_Answer", Json.object().put("question", task.id()).put("withdraw", true), null);
        } catch (A2aError refused) {
            var now = reader.again(call, place, id);
            if (now.state() != TaskRecord.State.CANCELED) {
                throw now.state().isFinal() ? notCancelable(now) : refused;
            }
        }
        watches.changed(place.tenant());
        return reader.again(call.again(), place, id);
    }

    private static A2aError notCancelable(TaskRecord task) {
        return A2aError.of(
                Kind.TASK_NOT_CANCELABLE,
                "the task has ended (%s), so it cannot be canceled"
                        .formatted(task.state().word()));
    }

    /**
     * Lists the caller's tasks at the agent, the latest change first. Each task counts against the caller's rate, and all share one budget:
     * a page that reaches a limit ends early.
     */
    public ObjectNode list(AgentCall call, AgentPlace place, Fields params) {
        var contextId = params.text("contextId");
        var size = params.number("pageSize", 1, MOST);
        var limit = size == null ? PAGE : size;
        var wanted = wanted(params, limit + 1);
        var withArtifacts = params.flag("includeArtifacts");
        var historyLength = params.number("historyLength", 0, TaskReader.MOST);
        var history = historyLength == null ? 0 : historyLength;
        var most = Math.max(withArtifacts ? WITH_ANSWER : 1, history);
        var found = contextId.isEmpty() || contextId.equals(place.contextId())
                ? queries.list(place, wanted, most)
                : List.<TaskQueries.Listed>of();
        var page = found.subList(0, Math.min(limit, found.size()));
        var answer = Json.object();
        var tasks = answer.putArray("tasks");
        var read = 0;
        while (read < page.size() && hasRoom(call, read)) {
            reader.record(call, place, page.get(read++), most, Reading.UNSEEN)
                    .ifPresent(task -> tasks.add(task.json(withArtifacts, history)));
        }
        var last = read < found.size() ? page.get(read - 1) : null;
        return answer.put(
                        "nextPageToken",
                        last == null
                                ? ""
                                : Cursor.of(last.at().toString(), last.id().toString()))
                .put("pageSize", limit)
                .put("totalSize", found.isEmpty() ? 0 : found.getFirst().total());
    }

    /** Counts a further task of the list. The first one is always there, or its refusal. */
    private static boolean hasRoom(AgentCall call, int read) {
        if (read > 0 && call.budget().left() < 2L * ResponseBudget.LEAST) {
            return false;
        }
        try {
            call.runner().admit(call.caller());
            return true;
        } catch (Problem limited) {
            if (read == 0) {
                throw limited;
            }
            return false;
        }
    }

    private static TaskQueries.Wanted wanted(Fields params, int limit) {
        var token = params.text("pageToken");
        var since = params.time("statusTimestampAfter");
        if (token.isEmpty()) {
            return new TaskQueries.Wanted(state(params), since, null, null, limit);
        }
        try {
            var keys = Cursor.read(token, 2);
            return new TaskQueries.Wanted(
                    state(params), since, Instant.parse(keys.getFirst()), UUID.fromString(keys.getLast()), limit);
        } catch (Problem | DateTimeException | IllegalArgumentException e) {
            throw params.invalid("pageToken", "must be a nextPageToken of this list");
        }
    }

    private static @Nullable String state(Fields params) {
        var word = params.text("status");
        if (word.isEmpty() || word.equals("TASK_STATE_UNSPECIFIED")) {
            return null;
        }
        if (!STATES.contains(word)) {
            throw params.invalid("status", "must be one of " + String.join(", ", STATES));
        }
        return word.substring("TASK_STATE_".length());
    }
}

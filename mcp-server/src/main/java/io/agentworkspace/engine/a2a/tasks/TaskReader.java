package io.agentworkspace.engine.a2a.tasks;

import io.agentworkspace.engine.a2a.tasks.AgentCall.Reading;
import io.agentworkspace.engine.a2a.tasks.TaskQueries.Listed;
import io.agentworkspace.engine.a2a.wire.A2aError;
import io.agentworkspace.engine.a2a.wire.TaskRecord;
import io.agentworkspace.engine.a2a.wire.TaskRecord.State;
import io.agentworkspace.engine.kernel.page.Cursor;
import io.agentworkspace.engine.kernel.secrets.SealedCursors;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.ResponseBudget;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads a task: the question, and the last messages that answer it, as AP_Read shows them to the caller. The task is completed when the agent
 * answers the question (AP_Answer). A message of the agent that answers it without that asks back: then the client has its turn.
 */
public final class TaskReader {
    /** The most messages of a task that are shown. */
    static final int MOST = 100;

    private static final String READ = "AP_Read";

    private final String baseUrl;
    private final TaskQueries queries;
    private final SealedCursors cursors;

    public TaskReader(String baseUrl, TaskQueries queries, SealedCursors cursors) {
        this.baseUrl = baseUrl;
        this.queries = queries;
        this.cursors = cursors;
    }

    /** Reads a task of the caller, who is counted. */
    TaskRecord read(AgentCall call, AgentPlace place, String id) {
        return find(place, id)
                .flatMap(task -> record(call, place, task, MOST, Reading.COUNTED))
                .orElseThrow(() -> A2aError.noTask(id));
    }

    /** Reads a task again for the same request. */
    TaskRecord again(AgentCall call, AgentPlace place, String id) {
        return find(place, id)
                .flatMap(task -> record(call, place, task, MOST, Reading.AGAIN))
                .orElseThrow(() -> A2aError.noTask(id));
    }

    /** Finds a task of the caller, without its messages. */
    Optional<Listed> find(AgentPlace place, String id) {
        return Optional.ofNullable(uuid(id)).flatMap(task -> queries.find(place, task, MOST));
    }

    /** Finds the state of a task of the caller, without what was said. */
    public Optional<TaskRecord> state(AgentPlace place, String id) {
        return find(place, id)
                .map(task -> new TaskRecord(
                        task.id().toString(),
                        place.contextId(),
                        task.state(),
                        null,
                        timestamp(task),
                        List.of(),
                        List.of()));
    }

    private static String timestamp(Listed task) {
        return DateTimeFormatter.ISO_INSTANT.format(task.at().truncatedTo(ChronoUnit.MILLIS));
    }

    /**
     * Reads what is said in a task; empty if the caller may not see it.
     *
     * @param most how many messages at most
     */
    Optional<TaskRecord> record(AgentCall call, AgentPlace place, Listed task, int most, Reading reading) {
        try {
            return Optional.of(record(place, task, messages(call, task, most, reading)));
        } catch (A2aError refused) {
            if (AgentCall.isMissing(refused)) {
                return Optional.empty();
            }
            throw refused;
        }
    }

    private static @Nullable UUID uuid(String id) {
        try {
            return id.length() == 36 ? UUID.fromString(id) : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Returns the question, and the last messages up to the one that the state is of, as far as they fit. */
    private List<JsonNode> messages(AgentCall call, Listed task, int most, Reading reading) {
        var isWhole = task.before() == 0;
        var room = (call.budget().left() - ResponseBudget.LEAST) / 2; // An answer is shown again as an artifact.
        var messages = new ArrayList<>(page(call, task, 0, isWhole ? most : 1, reading, room));
        var further = reading == Reading.COUNTED ? Reading.AGAIN : reading;
        if (!isWhole) {
            messages.addAll(page(call, task, task.before(), most, further, room));
        }
        var last = place(messages, task.lastId());
        if (last < 0) { // The others have taken all the room.
            messages.addAll(page(call, task, task.last() - 1, 1, further, ResponseBudget.LEAST));
            return messages;
        }
        return messages.subList(0, last + 1);
    }

    private static int place(List<JsonNode> messages, String id) {
        for (var i = messages.size() - 1; i >= 0; i--) {
            if (messages.get(i).path("id").asString("").equals(id)) {
                return i;
            }
        }
        return -1;
    }

    /** @param after the number of the message before the page; 0 for the first page */
    private List<JsonNode> page(AgentCall call, Listed task, long after, int limit, Reading reading, long room) {
        var arguments = Json.object().put("inbox", true).put("thread", task.id().toString());
        var page = arguments.putObject("page").put("limit", limit);
        if (after > 0) {
            arguments.putObject("target").put("context", AgentCall.ENDPOINT);
            page.put(
                    "cursor",
                    cursors.seal(
                            SealedCursors.question(READ, call.caller(), arguments),
                            Cursor.of(Long.toString(task.conversation()), Long.toString(after))));
        }
        return call.read(READ, arguments, reading, room)
                .path("content")
                .valueStream()
                .toList();
    }

    private TaskRecord record(AgentPlace place, Listed listed, List<JsonNode> messages) {
        var root = messages.getFirst();
        var last = messages.getLast();
        var answer = listed.state() == State.COMPLETED ? answer(messages, root.path("question"), place) : null;
        var said = answer == null ? last : answer;
        var task = listed.id().toString();
        return new TaskRecord(
                task,
                place.contextId(),
                listed.state(),
                isOwn(said, place) ? null : message(said, place, task),
                timestamp(listed),
                answer == null ? List.of() : List.of(artifact(answer)),
                messages.stream()
                        .skip(listed.before() == 0 ? 0 : 1)
                        .map(each -> message(each, place, task))
                        .toList());
    }

    private static boolean isOwn(JsonNode message, AgentPlace place) {
        return message.path("from").asString("").equals(place.speakerName())
                && message.path("from_kind").asString("").equals(place.speakerKind());
    }

    /** Returns the message by which the agent answered: the last one that answers the question and begins with its answer. */
    private static JsonNode answer(List<JsonNode> messages, JsonNode question, AgentPlace place) {
        var text = question.path("answer").asString("");
        return messages.reversed().stream()
                .filter(each -> !isOwn(each, place)
                        && each.path("reply_to").equals(question.path("id"))
                        && each.path("content").asString("").startsWith(text))
                .findFirst()
                .orElse(messages.getLast());
    }

    private ObjectNode message(JsonNode message, AgentPlace place, String task) {
        var record = Json.object()
                .put("messageId", message.path("id").asString(""))
                .put("contextId", place.contextId())
                .put("taskId", task)
                .put("role", isOwn(message, place) ? "ROLE_USER" : "ROLE_AGENT");
        addParts(record, message);
        return record;
    }

    private ObjectNode artifact(JsonNode answer) {
        var artifact =
                Json.object().put("artifactId", answer.path("id").asString("")).put("name", "answer");
        addParts(artifact, answer);
        return artifact;
    }

    private void addParts(ObjectNode holder, JsonNode message) {
        var parts = holder.putArray("parts");
        parts.addObject().put("text", message.path("content").asString("")).put("mediaType", "text/plain");
        for (var attached : message.path("attachments")) {
            var name = attached.path("document").asString("");
            var part = parts.addObject()
                    .put(
                            "url",
                            "%s/api/documents/%s?version=%d&part=file"
                                    .formatted(
                                            baseUrl,
                                            URLEncoder.encode(name, StandardCharsets.UTF_8)
                                                    .replace("+", "%20"),
                                            attached.path("version").asLong(1)))
                    .put("filename", name);
            if (attached.has("media_type")) {
                part.put("mediaType", attached.path("media_type").asString(""));
            }
        }
    }
}

package io.agentworkspace.engine.a2a.tasks;

import io.agentworkspace.engine.a2a.wire.A2aError;
import io.agentworkspace.engine.a2a.wire.TaskRecord;
import io.agentworkspace.engine.a2a.wire.TaskRecord.State;
import io.agentworkspace.engine.model.json.Json;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads a task: the question, and everything that answers it, as AP_Read shows them to the caller. The task is completed when the agent
 * answers the question (AP_Answer). A message of the agent that answers it without that asks back: then the client has its turn.
 */
public final class TaskReader {
    private static final int MOST_PAGES = 10;
    private static final int PAGE = 200;

    private final String baseUrl;

    public TaskReader(String baseUrl) {
        this.baseUrl = baseUrl;
    }

    /** Reads a task as its caller, who is counted. */
    TaskRecord read(AgentCall call, AgentPlace place, String id) {
        return find(place, id, arguments -> call.run("AP_Read", arguments, null))
                .orElseThrow(() -> A2aError.noTask(id));
    }

    /** Looks at a task without counting; empty if the caller has none with this id. */
    public Optional<TaskRecord> look(AgentCall call, AgentPlace place, String id) {
        return find(place, id, arguments -> call.look("AP_Read", arguments));
    }

    private Optional<TaskRecord> find(AgentPlace place, String id, Function<ObjectNode, ObjectNode> reading) {
        var task = uuid(id);
        if (task == null) {
            return Optional.empty();
        }
        try {
            var messages = messages(task, reading);
            var root = messages.getFirst();
            var isTask = root.has("question")
                    && root.path("id").asString("").equals(task.toString())
                    && isOwn(root, place)
                    && root.path("to").asString("").equals(place.name())
                    && root.path("to_kind").asString("").equals("agent");
            return isTask ? Optional.of(record(place, messages)) : Optional.empty();
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

    private static List<JsonNode> messages(UUID task, Function<ObjectNode, ObjectNode> reading) {
        var messages = new ArrayList<JsonNode>();
        var cursor = "";
        for (var page = 0; page < MOST_PAGES; page++) {
            var arguments = Json.object().put("inbox", true).put("thread", task.toString());
            arguments.putObject("page").put("limit", PAGE);
            if (!cursor.isEmpty()) {
                arguments.withObject("page").put("cursor", cursor);
            }
            var answer = reading.apply(arguments);
            answer.path("content").forEach(messages::add);
            cursor = answer.path("next_cursor").asString("");
            if (cursor.isEmpty()) {
                break;
            }
        }
        return messages;
    }

    private TaskRecord record(AgentPlace place, List<JsonNode> messages) {
        var root = messages.getFirst();
        var last = messages.getLast();
        var question = root.path("question");
        var state = state(question, last, place);
        var answer = state == State.COMPLETED ? answer(messages, question, place) : null;
        var said = answer == null ? last : answer;
        var isAgents = !isOwn(said, place);
        var task = root.path("id").asString("");
        return new TaskRecord(
                task,
                place.contextId(),
                state,
                isAgents ? message(said, place, task) : null,
                (answer == null ? said.path("created_at") : question.path("answered_at")).asString(""),
                answer == null ? List.of() : List.of(artifact(answer)),
                messages.stream().map(each -> message(each, place, task)).toList());
    }

    private static State state(JsonNode question, JsonNode last, AgentPlace place) {
        return switch (question.path("state").asString("")) {
            case "answered" -> State.COMPLETED;
            case "withdrawn" -> State.CANCELED;
            case "expired" -> State.FAILED;
            default ->
                !isOwn(last, place) ? State.INPUT_REQUIRED : last.has("delivered_at") ? State.WORKING : State.SUBMITTED;
        };
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

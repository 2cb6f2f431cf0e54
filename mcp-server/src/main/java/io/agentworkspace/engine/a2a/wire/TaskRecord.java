package io.agentworkspace.engine.a2a.wire;

import io.agentworkspace.engine.model.json.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * A task as clients see it.
 *
 * @param message what the agent said last, if that is news of the state
 * @param timestamp when the state began, as the protocol writes times
 * @param artifacts what the agent made of it, each an artifact
 * @param history the messages, oldest first
 */
public record TaskRecord(
        String id,
        String contextId,
        State state,
        @Nullable ObjectNode message,
        String timestamp,
        List<ObjectNode> artifacts,
        List<ObjectNode> history) {

    /** The state of a task. */
    public enum State {
        SUBMITTED,
        WORKING,
        INPUT_REQUIRED,
        COMPLETED,
        FAILED,
        CANCELED;

        public String word() {
            return "TASK_STATE_" + name();
        }

        public boolean isFinal() {
            return this == COMPLETED || this == FAILED || this == CANCELED;
        }

        /** Returns whether the client has its turn, or nobody has. */
        public boolean isResting() {
            return isFinal() || this == INPUT_REQUIRED;
        }
    }

    /** Returns what changes whenever a client must learn of it. */
    public String version() {
        var said = message == null ? "" : message.path("messageId").asString("");
        return state.name() + " " + said;
    }

    /** @param historyLength the most messages; null for all, 0 for none */
    public ObjectNode json(boolean withArtifacts, @Nullable Integer historyLength) {
        var task = Json.object().put("id", id).put("contextId", contextId);
        task.set("status", status());
        if (withArtifacts && !artifacts.isEmpty()) {
            artifacts.forEach(task.putArray("artifacts")::add);
        }
        var most = historyLength == null ? history.size() : Math.min(historyLength, history.size());
        if (most > 0) {
            history.subList(history.size() - most, history.size()).forEach(task.putArray("history")::add);
        }
        return task;
    }

    public ObjectNode json() {
        return json(true, null);
    }

    private ObjectNode status() {
        var status = Json.object().put("state", state.word());
        if (message != null) {
            status.set("message", message);
        }
        return status.put("timestamp", timestamp);
    }

    /** Returns the event that reports its state. */
    public ObjectNode statusUpdate() {
        var event = Json.object();
        event.putObject("statusUpdate")
                .put("taskId", id)
                .put("contextId", contextId)
                .set("status", status());
        return event;
    }

    /** Returns the events that report its artifacts. */
    public List<ObjectNode> artifactUpdates() {
        return artifacts.stream()
                .map(artifact -> {
                    var event = Json.object();
                    event.putObject("artifactUpdate")
                            .put("taskId", id)
                            .put("contextId", contextId)
                            .put("lastChunk", true)
                            .set("artifact", artifact);
                    return event;
                })
                .toList();
    }
}

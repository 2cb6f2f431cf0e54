package io.agentworkspace.engine.a2a.outbound;

import io.agentworkspace.engine.a2a.wire.A2aError;
import io.agentworkspace.engine.a2a.wire.Fields;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.text.Sha256;
import io.agentworkspace.engine.model.text.StorableText;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What another server answered.
 *
 * @param context the conversation as it calls it; empty if it did not say
 * @param task the task that it made of the message; empty for none
 * @param asks whether the agent asks back
 * @param answer what is to be said here: {@code parts} as the server sent them, and perhaps a {@code note} of the engine; null while the agent
 *     works
 */
record RemoteNews(
        String context, String task, boolean asks, @Nullable ObjectNode answer) {
    /** Returns what is said here instead of an answer. */
    static RemoteNews failed(String words) {
        return new RemoteNews("", "", false, note(words));
    }

    static ObjectNode note(String words) {
        return Json.object().put("note", "(%s)".formatted(words));
    }

    /** Returns what only an equal answer has. */
    static String mark(ObjectNode answer) {
        return HexFormat.of().formatHex(Sha256.of(Json.text(answer)), 0, 8);
    }

    /** Returns the same without its answer if that was said before, so that the agent still asks the same. */
    RemoteNews unless(String said) {
        return asks && answer != null && mark(answer).equals(said) ? new RemoteNews(context, task, true, null) : this;
    }

    private static String storable(Fields fields, String name) {
        var text = fields.text(name);
        if (!StorableText.isStorable(text)) {
            throw fields.invalid(name, "has a character that cannot be stored");
        }
        return text;
    }

    /**
     * Reads the answer to a message.
     *
     * @param expected the task that the message continues; empty for none
     */
    static RemoteNews ofSent(ObjectNode answer, String expected) throws RemoteFailure {
        try {
            var fields = Fields.of(answer);
            if (fields.has("message")) {
                var message = fields.object("message");
                return new RemoteNews(storable(message, "contextId"), "", false, said(parts(message.object())));
            }
            return ofTask(fields.object("task").object(), expected);
        } catch (A2aError wrong) {
            throw RemoteFailure.unusable("its answer is not of A2A: " + wrong.getMessage());
        }
    }

    /** Reads a task. */
    static RemoteNews ofTask(ObjectNode task, String expected) throws RemoteFailure {
        try {
            var fields = Fields.of(task);
            var id = storable(fields, "id");
            if (id.isBlank()) {
                throw fields.invalid("id", "is required");
            }
            if (!expected.isEmpty() && !expected.equals(id)) {
                throw RemoteFailure.unusable("it answered with another task than '%s'".formatted(expected));
            }
            var context = storable(fields, "contextId");
            var status = parts(task.path("status").path("message"));
            return switch (fields.object("status").required("state")) {
                case "TASK_STATE_SUBMITTED", "TASK_STATE_WORKING" -> new RemoteNews(context, id, false, null);
                case "TASK_STATE_COMPLETED" -> new RemoteNews(context, id, false, said(result(task, status)));
                case "TASK_STATE_INPUT_REQUIRED" -> new RemoteNews(context, id, true, said(status));
                case "TASK_STATE_AUTH_REQUIRED" ->
                    new RemoteNews(
                            context, id, true, said(status).put("note", "(The agent needs a sign-in elsewhere.)"));
                case "TASK_STATE_FAILED" ->
                    new RemoteNews(context, id, false, said(status).put("note", "(The agent failed at it.)"));
                case "TASK_STATE_REJECTED" ->
                    new RemoteNews(context, id, false, said(status).put("note", "(The agent does not take it.)"));
                case "TASK_STATE_CANCELED" ->
                    new RemoteNews(context, id, false, said(status).put("note", "(It was canceled there.)"));
                default -> throw A2aError.invalid("status.state", "is no state of A2A 1.0");
            };
        } catch (A2aError wrong) {
            throw RemoteFailure.unusable("its answer is not of A2A: " + wrong.getMessage());
        }
    }

    /** Returns what a completed task has made: its artifacts, else what the agent said last. */
    private static ArrayNode result(ObjectNode task, ArrayNode status) {
        var made = Json.array();
        task.path("artifacts").forEach(artifact -> made.addAll(parts(artifact)));
        if (!made.isEmpty() || !status.isEmpty()) {
            return made.isEmpty() ? status : made;
        }
        var last = Json.array();
        for (var message : task.path("history")) {
            if (message.path("role").asString("").equals("ROLE_AGENT")) {
                last.removeAll().addAll(parts(message));
            }
        }
        return last;
    }

    private static ArrayNode parts(JsonNode holder) {
        return holder.path("parts") instanceof ArrayNode parts ? parts : Json.array();
    }

    private static ObjectNode said(ArrayNode parts) {
        var said = Json.object();
        said.set("parts", parts);
        return said;
    }
}

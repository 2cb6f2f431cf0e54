package io.agentworkspace.engine.mcp.tasks;

import io.agentworkspace.engine.kernel.wire.InputResponses;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.model.json.Json;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * The state of a task between its attempts: pending questions, answers, and the state of its tool. A question's key
 * contains its round, so no key is used twice in one task.
 *
 * @param questions by the key that the client sees
 * @param answers by the tool's own key
 */
public record McpTaskState(
        int round,
        Map<String, ObjectNode> questions,
        Map<String, ObjectNode> answers,
        @Nullable ObjectNode state) {
    private static final String ASKED = "asked";
    private static final String ANSWERS = "answers";
    private static final String STATE = "state";

    static McpTaskState of(InputResponses inputs) {
        return new McpTaskState(0, Map.of(), inputs.answers(), inputs.state());
    }

    public static McpTaskState read(ObjectNode json) {
        var state = json.get(STATE) instanceof ObjectNode kept ? kept : null;
        return new McpTaskState(json.path("round").asInt(), objects(json, ASKED), objects(json, ANSWERS), state);
    }

    private static Map<String, ObjectNode> objects(ObjectNode json, String field) {
        var objects = new LinkedHashMap<String, ObjectNode>();
        json.path(field).propertyStream().forEach(entry -> objects.put(entry.getKey(), (ObjectNode) entry.getValue()));
        return objects;
    }

    public ObjectNode json() {
        var json = Json.object().put("round", round);
        questions.forEach(json.putObject(ASKED)::set);
        answers.forEach(json.putObject(ANSWERS)::set);
        return state == null ? json : json.set(STATE, state);
    }

    public InputResponses inputs() {
        return new InputResponses(answers, state);
    }

    /** Returns the state after the tool has asked again. */
    public McpTaskState with(MethodResult.Ask ask) {
        var next = round + 1;
        var questions = new LinkedHashMap<String, ObjectNode>();
        ask.questions().forEach((key, question) -> questions.put(next + "." + key, question));
        return new McpTaskState(next, questions, answers, ask.state());
    }

    /** Returns the state after the client has answered. Answers to questions that are not pending are ignored. */
    McpTaskState with(Map<String, ObjectNode> responses) {
        var open = new LinkedHashMap<>(questions);
        var all = new LinkedHashMap<>(answers);
        responses.forEach((key, answer) -> {
            if (open.remove(key) != null) {
                all.put(key.substring(key.indexOf('.') + 1), answer);
            }
        });
        return new McpTaskState(round, open, all, state);
    }
}

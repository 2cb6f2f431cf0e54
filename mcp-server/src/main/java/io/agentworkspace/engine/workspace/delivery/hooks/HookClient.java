package io.agentworkspace.engine.workspace.delivery.hooks;

import io.agentworkspace.engine.model.json.Json;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A coding agent whose hooks the engine answers.
 *
 * @param word its name in routes
 * @param answers the form of each answer, in which {@code $event} and {@code $text} are replaced
 */
public record HookClient(String word, JsonNode answers) {
    private static final List<HookClient> ALL = ClientFolder.all().stream()
            .map(folder -> new HookClient(folder.word(), folder.description().path("answers")))
            .filter(client -> !client.answers.isEmpty())
            .toList();

    /** Returns all of them, in the order of their folders. */
    static List<HookClient> all() {
        return ALL;
    }

    /** Finds a client by its name in routes. */
    public static Optional<HookClient> find(String word) {
        return ALL.stream().filter(client -> client.word.equals(word)).findFirst();
    }

    /** Returns the answer that adds a text to what the model reads. */
    ObjectNode context(HookEvent event, String text) {
        var ofPrompts = event.kind() == HookEvent.Kind.PROMPT && answers.has("prompt");
        return answer(ofPrompts ? "prompt" : "context", event, text);
    }

    /** Returns the answer that keeps a tool from running. */
    ObjectNode refuse(HookEvent event, String reason) {
        return answer("refusal", event, reason);
    }

    /** Returns the answer to the end of a turn that lets the turn go on. */
    ObjectNode goOn(HookEvent event, String reason) {
        return answer("goOn", event, reason);
    }

    /** Returns whether it takes instructions for the summary of a session. */
    boolean takesInstructions() {
        return answers.path("instructions").asBoolean(false);
    }

    private ObjectNode answer(String kind, HookEvent event, String text) {
        return filled(answers.path(kind), event, text) instanceof ObjectNode answer ? answer : Json.object();
    }

    private static JsonNode filled(JsonNode form, HookEvent event, String text) {
        if (form instanceof ObjectNode object) {
            var copy = Json.object();
            object.forEachEntry((name, value) -> copy.set(name, filled(value, event, text)));
            return copy;
        } else if (form instanceof ArrayNode list) {
            var copy = Json.array();
            list.forEach(value -> copy.add(filled(value, event, text)));
            return copy;
        }
        return switch (form.asString("")) {
            case "$event" -> Json.valueTree(event.name());
            case "$text" -> Json.valueTree(text);
            default -> form;
        };
    }
}

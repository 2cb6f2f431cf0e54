package io.agentworkspace.engine.workspace.delivery.hooks;

import io.agentworkspace.engine.model.json.Json;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** A coding agent whose hooks the engine answers, and the format of its answers. */
public enum HookClient {
    CLAUDE_CODE,
    CODEX,
    GEMINI_CLI;

    /** Returns its name in routes. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Finds a client by its name in routes. */
    public static Optional<HookClient> find(String word) {
        return Arrays.stream(values())
                .filter(client -> client.word().equals(word))
                .findFirst();
    }

    /** Returns the answer that adds a text to what the model reads. */
    ObjectNode context(HookEvent event, String text) {
        var answer = Json.object();
        answer.putObject("hookSpecificOutput")
                .put("hookEventName", event.name())
                .put("additionalContext", text);
        return answer;
    }

    /** Returns the answer that keeps a tool from running. */
    ObjectNode refuse(HookEvent event, String reason) {
        if (this == GEMINI_CLI) {
            return Json.object().put("decision", "deny").put("reason", reason);
        }
        var answer = Json.object();
        answer.putObject("hookSpecificOutput")
                .put("hookEventName", event.name())
                .put("permissionDecision", "deny")
                .put("permissionDecisionReason", reason);
        return answer;
    }

    /** Returns the answer to the end of a turn that lets the turn go on. */
    ObjectNode goOn(HookEvent event, String reason) {
        return switch (this) {
            case CLAUDE_CODE -> context(event, reason); // A block would show the reason twice.
            case CODEX -> Json.object().put("decision", "block").put("reason", reason);
            case GEMINI_CLI -> Json.object().put("decision", "deny").put("reason", reason);
        };
    }
}

package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.model.Json;
import io.agentworkspace.engine.model.Problem;
import io.agentworkspace.engine.model.Tool;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** Asks the person before something is destroyed, where the request says so by {@code X-MCP-Confirm: destructive}, or its key. */
final class Confirmation {
    private static final String HEADER = "X-MCP-Confirm";
    private static final String DESTRUCTIVE = "destructive";
    private static final String KEY = "confirm";
    private static final String FIELD = "destroy";

    /** @throws RpcError with status 400 when the header says what it cannot say: mistyped, it would protect nothing */
    static void checkHeader(Exchange exchange) {
        var values = exchange.request().getHeaders().getValuesList(HEADER);
        if (!values.stream().allMatch(Confirmation::isDestructive)) {
            var problem = Problem.invalid("the header " + HEADER, "must be '%s' or left out".formatted(DESTRUCTIVE));
            throw RpcError.incomplete(problem, exchange.requestId());
        }
    }

    private static boolean isDestructive(String value) {
        return value.strip().equalsIgnoreCase(DESTRUCTIVE);
    }

    /** The question, if it is to be asked and has not been answered. */
    Optional<Outcome> ask(Tool<?, ?> tool, ObjectNode arguments, Turn turn) {
        if (!isNeeded(tool, turn) || turn.answer(KEY).isPresent()) {
            return Optional.empty();
        }
        var schema = Json.object().put("type", "object");
        schema.putObject("properties")
                .putObject(FIELD)
                .put("type", "boolean")
                .put("title", "Yes, do it")
                .put("description", "It cannot be undone.")
                .put("default", false);
        schema.putArray("required").add(FIELD);
        var message = "%s: %s? This is for good.".formatted(tool.title(), named(arguments));
        return Optional.of(new Outcome.Ask(Map.of(KEY, Outcome.form(message, schema)), Json.object()));
    }

    /** Only what was remembered of asking makes an answer one. */
    boolean isRefused(Tool<?, ?> tool, Turn turn) {
        return isNeeded(tool, turn)
                && !(turn.state().isPresent()
                        && turn.accepted(KEY)
                                .map(form -> form.path(FIELD).booleanValue(false))
                                .orElse(false));
    }

    private static boolean isNeeded(Tool<?, ?> tool, Turn turn) {
        var header = turn.header(HEADER);
        var asked = header != null && isDestructive(header);
        return tool.destructive() && (asked || turn.caller().credential().confirmsDestructive());
    }

    private static String named(ObjectNode arguments) {
        return arguments.get("target") instanceof ObjectNode target ? Json.text(target) : Json.text(arguments);
    }
}

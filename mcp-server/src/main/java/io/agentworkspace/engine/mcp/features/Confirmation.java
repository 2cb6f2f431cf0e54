package io.agentworkspace.engine.mcp.features;

import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.streams.McpExchange;
import io.agentworkspace.engine.mcp.wire.MethodResult;
import io.agentworkspace.engine.mcp.wire.RpcError;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Cause;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** Asks the person before a destructive call, if the header {@code X-MCP-Confirm: destructive} or the key requires it. */
public final class Confirmation {
    private static final String HEADER = "X-MCP-Confirm";
    private static final String DESTRUCTIVE = "destructive";
    private static final String KEY = "confirm";
    private static final String FIELD = "destroy";

    /** @throws RpcError with status 400 if the header has an unknown value: a mistyped one would protect nothing */
    public static void checkHeader(McpExchange exchange) {
        var values = exchange.request().getHeaders().getValuesList(HEADER);
        if (!values.stream().allMatch(Confirmation::isDestructive)) {
            var problem = Problem.invalid("the header " + HEADER, "must be '%s' or left out".formatted(DESTRUCTIVE));
            throw RpcError.incomplete(problem.because(Cause.CONFIRMATION), exchange.requestId());
        }
    }

    private static boolean isDestructive(String value) {
        return value.strip().equalsIgnoreCase(DESTRUCTIVE);
    }

    /** Returns the question if it is required and not yet answered. */
    Optional<MethodResult> ask(Tool<?, ?> tool, ObjectNode arguments, McpRequest request) {
        if (!isNeeded(tool, request) || request.answer(KEY).isPresent()) {
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
        return Optional.of(new MethodResult.Ask(Map.of(KEY, MethodResult.form(message, schema)), Json.object()));
    }

    /** Returns whether the person refused. An answer counts only if the state shows that the question was asked. */
    boolean isRefused(Tool<?, ?> tool, McpRequest request) {
        return isNeeded(tool, request)
                && !(request.state().isPresent()
                        && request.accepted(KEY)
                                .map(form -> form.path(FIELD).booleanValue(false))
                                .orElse(false));
    }

    private static boolean isNeeded(Tool<?, ?> tool, McpRequest request) {
        var header = request.header(HEADER);
        var asked = header != null && isDestructive(header);
        return (tool.effect() == Effect.DESTROYS) && (asked || request.caller().credential().confirmsDestructive());
    }

    private static String named(ObjectNode arguments) {
        return arguments.get("target") instanceof ObjectNode target ? Json.text(target) : Json.text(arguments);
    }
}

package io.agentworkspace.engine.mcp.content;

import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.kernel.wire.RpcError;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.streams.McpExchange;
import io.agentworkspace.engine.model.callplan.CallPlan;
import io.agentworkspace.engine.model.callplan.CallPlanRun;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Cause;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
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
        return isNeeded(tool, request)
                ? ask("%s: %s? This is for good.".formatted(tool.title(), named(arguments)), request)
                : Optional.empty();
    }

    private static Optional<MethodResult> ask(String message, McpRequest request) {
        if (request.answer(KEY).isPresent()) {
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
        return Optional.of(new MethodResult.Ask(Map.of(KEY, MethodResult.form(message, schema)), Json.object()));
    }

    /**
     * Returns the question about all steps of a plan that destroy something, if it is required and not yet answered.
     *
     * @throws Problem if the person refused, or nobody can see what a step would destroy
     */
    Optional<MethodResult> ask(CallPlanRun plan, McpRequest request) {
        var steps = plan.plan().steps().stream()
                .filter(step -> isNeeded(meant(step, plan.tool(step)), request))
                .toList();
        if (steps.isEmpty()) {
            return Optional.empty();
        }
        steps.stream().filter(CallPlan.Step::refers).findFirst().ifPresent(step -> {
            throw Problem.conflict(
                    "step '%s' runs %s, which a person must confirm, but what it destroys is not known before the plan runs: call it on its own; no step was run"
                            .formatted(step.id(), step.tool()));
        });
        var all = steps.stream()
                .map(step -> "%s: %s".formatted(plan.tool(step).title(), named(step.arguments())))
                .collect(Collectors.joining("; "));
        var open = ask("%s? This is for good.".formatted(all), request);
        if (open.isEmpty() && !isAccepted(request)) {
            throw Problem.conflict("the person did not confirm it: nothing was changed");
        }
        return open;
    }

    /** Returns what a step runs. Whether one with references only reads is not known. */
    private static Tool<?, ?> meant(CallPlan.Step step, Tool<?, ?> tool) {
        return step.refers() ? tool : tool.runFor(step.arguments());
    }

    /** Returns whether the person refused. */
    boolean isRefused(Tool<?, ?> tool, McpRequest request) {
        return isNeeded(tool, request) && !isAccepted(request);
    }

    /** An answer counts only if the state shows that the question was asked. */
    private static boolean isAccepted(McpRequest request) {
        return request.state().isPresent()
                && request.accepted(KEY)
                        .map(form -> form.path(FIELD).booleanValue(false))
                        .orElse(false);
    }

    private static boolean isNeeded(Tool<?, ?> tool, McpRequest request) {
        var header = request.header(HEADER);
        var isByHeader = header != null && isDestructive(header);
        return (tool.effect() == Effect.DESTROYS)
                && !ClientProgress.hasBegun(request)
                && (isByHeader || request.caller().credential().confirmsDestructive());
    }

    private static String named(ObjectNode arguments) {
        return arguments.get("target") instanceof ObjectNode target ? Json.text(target) : Json.text(arguments);
    }
}

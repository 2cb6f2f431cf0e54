package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.AccessReasons;
import io.agentworkspace.engine.model.tool.Context;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.rest.openapi.Operation;
import io.agentworkspace.engine.rest.openapi.Tag;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.core.Response;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The route that explains why the caller may or may not run a tool. */
final class WhyRoutes {
    private static final String WHY = "/api/auth/why";

    private final ToolRunner runner;

    WhyRoutes(ToolRunner runner) {
        this.runner = runner;
    }

    List<GatewayRoute> routes() {
        return List.of(GatewayRoute.get(WHY, this::why, WhyRoutes::operation));
    }

    private Response why(ContainerRequestContext context) {
        var query = context.getUriInfo().getQueryParameters();
        var tool = parameter(query, "tool");
        if (tool == null) {
            throw Problem.missing("tool");
        }
        var name = parameter(query, "context");
        var exchange = RestExchange.current();
        var question = new ToolRunner.Question(
                tool,
                parameter(query, "target"),
                name == null ? Context.DEFAULT : name,
                exchange.identified(),
                exchange.requestId());
        return RestResponse.json(200, Json.tree(runner.why(question)));
    }

    private static @Nullable String parameter(MultivaluedMap<String, String> query, String name) {
        var value = query.getFirst(name);
        return value == null || value.isBlank() ? null : value.strip();
    }

    private static Operation operation() {
        return new Operation(
                        "why",
                        Tag.USER,
                        "Why you may, or may not",
                        "For your own credential: whether it may run a tool, what decides about that, what is missing and who can"
                                + " give it. What you may not see is answered like what does not exist.")
                .parameter("query", "tool", true, "The tool, e.g. AP_Update.", text())
                .suchAs("AP_Update")
                .parameter(
                        "query",
                        "target",
                        false,
                        "A thing to run it on, as kind:name: agent:Ada, domain:Den, zone:Den/tea, bank:Box, document:guide.md, key:<id>; or user:ann, to run it for her.",
                        text())
                .suchAs("agent:scout")
                .parameter("query", "context", false, "The context that says as which agent you are logged on.", text())
                .answers(200, "What decides.", "Reasons", AccessReasons.class)
                .problems(400, 401, 404, 422, 429, 500, 503);
    }

    private static ObjectNode text() {
        return Json.object().put("type", "string");
    }
}

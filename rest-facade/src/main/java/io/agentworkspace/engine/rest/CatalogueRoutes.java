package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.callplan.CallPlan;
import io.agentworkspace.engine.model.callplan.CallPlanRun;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.search.Discovery;
import io.agentworkspace.engine.model.search.ToolFinder;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Envelope;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.ToolDescription;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.rest.openapi.Operation;
import io.agentworkspace.engine.rest.openapi.Tag;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.Response;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The catalogue of tools for readers, and a route that runs any of them. */
final class CatalogueRoutes {
    private static final String TOOLS = "/api/mcp/tools";
    private static final String TOOL = TOOLS + "/{name}";
    private static final String INVOKE = TOOL + "/invoke";

    private final ToolRunner runner;
    private final ToolFinder finder;
    private final Clock clock;
    private final Map<String, ObjectNode> descriptions;
    private final Map<String, ObjectNode> discovery = new LinkedHashMap<>();

    CatalogueRoutes(ToolRunner runner, ToolFinder finder, Clock clock) {
        this.runner = runner;
        this.finder = finder;
        this.clock = clock;
        Discovery.definitions().forEach(tool -> discovery.put(tool.get("name").asString(), description(tool)));
        descriptions = runner.catalogue().tools().stream()
                .collect(Collectors.toUnmodifiableMap(Tool::name, CatalogueRoutes::description));
    }

    List<GatewayRoute> routes() {
        return List.of(
                GatewayRoute.get(TOOLS, _ -> list(), CatalogueRoutes::ofTools),
                GatewayRoute.get(TOOL, this::read, CatalogueRoutes::ofTool),
                GatewayRoute.post(INVOKE, this::invoke, CatalogueRoutes::ofInvoke));
    }

    /** Lists the tools: with a credential those that it may use, without one all of them. */
    private Response list() {
        var caller = RestExchange.current().caller();
        var catalogue = runner.catalogue();
        List<Tool<?, ?>> tools = caller == null ? catalogue.tools() : catalogue.tools(caller);
        var listed = Json.object();
        var array = listed.putArray("tools");
        tools.forEach(tool -> array.add(described(tool, caller)));
        if (caller == null || caller.credential().toolset().coversDiscovery()) {
            discovery.values().forEach(array::add);
        }
        return RestResponse.tagged(listed);
    }

    private Response read(ContainerRequestContext context) {
        var general = discovery.get(name(context));
        if (general != null) {
            return RestResponse.tagged(general);
        }
        var tool = named(context);
        var caller = RestExchange.current().caller();
        if (caller != null) {
            caller.obstacle(tool).ifPresent(note -> {
                throw Problem.notPermitted(note);
            });
        }
        return RestResponse.tagged(described(tool, caller));
    }

    /**
     * Runs a tool with the body as its arguments, and returns the envelope with its own HTTP status. Unknown fields
     * are refused, as over MCP.
     */
    private Response invoke(ContainerRequestContext context) {
        if (Discovery.has(name(context))) {
            return discover(name(context), context);
        }
        var tool = named(context);
        RestExchange.current().runs(tool);
        var arguments = JsonBody.required(context, "{}");
        return RestResponse.envelope(RestExchange.current().run(runner, tool.name(), arguments, true));
    }

    /** Finds, describes or runs a tool of the caller. */
    private Response discover(String name, ContainerRequestContext context) {
        var exchange = RestExchange.current();
        var caller = exchange.identified();
        var body = JsonBody.required(context, "{}");
        try {
            Discovery.checkNames(name, body);
            var usable = runner.catalogue().tools(caller);
            var output = Json.object();
            switch (name) {
                case Discovery.FIND -> {
                    var listed = output.putArray("tools");
                    Discovery.found(Discovery.query(body), usable, finder)
                            .forEach(tool -> listed.addObject()
                                    .put("name", tool.name())
                                    .put("title", tool.title())
                                    .put("description", Discovery.summary(tool)));
                }
                case Discovery.DESCRIBE ->
                    output.set("tool", described(Discovery.read(Discovery.name(name, body), usable), caller));
                case Discovery.PLAN -> {
                    return RestResponse.envelope(exchange.run(plan(body, usable)));
                }
                default -> {
                    var tool = Discovery.read(Discovery.name(name, body), usable);
                    exchange.runs(tool);
                    return RestResponse.envelope(exchange.run(runner, tool.name(), Discovery.arguments(body), true));
                }
            }
            var envelope = Envelope.success(name, exchange.requestId(), clock.instant(), output);
            return RestResponse.envelope(new Answer(envelope, null, false));
        } catch (Problem problem) {
            var envelope = Envelope.failure(name, exchange.requestId(), clock.instant(), problem);
            return RestResponse.envelope(new Answer(envelope, problem, false));
        }
    }

    private CallPlanRun plan(ObjectNode body, List<Tool<?, ?>> usable) {
        var exchange = RestExchange.current();
        var plan = CallPlan.of(body);
        return new CallPlanRun(plan, runner, exchange.asks(Discovery.PLAN, body, true), clock, (name, arguments) -> {
            Discovery.checkStep(name);
            var tool = Discovery.read(name, usable);
            exchange.checkMayRun(tool, arguments);
            return tool;
        });
    }

    private static String name(ContainerRequestContext context) {
        return context.getUriInfo().getPathParameters().getFirst("name");
    }

    private Tool<?, ?> named(ContainerRequestContext context) {
        var caller = RestExchange.current().caller();
        return caller == null
                ? runner.catalogue().read(name(context))
                : runner.catalogue().read(name(context), caller);
    }

    private ObjectNode described(Tool<?, ?> tool, @Nullable Caller caller) {
        var described =
                tool.foreign() == null ? Objects.requireNonNull(descriptions.get(tool.name())) : description(tool);
        return caller != null && caller.mayOnlyRead(tool) ? described.deepCopy().put("only_reads", true) : described;
    }

    /** Returns one of the general tools. Its only route is that which runs any tool. */
    private static ObjectNode description(ObjectNode mcp) {
        var described = Json.object();
        described.setAll(mcp);
        described
                .putObject("route")
                .put("method", "POST")
                .put("path", INVOKE.replace("{name}", mcp.get("name").asString()));
        return described;
    }

    private static ObjectNode description(Tool<?, ?> tool) {
        var mcp = ToolDescription.full(tool);
        var described = Json.object()
                .put("name", tool.name())
                .put("title", tool.title())
                .put("description", tool.description())
                .put("family", tool.family().word())
                .put("capability", tool.capabilityWord())
                .put("effect", tool.effect().name().toLowerCase(Locale.ROOT));
        described
                .putObject("route")
                .put("method", tool.route().method())
                .put("path", tool.foreign() == null ? tool.route().path() : INVOKE.replace("{name}", tool.name()));
        return described.setAll(mcp);
    }

    private static Operation ofTools() {
        return new Operation(
                        "toolList", Tag.MCP, "List MCP tools", "All tools; with a credential those that it may use.")
                .open()
                .answers(200, "The tools.", "Tools")
                .problems(400, 401, 429, 500);
    }

    private static Operation ofTool() {
        return named(new Operation("toolRead", Tag.MCP, "Read an MCP tool", "One tool, as in the list.").open())
                .answers(200, "The tool.", "Tool")
                .problems(400, 401, 403, 404, 429, 500);
    }

    private static Operation ofInvoke() {
        var operation = new Operation(
                "toolInvoke",
                Tag.MCP,
                "Invoke an MCP tool",
                "Arguments in, envelope out, under the status in status.http_code. Unknown arguments are refused.");
        return named(operation)
                .idempotent()
                .body(true, Json.object().put("type", "object"), Json.object())
                .answers(200, "Done.", "CommandResponse")
                .returns(200, RestResponse.REPLAYED, "IdempotencyReplayed")
                .refused(400, "The tool refused, or the body is malformed.")
                .refused(401, "No valid credential, or not permitted.")
                .refused(429, "Rate limited, or over quota.")
                .refused(500, "A defect, or the database is away.")
                .problems(400, 401, 404, 413, 415, 429, 500);
    }

    private static Operation named(Operation operation) {
        return operation
                .parameter(
                        "path", "name", true, "The tool's name.", Json.object().put("type", "string"))
                .suchAs("US_Read");
    }
}

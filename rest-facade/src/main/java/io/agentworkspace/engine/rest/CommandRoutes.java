package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Near;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.refusal.RenderedRefusal;
import io.agentworkspace.engine.model.schema.Schema;
import io.agentworkspace.engine.model.text.QuotedText;
import io.agentworkspace.engine.model.tool.Route;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.rest.openapi.CommandFields;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.Response;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * The generic command route and every command's alias below it (contract, "Command routes"). All responses are
 * envelopes.
 */
final class CommandRoutes {
    static final String ALIAS = Route.COMMANDS + "/{alias: .*}";

    private final ToolRunner runner;
    private final Clock clock;
    private final Schema fields;
    private final Map<String, Tool<?, ?>> aliases = new LinkedHashMap<>();

    CommandRoutes(ToolRunner runner, Clock clock) {
        this.runner = runner;
        this.clock = clock;
        this.fields = CommandFields.of(runner.catalogue().tools());
        runner.catalogue().tools().stream()
                .filter(Tool::isCommand)
                .forEach(tool -> aliases.put(suffix(tool.route().path()), tool));
    }

    /** Returns the part after the generic route: {@code agent/create} of {@code /demo/v1/Engine/tps/agent/create}. */
    private static String suffix(String path) {
        return path.substring(Route.COMMANDS.length() + 1);
    }

    /** Runs the command that the body names. */
    Response generic(ContainerRequestContext context) {
        return answer(context, null);
    }

    /** Runs the command that the path names. */
    Response alias(ContainerRequestContext context) {
        var alias = context.getUriInfo().getPathParameters().getFirst("alias").replaceFirst("/$", "");
        if (alias.isEmpty()) {
            return generic(context);
        }
        var tool = aliases.get(alias);
        if (tool == null) {
            throw unknownAlias(alias);
        }
        return answer(context, tool.name());
    }

    private Response answer(ContainerRequestContext context, @Nullable String fixed) {
        try {
            var body = JsonBody.required(context, fixed == null ? "{\"service\":\"…\"}" : "{}");
            fields.checkTypes(body);
            var service = service(body, fixed);
            body.remove("service");
            addQuery(context, body);
            runner.catalogue().find(service).ifPresent(RestExchange.current()::runs);
            return RestResponse.envelope(RestExchange.current().run(runner, service, body, false));
        } catch (Problem problem) {
            var requestId = RestExchange.current().requestId();
            var rendered = RenderedRefusal.envelope(fixed, requestId, clock.instant(), problem, List.of());
            return RestResponse.refused(rendered, problem).build();
        }
    }

    /** Adds the query, which no command has, as unknown fields: they are named as such, or refused. */
    private static void addQuery(ContainerRequestContext context, ObjectNode body) {
        context.getUriInfo().getQueryParameters().keySet().forEach(name -> body.put("?" + name, ""));
    }

    private String service(ObjectNode body, @Nullable String fixed) {
        var name = body.path("service").asString("");
        if (fixed != null) {
            if (!name.isEmpty() && !name.equals(fixed)) {
                throw Problem.invalid(
                        "service",
                        "is '%s', but this route runs %s: leave it out, or use POST %s"
                                .formatted(QuotedText.shortened(name), fixed, Route.COMMANDS));
            }
            return fixed;
        }
        if (name.isBlank()) {
            throw Problem.missing("service");
        }
        requireCommand(name);
        return name;
    }

    /** Refuses a tool that is not a command, since it has its own route. An unknown name is refused by the runner. */
    private void requireCommand(String service) {
        runner.catalogue().find(service).filter(tool -> !tool.isCommand()).ifPresent(tool -> {
            throw new Problem(
                    Failure.UNKNOWN_SERVICE,
                    "%s is not a command; its route is %s %s"
                            .formatted(
                                    service, tool.route().method(), tool.route().path()));
        });
    }

    private Problem unknownAlias(String alias) {
        var near = Near.nearest(QuotedText.shortened(alias), aliases.keySet(), 1);
        var hint = near.isEmpty()
                ? "the command routes are listed at /api/openapi.json"
                : "did you mean %s (%s)?".formatted(near.getFirst(), name(near.getFirst()));
        return new Problem(
                Failure.UNKNOWN_SERVICE,
                "there is no command route '%s'; %s".formatted(QuotedText.shortened(alias), hint));
    }

    private String name(String alias) {
        var tool = aliases.get(alias);
        return tool == null ? alias : tool.name();
    }
}

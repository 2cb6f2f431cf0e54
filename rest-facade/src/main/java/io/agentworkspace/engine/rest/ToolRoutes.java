package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Field;
import io.agentworkspace.engine.model.text.BlankText;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Route;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.ToolRunner;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.core.Response;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.node.ObjectNode;

/** The routes of tools that are not aliases of commands. The fields of the body, the query and the path form one set of arguments. */
final class ToolRoutes {
    private static final String DRY_RUN = "dry_run";

    /** Fields in this object may also be given by their own name: {@code limit} for {@code page.limit}. */
    private static final List<String> PAGE = List.of("page");

    private final ToolRunner runner;
    private final DocumentFiles files;

    ToolRoutes(ToolRunner runner, DocumentFiles files) {
        this.runner = runner;
        this.files = files;
    }

    List<Tool<?, ?>> tools() {
        return runner.catalogue().tools();
    }

    Response answer(Tool<?, ?> tool, Route route, ContainerRequestContext context) {
        RestExchange.current().runs(tool);
        if (files.isUpload(tool)) {
            return files.receive(tool, context, form -> answer(tool, route, context, typed(tool, form)));
        } else if (DocumentFiles.isDownload(tool, context)) {
            return files.send(tool, context);
        }
        if (LineTransfer.isUpload(tool)) {
            return LineTransfer.receive(tool, context, form -> answer(tool, route, context, typed(tool, form)));
        }
        return answer(
                tool, route, context, UploadBody.arguments(tool, context).orElseGet(() -> JsonBody.optional(context)));
    }

    private Response answer(Tool<?, ?> tool, Route route, ContainerRequestContext context, ObjectNode arguments) {
        var fields = Field.of(tool.inputSchema().json());
        QueryFields.refuseUnknown(context, parameters(route, fields));
        merge(context.getUriInfo().getQueryParameters(), fields, arguments);
        fields.forEach(
                field -> inPath(route, context, field).ifPresent(value -> set(arguments, field, List.of(value))));
        var exchange = RestExchange.current();
        var isDownload = LineTransfer.isDownload(tool);
        if (isDownload) {
            LineTransfer.widen(arguments);
        }
        var answer = exchange.run(runner, tool.name(), arguments, true);
        if (answer.problem() != null) {
            throw answer.problem();
        }
        if (isDownload) {
            return LineTransfer.send(answer, arguments, next -> exchange.runFurther(runner, tool.name(), next));
        }
        return RestResponse.envelope(answer, creates(tool, arguments) ? 201 : 200);
    }

    private static boolean creates(Tool<?, ?> tool, ObjectNode arguments) {
        return tool.effect() == Effect.CREATES
                && !(hasDryRun(tool) && arguments.path(DRY_RUN).asBoolean(false));
    }

    /** Returns whether the tool can show what it would do, instead of doing it. */
    static boolean hasDryRun(Tool<?, ?> tool) {
        return tool.inputSchema().json().path("properties").has(DRY_RUN);
    }

    /** Returns the fields of a form as the tool takes them: by their paths and with their types, as those of a query. */
    private static ObjectNode typed(Tool<?, ?> tool, ObjectNode form) {
        var arguments = Json.object();
        for (var field : Field.of(tool.inputSchema().json())) {
            if (form.has(field.path())) {
                set(arguments, field, List.of(form.path(field.path()).asString()));
            }
        }
        return arguments;
    }

    private static Optional<String> inPath(Route route, ContainerRequestContext context, Field field) {
        return route.hasParameter(field.path())
                ? Optional.ofNullable(context.getUriInfo().getPathParameters().getFirst(route.parameter(field.path())))
                : Optional.empty();
    }

    /** Returns the allowed query parameters: the tool's fields except those in the path. */
    private static Set<String> parameters(Route route, List<Field> fields) {
        var names = new LinkedHashSet<String>();
        for (var field : fields) {
            if (!route.hasParameter(field.path())) {
                names.add(field.parents().equals(PAGE) ? field.name() : field.path());
                names.add(field.path());
                if (isContext(field, fields)) {
                    names.add(field.name());
                }
            }
        }
        return names;
    }

    /** Returns whether the field is the name of the context, which may also be given by its own name. */
    private static boolean isContext(Field field, List<Field> fields) {
        return field.path().equals("target.context")
                && fields.stream().noneMatch(other -> other.path().equals(field.name()));
    }

    private static void merge(MultivaluedMap<String, String> parameters, List<Field> fields, ObjectNode arguments) {
        for (var field : fields) {
            var values = parameters.get(field.path());
            if (values == null && (field.parents().equals(PAGE) || isContext(field, fields))) {
                values = parameters.get(field.name());
            }
            if (values != null) {
                set(arguments, field, values);
            }
        }
    }

    /** Sets a field by its path: {@code page.limit=10} becomes {@code {"page":{"limit":10}}}. */
    private static void set(ObjectNode arguments, Field field, List<String> values) {
        var at = arguments;
        for (var parent : field.parents()) {
            at = at.get(parent) instanceof ObjectNode object ? object : at.putObject(parent);
        }
        var last = values.getLast();
        if (BlankText.isBlank(last)) {
            at.put(field.name(), last); // The schema decides whether it counts as left out.
            return;
        }
        switch (field.type()) {
            case "integer" -> at.put(field.name(), whole(field, last));
            case "boolean" -> at.put(field.name(), flag(field, last));
            case "array" -> values.forEach(at.putArray(field.name())::add);
            default -> at.put(field.name(), last);
        }
    }

    private static long whole(Field field, String value) {
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw Problem.invalid(field.path(), "must be an integer");
        }
    }

    private static boolean flag(Field field, String value) {
        return switch (value) {
            case "true" -> true;
            case "false" -> false;
            default -> throw Problem.invalid(field.path(), "must be true or false");
        };
    }
}

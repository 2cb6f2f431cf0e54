package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.Effect;
import io.agentworkspace.engine.model.Example;
import io.agentworkspace.engine.model.Field;
import io.agentworkspace.engine.model.Json;
import io.agentworkspace.engine.model.Route;
import io.agentworkspace.engine.model.Tool;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/** The operations that run tools: the generic command route, the aliases, and the routes of the other tools. */
final class ToolOperations {
    private final OpenApi document;

    ToolOperations(OpenApi document) {
        this.document = document;
    }

    void add(List<Tool<?, ?>> tools) {
        var commands = tools.stream().filter(Tool::isCommand).toList();
        if (!commands.isEmpty()) {
            document.add("POST", Route.COMMANDS, generic(commands));
        }
        for (var tool : tools) {
            var operation = tool.isCommand() ? alias(tool) : own(tool);
            document.add(tool.route().method(), tool.route().path(), operation);
        }
    }

    private static Operation generic(List<Tool<?, ?>> commands) {
        var schema = Json.object();
        var named =
                schema.putArray("allOf").add(OpenApi.schema("CommandRequest")).addObject();
        named.putArray("required").add("service");
        var service = named.putObject("properties").putObject("service").put("type", "string");
        commands.forEach(tool -> service.withArray("enum").add(tool.name()));
        return new Operation(
                        "command",
                        Tag.GATEWAY,
                        "Run a command",
                        "Runs the command that `service` names. Each command also has a route of its own below this one.")
                .idempotent()
                .body(schema, example(commands.getFirst()))
                .answers(200, "Done.", OpenApi.schema("CommandResponse"))
                .tells(200, Reply.REPLAYED, "IdempotencyReplayed")
                .refusals(400, 401, 429, 500);
    }

    private static ObjectNode example(Tool<?, ?> tool) {
        return Json.object().put("service", tool.name()).setAll(Example.arguments(tool));
    }

    private static Operation alias(Tool<?, ?> tool) {
        var operation = described(tool)
                .body(OpenApi.schema(OpenApi.requestName(tool)), Example.arguments(tool))
                .answers(200, "Done.", OpenApi.schema(OpenApi.responseName(tool)))
                .refusals(400, 401, 429, 500);
        return withIdempotency(operation, tool, 200);
    }

    private static Operation own(Tool<?, ?> tool) {
        var operation = described(tool);
        var hasBody = tool.route().hasBody();
        for (var field : Field.of(tool.inputSchema().json())) {
            if (tool.route().hasParameter(field.path())) {
                operation.parameter("path", field.path(), true, field.sentence(), field.schema());
            } else if (!hasBody) {
                operation.parameter("query", field.path(), field.required(), field.sentence(), field.schema());
            }
        }
        if (hasBody) {
            operation.body(OpenApi.schema(OpenApi.requestName(tool)), bodyExample(tool));
            Upload.of(tool).ifPresent(operation::uploads);
        }
        if (tool.open() != null) {
            operation.open();
        }
        var done = tool.effect() == Effect.CREATES ? 201 : 200;
        operation
                .answers(done, "Done.", OpenApi.schema(OpenApi.responseName(tool)))
                .problems(400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 503);
        return withIdempotency(operation, tool, done);
    }

    private static ObjectNode bodyExample(Tool<?, ?> tool) {
        var example = Example.arguments(tool);
        Field.of(tool.inputSchema().json()).stream()
                .filter(field -> tool.route().hasParameter(field.path()))
                .forEach(field -> example.remove(field.name()));
        return example;
    }

    private static Operation described(Tool<?, ?> tool) {
        var description = "%s\n\nNeeds the capability `%s`. %s"
                .formatted(tool.description(), tool.capability().word(), repeated(tool));
        return new Operation(tool.name(), Tag.of(tool), tool.title(), description);
    }

    private static String repeated(Tool<?, ?> tool) {
        if (tool.effect() == Effect.READS) {
            return "Changes nothing.";
        }
        return tool.idempotent()
                ? "Doing it twice is the same as doing it once."
                : "Send Idempotency-Key if you may have to repeat it.";
    }

    private static Operation withIdempotency(Operation operation, Tool<?, ?> tool, int done) {
        return tool.effect().isTransactional()
                ? operation.idempotent().tells(done, Reply.REPLAYED, "IdempotencyReplayed")
                : operation;
    }
}

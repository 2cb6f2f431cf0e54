package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.answer.KeptAnswer;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.schema.Field;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Example;
import io.agentworkspace.engine.model.tool.Route;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.rest.openapi.Operation;
import io.agentworkspace.engine.rest.openapi.SchemaNames;
import io.agentworkspace.engine.rest.openapi.Tag;
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
            if (tool.isCommand()) {
                document.add(tool.route().method(), tool.route().path(), alias(tool));
            }
            for (var route : tool.route().own()) {
                document.add(route.method(), route.path(), own(tool, route));
            }
        }
    }

    private Operation generic(List<Tool<?, ?>> commands) {
        var example = commands.getFirst();
        return new Operation(
                        "commandRun",
                        Tag.GATEWAY,
                        "Run a command",
                        "Runs the command that `service` names. Each command also has a route of its own below this one.")
                .idempotent()
                .body(true, document.schemas().command(commands), example(example))
                .answers(200, "Done.", SchemaNames.schema("CommandResponse"), KeptAnswer.of(example))
                .returns(200, RestResponse.REPLAYED, "IdempotencyReplayed")
                .refusals(400, 401, 429, 500);
    }

    private static ObjectNode example(Tool<?, ?> tool) {
        return Json.object().put("service", tool.name()).setAll(Example.arguments(tool));
    }

    private Operation alias(Tool<?, ?> tool) {
        var operation = described(tool, tool.route())
                .body(true, document.schemas().request(tool, tool.route()), Example.arguments(tool))
                .answers(200, "Done.", document.schemas().response(tool), KeptAnswer.of(tool))
                .refusals(400, 401, 429, 500);
        return withIdempotency(operation, tool, 200);
    }

    private Operation own(Tool<?, ?> tool, Route route) {
        var operation = described(tool, route);
        parameters(operation, tool, route);
        if (route.hasBody()) {
            var example = Example.body(tool, route);
            operation.body(!example.isEmpty(), document.schemas().request(tool, route), example);
            if (tool.upload() != null) {
                operation.uploads(tool.upload().mediaType(), UploadBody.FORM, UploadBody.PART);
            }
        }
        if (tool.open() != null) {
            operation.open();
        }
        var done = tool.effect() == Effect.CREATES ? 201 : 200;
        operation
                .answers(done, "Done.", document.schemas().response(tool), KeptAnswer.of(tool))
                .problems(400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 503);
        if (tool.effect() == Effect.CREATES && ToolRoutes.hasDryRun(tool)) {
            operation.answers(
                    200, "A dry run: nothing was created.", document.schemas().response(tool), KeptAnswer.of(tool));
        }
        if (tool.hasFile()) {
            operation.orFile(done);
        }
        if (tool.hasLines()) {
            operation.orLines(done).orFile(done);
        }
        return withIdempotency(operation, tool, done);
    }

    private void parameters(Operation operation, Tool<?, ?> tool, Route route) {
        var examples = Example.arguments(tool);
        for (var field : Field.of(tool.inputSchema().typed())) {
            var inPath = route.hasParameter(field.path());
            if (!inPath && route.hasBody()) {
                continue;
            }
            var sentence = field.sentence();
            var schema = document.schemas().parameter(SchemaNames.typeName(tool) + field.name(), field.schema());
            var name = inPath ? route.parameter(field.path()) : field.path();
            operation.parameter(inPath ? "path" : "query", name, inPath || field.required(), sentence, schema);
            var example = inPath
                    ? Example.of(tool, field)
                    : examples.at("/" + field.path().replace('.', '/'));
            if (!example.isMissingNode()) {
                operation.suchAs(example);
            }
        }
    }

    private static Operation described(Tool<?, ?> tool, Route route) {
        var description = "%s\n\nNeeds the capability `%s`%s. %s"
                .formatted(tool.fullDescription(), tool.capability().word(), toRead(tool), repeated(tool));
        return new Operation(SchemaNames.id(tool, route), Tag.of(tool), tool.title(), description).runs(tool.name());
    }

    private static String toRead(Tool<?, ?> tool) {
        return tool.reading() == null
                ? ""
                : "; %s just `%s`"
                        .formatted(
                                tool.reading().when("`"), tool.family().read().word());
    }

    private static String repeated(Tool<?, ?> tool) {
        if (tool.effect() == Effect.READS) {
            return "Changes nothing.";
        }
        if (tool.effect() == Effect.MARKS) {
            return "Changes nothing but what counts as read.";
        }
        return tool.idempotent()
                ? "Doing it twice is the same as doing it once."
                : "Send Idempotency-Key if you may have to repeat it.";
    }

    private static Operation withIdempotency(Operation operation, Tool<?, ?> tool, int done) {
        return tool.effect().isTransactional()
                ? operation.idempotent().returns(done, RestResponse.REPLAYED, "IdempotencyReplayed")
                : operation;
    }
}

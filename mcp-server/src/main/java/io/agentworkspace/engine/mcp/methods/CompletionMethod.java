package io.agentworkspace.engine.mcp.methods;

import io.agentworkspace.engine.kernel.wire.CompletionArgument;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.kernel.wire.Params;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.source.PromptSource;
import io.agentworkspace.engine.mcp.source.ServedContent;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** The method {@code completion/complete}: values for a prompt's argument or a template's variable. */
final class CompletionMethod {
    private static final int MAX = 100;
    private static final int MAX_VALUE = 1_000;

    private final List<PromptSource> prompts;
    private final ResourceMethods resources;

    CompletionMethod(ServedContent served) {
        this.prompts = served.prompts();
        this.resources = new ResourceMethods(served.resources());
    }

    MethodResult complete(ObjectNode params, McpRequest request) {
        var ref = Params.object(params, "ref");
        var completion = completion(params);
        var values = switch (ref.path("type").asString("")) {
            case "ref/prompt" -> prompt(name(ref, "name"), completion, request);
            case "ref/resource" -> resources.complete(name(ref, "uri"), completion, request);
            default -> throw Problem.invalid("params.ref.type", "must be ref/prompt or ref/resource");
        };
        return result(values.orElseThrow(() -> Problem.invalid(
                "params.ref",
                "names no existing prompt or resource template: prompts/list and resources/templates/list show all")));
    }

    private Optional<List<String>> prompt(String name, CompletionArgument completion, McpRequest request) {
        return prompts.stream()
                .flatMap(source -> source.complete(name, completion, request).stream())
                .findFirst();
    }

    private static CompletionArgument completion(ObjectNode params) {
        var argument = Params.object(params, "argument");
        var value = argument.path("value").asString("");
        if (value.length() > MAX_VALUE) {
            throw Problem.tooLarge("params.argument.value", value.length(), MAX_VALUE, "characters");
        }
        return new CompletionArgument(name(argument, "name"), value, others(params));
    }

    private static Map<String, String> others(ObjectNode params) {
        var others = new LinkedHashMap<String, String>();
        if (Params.object(params, "context").get("arguments") instanceof ObjectNode arguments) {
            arguments
                    .propertyNames()
                    .forEach(name -> others.put(name, arguments.get(name).asString("")));
        }
        return others;
    }

    private static String name(ObjectNode object, String field) {
        var value = object.path(field).asString("");
        if (value.isBlank()) {
            throw Problem.missing("params.ref or params.argument: " + field);
        }
        return value;
    }

    private static MethodResult result(List<String> values) {
        var result = Json.object();
        var completion = result.putObject("completion");
        var items = completion.putArray("values");
        values.stream().limit(MAX).forEach(items::add);
        completion.put("hasMore", values.size() > MAX);
        return MethodResult.done(result);
    }
}

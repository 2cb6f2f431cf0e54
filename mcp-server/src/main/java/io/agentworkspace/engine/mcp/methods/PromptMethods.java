package io.agentworkspace.engine.mcp.methods;

import io.agentworkspace.engine.kernel.wire.ListPage;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.kernel.wire.Params;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.source.PromptSource;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Near;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/** The methods {@code prompts/list} and {@code prompts/get}, over all sources of prompts. */
final class PromptMethods {
    private static final MethodResult.Caching FIVE_MINUTES = new MethodResult.Caching(300_000, false);

    private final List<PromptSource> sources;

    PromptMethods(List<PromptSource> sources) {
        this.sources = sources;
    }

    MethodResult list(ObjectNode params, McpRequest request) {
        return ListPage.of(all(request), Params.cursor(params).orElse(null)).result("prompts", FIVE_MINUTES);
    }

    private List<ObjectNode> all(McpRequest request) {
        return sources.stream().flatMap(source -> source.list(request).stream()).toList();
    }

    MethodResult get(ObjectNode params, McpRequest request) {
        var name = Params.text(params, "name");
        var arguments = arguments(params);
        return sources.stream()
                .flatMap(source -> source.get(name, arguments, request).stream())
                .findFirst()
                .orElseThrow(() -> unknown(name, request));
    }

    private static ObjectNode arguments(ObjectNode params) {
        var arguments = Params.object(params, "arguments");
        for (var name : arguments.propertyNames()) {
            if (!arguments.get(name).isString()) {
                throw Problem.wrongType("params.arguments." + name, "a string");
            }
        }
        return arguments;
    }

    private Problem unknown(String name, McpRequest request) {
        var names = all(request).stream()
                .map(prompt -> prompt.get("name").asString())
                .toList();
        var near = Near.nearest(name, names, 2);
        var excerpt = Name.shortened(name);
        return new Problem(
                Failure.NOT_FOUND,
                near.isEmpty()
                        ? "no prompt '%s'; prompts/list has all names".formatted(excerpt)
                        : "no prompt '%s'; did you mean %s?".formatted(excerpt, String.join(" or ", near)));
    }
}

package io.agentworkspace.engine.mcp.content;

import io.agentworkspace.engine.integrations.upstreams.InstalledContent;
import io.agentworkspace.engine.kernel.wire.CompletionArgument;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.Caller;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Sends requests about resources and prompts to installed servers, through the runner.
 *
 * @param installed returns what a caller may use of them
 */
record InstalledRequests(CatalogueTools tools, Function<Caller, List<InstalledContent>> installed) {
    /** Returns what the caller may use, by the servers' names. */
    Stream<InstalledContent> contents(McpRequest request) {
        return installed.apply(request.caller()).stream();
    }

    /**
     * Returns what the server answered.
     *
     * @param about the name or URI for the request log
     */
    MethodResult run(
            InstalledContent.Meant meant, UnaryOperator<ObjectNode> rewriting, String about, McpRequest request) {
        request.ran(about);
        var of = tools.requestOf(meant.service(), meant.arguments(), request);
        var answer = tools.runner().run(of);
        return ClientProgress.question(of, answer)
                .orElseGet(() -> MethodResult.done(rewriting.apply(result(answer)), MethodResult.Caching.NONE));
    }

    /** Returns the suggested values; none if the server has no completion. */
    List<String> values(InstalledContent.Meant meant, McpRequest request) {
        return result(tools.runner().run(tools.requestOf(meant.service(), meant.arguments(), request)))
                .at("/completion/values")
                .valueStream()
                .filter(JsonNode::isString)
                .map(JsonNode::asString)
                .toList();
    }

    private static ObjectNode result(Answer answer) {
        if (answer.problem() != null) {
            throw answer.problem();
        }
        return answer.envelope().get("result") instanceof ObjectNode result ? result.deepCopy() : Json.object();
    }

    static ObjectNode argument(CompletionArgument completion) {
        return Json.object().put("name", completion.argument()).put("value", completion.value());
    }

    static ObjectNode context(CompletionArgument completion) {
        var context = Json.object();
        var arguments = context.putObject("arguments");
        completion.others().forEach(arguments::put);
        return context;
    }
}

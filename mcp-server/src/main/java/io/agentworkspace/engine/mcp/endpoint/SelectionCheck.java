package io.agentworkspace.engine.mcp.endpoint;

import io.agentworkspace.engine.kernel.wire.RpcError;
import io.agentworkspace.engine.kernel.wire.ToolSelection;
import io.agentworkspace.engine.mcp.source.ToolSource;
import io.agentworkspace.engine.mcp.source.ToolSource.Names;
import io.agentworkspace.engine.mcp.streams.McpExchange;
import io.agentworkspace.engine.model.problem.Cause;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Near;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.eclipse.jetty.server.Request;

/**
 * Refuses requests whose selection names an unknown toolset or tool. A mistyped name would
 * otherwise show or hide the wrong tools.
 */
record SelectionCheck(List<ToolSource> sources) {
    /** @throws Problem {@code not_found} when the path names an unknown toolset */
    void checkPath(McpExchange exchange) {
        ToolSelection.toolset(Request.getPathInContext(exchange.request()))
                .flatMap(word -> wrong("the path", "toolset", List.of(word), names(Names::toolsets, exchange)))
                .ifPresent(note -> {
                    throw new Problem(Failure.NOT_FOUND, note).because(Cause.TOOLSET);
                });
    }

    /** @throws RpcError with status 400 when a header names an unknown toolset or tool */
    void checkHeaders(McpExchange exchange) {
        checkHeader(ToolSelection.TOOLSETS, "toolset", Names::toolsets, exchange);
        checkHeader(ToolSelection.TOOLS, "tool", Names::tools, exchange);
        checkHeader(ToolSelection.EXCLUDED, "tool", Names::tools, exchange);
    }

    private void checkHeader(String header, String kind, Function<Names, List<String>> part, McpExchange exchange) {
        var words = ToolSelection.words(header, exchange.request().getHeaders());
        if (!words.isEmpty()) {
            wrong("the header " + header, kind, words, names(part, exchange)).ifPresent(note -> {
                throw RpcError.incomplete(
                        new Problem(Failure.INVALID_FIELD, note).because(Cause.SELECTION), exchange.requestId());
            });
        }
    }

    private List<String> names(Function<Names, List<String>> part, McpExchange exchange) {
        return sources.stream()
                .flatMap(source -> part.apply(source.names(exchange.caller())).stream())
                .toList();
    }

    private static Optional<String> wrong(String place, String kind, List<String> words, List<String> names) {
        return words.stream().filter(word -> !names.contains(word)).findFirst().map(word -> {
            var excerpt = Name.shortened(word);
            var near = Near.nearest(excerpt, names, 1);
            var hint = near.isEmpty() ? ";" : "; did you mean %s?".formatted(near.getFirst());
            return "%s names the %s '%s', which is not here%s there are %s"
                    .formatted(place, kind, excerpt, hint, String.join(", ", names));
        });
    }
}

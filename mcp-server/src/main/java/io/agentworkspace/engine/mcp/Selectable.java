package io.agentworkspace.engine.mcp;

import org.eclipse.jetty.server.Request;
import io.agentworkspace.engine.mcp.ToolSource.Names;
import io.agentworkspace.engine.model.Failure;
import io.agentworkspace.engine.model.Name;
import io.agentworkspace.engine.model.Near;
import io.agentworkspace.engine.model.Problem;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Refuses requests that limit themselves to what there is not: a mistyped name would show or hide other tools than meant. */
record Selectable(List<ToolSource> sources) {
    /** @throws Problem {@code not_found} when the path names an unknown toolset */
    void checkPath(Exchange exchange) {
        var known = known(Names::toolsets, exchange);
        Selection.toolset(Request.getPathInContext(exchange.request()))
                .flatMap(word -> wrong("the path", "toolset", List.of(word), known))
                .ifPresent(note -> {
                    throw new Problem(Failure.NOT_FOUND, note);
                });
    }

    /** @throws RpcError with status 400 when a header names an unknown toolset or tool */
    void checkHeaders(Exchange exchange) {
        checkHeader(Selection.TOOLSETS, "toolset", Names::toolsets, exchange);
        checkHeader(Selection.TOOLS, "tool", Names::tools, exchange);
        checkHeader(Selection.EXCLUDED, "tool", Names::tools, exchange);
    }

    private void checkHeader(String header, String kind, Function<Names, List<String>> part, Exchange exchange) {
        var words = Selection.words(header, exchange.request().getHeaders());
        if (!words.isEmpty()) {
            wrong("the header " + header, kind, words, known(part, exchange)).ifPresent(note -> {
                throw RpcError.incomplete(new Problem(Failure.INVALID_FIELD, note), exchange.requestId());
            });
        }
    }

    private List<String> known(Function<Names, List<String>> part, Exchange exchange) {
        return sources.stream()
                .flatMap(source -> part.apply(source.names(exchange.caller())).stream())
                .toList();
    }

    private static Optional<String> wrong(String place, String kind, List<String> words, List<String> known) {
        return words.stream().filter(word -> !known.contains(word)).findFirst().map(word -> {
            var shown = Name.shortened(word);
            var near = Near.nearest(shown, known, 1);
            var hint = near.isEmpty() ? ";" : "; did you mean %s?".formatted(near.getFirst());
            return "%s names the %s '%s', which is not here%s there are %s"
                    .formatted(place, kind, shown, hint, String.join(", ", known));
        });
    }
}

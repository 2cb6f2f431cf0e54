package io.agentworkspace.engine.mcp.features;

import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.source.ResourceSource;
import io.agentworkspace.engine.mcp.wire.CompletionArgument;
import io.agentworkspace.engine.mcp.wire.ListPage;
import io.agentworkspace.engine.mcp.wire.MethodResult;
import io.agentworkspace.engine.upstreams.InstalledContent;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The resources of installed servers. They are listed from the database and read from their servers. */
final class InstalledResources implements ResourceSource {
    /** A server cannot give its resources the addresses of the engine's own. */
    private static final List<String> OURS = List.of("engine:", "skill:", "ui:");

    private final InstalledRequests requests;

    InstalledResources(InstalledRequests requests) {
        this.requests = requests;
    }

    @Override
    public ListPage list(@Nullable String cursor, int limit, McpRequest request) {
        var all = requests.contents(request)
                .flatMap(content -> content.resources().stream())
                .toList();
        return ListPage.of(all, cursor, limit);
    }

    @Override
    public List<ObjectNode> templates(McpRequest request) {
        return requests.contents(request)
                .flatMap(content -> content.templates().stream())
                .toList();
    }

    @Override
    public Optional<MethodResult> read(String uri, McpRequest request) {
        return requests.contents(request)
                .flatMap(content -> content.reading(uri).map(meant -> read(meant, content, uri, request)).stream())
                .findFirst()
                .or(() -> readOriginal(uri, request));
    }

    /** Answers of tools refer to resources by their servers' own addresses. Those work where only one server has them. */
    private Optional<MethodResult> readOriginal(String uri, McpRequest request) {
        if (OURS.stream().anyMatch(scheme -> uri.regionMatches(true, 0, scheme, 0, scheme.length()))) {
            return Optional.empty();
        }
        var having = requests.contents(request)
                .filter(content -> content.readingOriginal(uri).isPresent())
                .toList();
        return having.size() == 1
                ? having.getFirst().readingOriginal(uri).map(meant -> read(meant, having.getFirst(), uri, request))
                : Optional.empty();
    }

    private MethodResult read(InstalledContent.Meant meant, InstalledContent content, String uri, McpRequest request) {
        return requests.run(meant, content::rewritten, uri, request);
    }

    @Override
    public Optional<List<String>> complete(String template, CompletionArgument completion, McpRequest request) {
        return requests.contents(request)
                .flatMap(content -> content
                        .completingTemplate(
                                template, InstalledRequests.argument(completion), InstalledRequests.context(completion))
                        .map(meant -> requests.values(meant, request))
                        .stream())
                .findFirst();
    }
}

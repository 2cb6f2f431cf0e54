package io.agentworkspace.engine.mcp.content;

import io.agentworkspace.engine.integrations.upstreams.InstalledContent;
import io.agentworkspace.engine.kernel.wire.CompletionArgument;
import io.agentworkspace.engine.kernel.wire.ListPage;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.kernel.wire.SubscribedChange;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.source.ResourceSource;
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

    /** A resource of a server, and the call that reads it. */
    private record Found(InstalledContent content, InstalledContent.Meant reading) {}

    @Override
    public Optional<MethodResult> read(String uri, McpRequest request) {
        return find(uri, request).map(found -> requests.run(found.reading(), found.content()::rewritten, uri, request));
    }

    /** A resource changes when its server announces that to one of the clients that listen there. */
    @Override
    public Optional<SubscribedChange> changes(String uri, McpRequest request) {
        return find(uri, request)
                .map(found -> SubscribedChange.ofUpstream(
                        request.caller().tenant(),
                        found.content().upstream(),
                        found.reading().arguments().path("uri").asString("")));
    }

    private Optional<Found> find(String uri, McpRequest request) {
        return requests.contents(request)
                .flatMap(content -> content.reading(uri).map(meant -> new Found(content, meant)).stream())
                .findFirst()
                .or(() -> original(uri, request));
    }

    /** Answers of tools refer to resources by their servers' own addresses. Those work where only one server has them. */
    private Optional<Found> original(String uri, McpRequest request) {
        if (OURS.stream().anyMatch(scheme -> uri.regionMatches(true, 0, scheme, 0, scheme.length()))) {
            return Optional.empty();
        }
        var having = requests.contents(request)
                .flatMap(content -> content.readingOriginal(uri).map(meant -> new Found(content, meant)).stream())
                .toList();
        return having.size() == 1 ? Optional.of(having.getFirst()) : Optional.empty();
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

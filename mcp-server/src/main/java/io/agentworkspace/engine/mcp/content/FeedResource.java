package io.agentworkspace.engine.mcp.content;

import io.agentworkspace.engine.kernel.wire.CompletionArgument;
import io.agentworkspace.engine.kernel.wire.ListPage;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.kernel.wire.SubscribedChange;
import io.agentworkspace.engine.mcp.methods.ResourceMethods;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.source.ResourceSource;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Serves the tenant's event feed as a resource to callers who may run WH_Feed: all stored events, or those after a given one.
 */
final class FeedResource implements ResourceSource {
    private static final String TOOL = "WH_Feed";
    private static final String URI = "engine://events";
    private static final Pattern ADDRESS = Pattern.compile(Pattern.quote(URI) + "(?:\\?after=([0-9]{1,18}))?");
    private static final String TEMPLATE = URI + "?after={seq}";

    /** The name in the log of changes. */
    private static final String KIND = "events";

    private final ToolRunner runner;

    FeedResource(ToolRunner runner) {
        this.runner = runner;
    }

    private boolean isSeenBy(McpRequest request) {
        return runner.catalogue().find(TOOL).filter(request.caller()::may).isPresent();
    }

    @Override
    public ListPage list(@Nullable String cursor, int limit, McpRequest request) {
        var feed =
                described("uri", URI, "events", "What happened in the tenant, the oldest events that are kept first.");
        return ListPage.of(isSeenBy(request) ? List.of(feed) : List.of(), cursor, limit);
    }

    @Override
    public List<ObjectNode> templates(McpRequest request) {
        return List.of(
                described("uriTemplate", TEMPLATE, "seq", "What happened in the tenant behind the event of this seq."));
    }

    private static ObjectNode described(String kind, String uri, String name, String description) {
        return Json.object()
                .put(kind, uri)
                .put("name", name)
                .put("title", "Feed of events")
                .put("description", description + " As " + TOOL + " reads it; subscribe, and new ones are told of.")
                .put("mimeType", "application/json");
    }

    @Override
    public Optional<MethodResult> read(String uri, McpRequest request) {
        var address = ADDRESS.matcher(uri);
        if (!address.matches() || !isSeenBy(request)) {
            return Optional.empty();
        }
        var arguments = Json.object();
        if (address.group(1) != null) {
            arguments.put("after", Long.parseLong(address.group(1)));
        }
        var answer =
                runner.run(new ToolRunner.Request(TOOL, arguments, request.caller(), request.requestId(), true, null)
                        .within(request.budget()));
        if (answer.problem() != null) {
            throw answer.problem();
        }
        request.ran(uri);
        var contents = answer.envelope().deepCopy().without(List.of("header", "status"));
        return Optional.of(MethodResult.done(
                ResourceMethods.text(uri, "application/json", Json.text(contents)),
                new MethodResult.Caching(0, false)));
    }

    /** Every position in the feed has the same changes. */
    @Override
    public Optional<String> canonical(String uri) {
        return ADDRESS.matcher(uri).matches() ? Optional.of(URI) : Optional.empty();
    }

    @Override
    public Optional<SubscribedChange> changes(String uri, McpRequest request) {
        return ADDRESS.matcher(uri).matches() && isSeenBy(request)
                ? Optional.of(new SubscribedChange(request.caller().tenant(), KIND, List.of()))
                : Optional.empty();
    }

    @Override
    public Optional<List<String>> complete(String template, CompletionArgument completion, McpRequest request) {
        return template.equals(TEMPLATE) ? Optional.of(List.of()) : Optional.empty();
    }
}

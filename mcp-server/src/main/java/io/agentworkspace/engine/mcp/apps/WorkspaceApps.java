package io.agentworkspace.engine.mcp.apps;

import io.agentworkspace.engine.hubs.apps.AppPage;
import io.agentworkspace.engine.kernel.wire.CompletionArgument;
import io.agentworkspace.engine.kernel.wire.JsonRpcMessage;
import io.agentworkspace.engine.kernel.wire.ListPage;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.source.ResourceSource;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Guide;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * The engine's pages of MCP Apps (extension {@code io.modelcontextprotocol/ui}, 2026-01-26) as resources. Only clients that declare the
 * extension see them and the tools' links to them. A page has no rights: its calls are calls of the client, with the same access.
 */
public final class WorkspaceApps implements ResourceSource {
    private static final String PREFIX = "ui://engine/";
    private static final String MEDIA_TYPE = "text/html;profile=mcp-app";

    /** The same for everybody, until the engine is replaced. */
    private static final MethodResult.Caching FIVE_MINUTES = new MethodResult.Caching(300_000, true);

    private final Map<String, AppPage> pages = new LinkedHashMap<>();
    private final Map<Guide.Page, String> addresses = new EnumMap<>(Guide.Page.class);

    /** @param pages none if the engine is to have no pages */
    public WorkspaceApps(List<AppPage> pages) {
        for (var page : pages) {
            var uri = PREFIX + page.name() + ".html";
            this.pages.put(uri, page);
            addresses.put(page.page(), uri);
        }
    }

    /** Returns the description of a tool, for clients that show pages with the link to its page. */
    public ObjectNode linked(Tool<?, ?> tool, ObjectNode description, McpRequest request) {
        var page = tool.guide().page();
        var uri = page == null || !request.client().showsApps() ? null : addresses.get(page);
        if (uri == null) {
            return description;
        }
        var linked = description.deepCopy();
        linked.withObject(JsonRpcMessage.META).putObject("ui").put("resourceUri", uri);
        return linked;
    }

    @Override
    public ListPage list(@Nullable String cursor, int limit, McpRequest request) {
        var all = request.client().showsApps()
                ? pages.entrySet().stream()
                        .map(page -> described(page.getKey(), page.getValue()))
                        .toList()
                : List.<ObjectNode>of();
        return ListPage.of(all, cursor, limit);
    }

    private static ObjectNode described(String uri, AppPage page) {
        return Json.object()
                .put("uri", uri)
                .put("name", page.name())
                .put("title", page.title())
                .put("description", page.description())
                .put("mimeType", MEDIA_TYPE);
    }

    @Override
    public List<ObjectNode> templates(McpRequest request) {
        return List.of();
    }

    @Override
    public Optional<MethodResult> read(String uri, McpRequest request) {
        return Optional.ofNullable(request.client().showsApps() ? pages.get(uri) : null)
                .map(page -> {
                    request.ran(uri);
                    return MethodResult.done(contents(uri, page), FIVE_MINUTES);
                });
    }

    /** The page asks for no addresses and no permissions: what is left out is refused. */
    private static ObjectNode contents(String uri, AppPage page) {
        var result = Json.object();
        var content = result.putArray("contents")
                .addObject()
                .put("uri", uri)
                .put("mimeType", MEDIA_TYPE)
                .put("text", page.html());
        content.putObject(JsonRpcMessage.META).putObject("ui").put("prefersBorder", true);
        return result;
    }

    @Override
    public Optional<List<String>> complete(String template, CompletionArgument completion, McpRequest request) {
        return Optional.empty();
    }
}

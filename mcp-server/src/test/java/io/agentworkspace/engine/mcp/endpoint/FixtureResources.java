package io.agentworkspace.engine.mcp.endpoint;

import io.agentworkspace.engine.kernel.wire.CompletionArgument;
import io.agentworkspace.engine.kernel.wire.ListPage;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.kernel.wire.SubscribedChange;
import io.agentworkspace.engine.mcp.methods.ResourceMethods;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.source.ResourceSource;
import io.agentworkspace.engine.model.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The resources of the conformance scenarios. */
final class FixtureResources implements ResourceSource {
    private static final Pattern TEMPLATE = Pattern.compile("test://template/([^/]+)/data");
    private static final String BINARY = "test://static-binary";

    private final Map<String, String> texts = new TreeMap<>(Map.of(
            "test://static-text", "This is the content of the static text resource.",
            "test://watched-resource", "This is watched."));

    @Override
    public ListPage list(@Nullable String cursor, int limit, McpRequest turn) {
        var all = new ArrayList<ObjectNode>();
        texts.keySet().forEach(uri -> all.add(resource(uri, "text/plain")));
        all.add(resource(BINARY, "image/png"));
        return ListPage.of(all, cursor, limit);
    }

    private static ObjectNode resource(String uri, String mediaType) {
        return Json.object()
                .put("uri", uri)
                .put("name", uri)
                .put("description", "A fixture.")
                .put("mimeType", mediaType);
    }

    @Override
    public List<ObjectNode> templates(McpRequest request) {
        return List.of(Json.object()
                .put("uriTemplate", "test://template/{id}/data")
                .put("name", "template")
                .put("description", "A fixture.")
                .put("mimeType", "application/json"));
    }

    @Override
    public Optional<MethodResult> read(String uri, McpRequest turn) {
        var id = TEMPLATE.matcher(uri);
        if (texts.containsKey(uri)) {
            return Optional.of(MethodResult.done(ResourceMethods.text(uri, "text/plain", texts.get(uri))));
        } else if (uri.equals(BINARY)) {
            var result = Json.object();
            result.putArray("contents")
                    .addObject()
                    .put("uri", uri)
                    .put("mimeType", "image/png")
                    .put("blob", Fixtures.PNG);
            return Optional.of(MethodResult.done(result));
        } else if (id.matches()) {
            var data = Json.object()
                    .put("id", id.group(1))
                    .put("templateTest", true)
                    .put("data", "Data for ID: " + id.group(1));
            return Optional.of(MethodResult.done(ResourceMethods.text(uri, "application/json", Json.text(data))));
        }
        return Optional.empty();
    }

    @Override
    public Optional<List<String>> complete(String template, CompletionArgument completion, McpRequest turn) {
        return template.startsWith("test://template/") ? Optional.of(List.of("123")) : Optional.empty();
    }

    @Override
    public Optional<SubscribedChange> changes(String uri, McpRequest turn) {
        if (uri.startsWith("test://many/")) {
            return Optional.of(new SubscribedChange(turn.caller().tenant(), "fixture", List.of("many")));
        }
        return texts.containsKey(uri)
                ? Optional.of(new SubscribedChange(turn.caller().tenant(), "fixture", List.of(uri)))
                : Optional.empty();
    }
}

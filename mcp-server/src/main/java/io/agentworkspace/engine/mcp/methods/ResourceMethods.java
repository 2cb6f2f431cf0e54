package io.agentworkspace.engine.mcp.methods;

import io.agentworkspace.engine.kernel.page.Cursor;
import io.agentworkspace.engine.kernel.wire.CompletionArgument;
import io.agentworkspace.engine.kernel.wire.ListPage;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.kernel.wire.Params;
import io.agentworkspace.engine.kernel.wire.RpcError;
import io.agentworkspace.engine.kernel.wire.SubscribedChange;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.source.ResourceSource;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** The methods {@code resources/…}, over all sources of resources, one source after the other. */
public final class ResourceMethods {
    private static final int MAX_URI = 2_000;
    private static final MethodResult.Caching FIVE_SECONDS = new MethodResult.Caching(5_000, false);
    private static final MethodResult.Caching FIVE_MINUTES = new MethodResult.Caching(300_000, false);

    private final List<ResourceSource> sources;

    ResourceMethods(List<ResourceSource> sources) {
        this.sources = sources;
    }

    MethodResult list(ObjectNode params, McpRequest request) {
        var at = Params.cursor(params).map(cursor -> Cursor.read(cursor, 2)).orElse(List.of("0", ""));
        return list(number(at.get(0)), at.get(1), request).result("resources", FIVE_SECONDS);
    }

    /** Fills a page from the sources in order. */
    private ListPage list(int first, String cursor, McpRequest request) {
        var items = new ArrayList<ObjectNode>();
        for (var source = first; source < sources.size(); source++) {
            if (items.size() == ListPage.SIZE) {
                return new ListPage(items, Cursor.of(Integer.toString(source), ""));
            }
            var from = source == first && !cursor.isEmpty() ? cursor : null;
            var portion = sources.get(source).list(from, ListPage.SIZE - items.size(), request);
            items.addAll(portion.items());
            if (portion.next() != null) {
                return new ListPage(items, Cursor.of(Integer.toString(source), portion.next()));
            }
        }
        return ListPage.whole(items);
    }

    private int number(String text) {
        try {
            var number = Integer.parseUnsignedInt(text);
            if (number < Math.max(1, sources.size())) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Handled below, like any other invalid cursor.
        }
        throw Cursor.invalid();
    }

    MethodResult templates(ObjectNode params, McpRequest request) {
        var all = sources.stream()
                .flatMap(source -> source.templates(request).stream())
                .toList();
        return ListPage.of(all, Params.cursor(params).orElse(null)).result("resourceTemplates", FIVE_MINUTES);
    }

    MethodResult read(ObjectNode params, McpRequest request) {
        var uri = uri(params);
        return sources.stream()
                .flatMap(source -> source.read(uri, request).stream())
                .findFirst()
                .orElseThrow(
                        () -> RpcError.resourceNotFound(uri, request.client().revision(), request.requestId()));
    }

    public static String uri(ObjectNode params) {
        return checked("params.uri", Params.text(params, "uri"));
    }

    /** @throws Problem {@code invalid_field} if it is empty or too long */
    public static String checked(String field, String uri) {
        if (uri.isBlank() || uri.length() > MAX_URI) {
            throw Problem.invalid(field, "must have 1–%,d characters".formatted(MAX_URI));
        }
        return uri;
    }

    /** Returns the one spelling of an address: two addresses with the same have the same changes. */
    public String canonical(String uri) {
        return sources.stream()
                .flatMap(source -> source.canonical(uri).stream())
                .findFirst()
                .orElse(uri);
    }

    /** Returns the change to subscribe to for this resource. Empty if the caller may not see it. */
    public Optional<SubscribedChange> changes(String uri, McpRequest request) {
        return sources.stream()
                .flatMap(source -> source.changes(uri, request).stream())
                .findFirst();
    }

    Optional<List<String>> complete(String template, CompletionArgument completion, McpRequest request) {
        return sources.stream()
                .flatMap(source -> source.complete(template, completion, request).stream())
                .findFirst();
    }

    /** Returns the {@code contents} of a resource that is a single text. */
    public static ObjectNode text(String uri, String mediaType, String text) {
        var result = Json.object();
        result.putArray("contents")
                .addObject()
                .put("uri", uri)
                .put("mimeType", mediaType)
                .put("text", text);
        return result;
    }
}

package io.agentworkspace.engine.mcp.endpoint;

import io.agentworkspace.engine.identity.credentials.ProtectedResource;
import io.agentworkspace.engine.identity.dpop.DpopProofs;
import io.agentworkspace.engine.kernel.http.JsonResponse;
import io.agentworkspace.engine.mcp.source.ServedContent;
import io.agentworkspace.engine.mcp.streams.McpExchange;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.mcp.McpAddress;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import java.net.URI;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * The documents that clients read before they connect: the server card (SEP-2127), the catalogue that links to it, and
 * the protected resource metadata (RFC 9728) if the server accepts access tokens.
 */
final class ServerCard {
    private static final String CARD_TYPE = "application/mcp-server-card+json";
    private static final String CATALOG_TYPE = "application/ai-catalog+json";

    private final Map<String, Page> pages = new LinkedHashMap<>();
    private final @Nullable Function<String, Page> metadata;

    ServerCard(ServedContent.Identity identity, String mcpUrl, @Nullable ProtectedResource resource) {
        pages.put(McpAddress.CARD, Page.of(CARD_TYPE, ServerListing.card(identity, mcpUrl, resource == null)));
        pages.put(McpAddress.CATALOG, Page.of(CATALOG_TYPE, catalog(identity, mcpUrl)));
        metadata = resource == null
                ? null
                : path -> Page.of(JsonResponse.JSON, metadata(resource, path, identity.title(), mcpUrl));
    }

    private static ObjectNode metadata(ProtectedResource resource, String path, String title, String mcpUrl) {
        var metadata = resource.metadata(path, title, mcpUrl + McpAddress.CARD);
        DpopProofs.ALGORITHMS.forEach(metadata.putArray("dpop_signing_alg_values_supported")::add);
        return metadata;
    }

    boolean has(String path) {
        return pages.containsKey(path) || metadata != null && ProtectedResource.isMetadata(path);
    }

    private Page page(String path) {
        return metadata != null && ProtectedResource.isMetadata(path)
                ? metadata.apply(path)
                : Objects.requireNonNull(pages.get(path));
    }

    private record Page(JsonResponse reply, String tag) {
        static Page of(String type, ObjectNode body) {
            var tag = "\"%08x\"".formatted(Arrays.hashCode(Json.bytes(body)));
            return new Page(new JsonResponse(HttpStatus.OK_200, type, body), tag);
        }
    }

    private static ObjectNode catalog(ServedContent.Identity identity, String mcpUrl) {
        var name = identity.name().substring(identity.name().indexOf('/') + 1);
        var catalog = Json.object().put("specVersion", "1.0");
        catalog.putArray("entries")
                .addObject()
                .put(
                        "identifier",
                        "urn:air:%s:mcp:%s".formatted(URI.create(mcpUrl).getHost(), name))
                .put("displayName", identity.title())
                .put("type", CARD_TYPE)
                .put("url", mcpUrl + McpAddress.CARD);
        return catalog;
    }

    void serve(String path, McpExchange exchange) {
        var method = exchange.request().getMethod();
        var headers = exchange.response().getHeaders();
        if (!method.equals("GET") && !method.equals("HEAD")) {
            headers.put(HttpHeader.ALLOW, "GET");
            throw new Problem(Failure.METHOD_NOT_ALLOWED, "this address takes GET");
        }
        var page = page(path);
        headers.put(HttpHeader.CACHE_CONTROL, "public, max-age=3600");
        headers.put(HttpHeader.ETAG, page.tag());
        headers.put(HttpHeader.ACCESS_CONTROL_ALLOW_ORIGIN, "*");
        headers.put("Access-Control-Allow-Methods", "GET");
        headers.put("Access-Control-Allow-Headers", "Content-Type, If-None-Match");
        headers.put("Access-Control-Expose-Headers", HttpHeader.ETAG.asString());
        if (exchange.request().getHeaders().contains(HttpHeader.IF_NONE_MATCH, page.tag())) {
            exchange.end(HttpStatus.NOT_MODIFIED_304);
        } else {
            page.reply().send(exchange.response(), exchange.callback());
        }
    }
}

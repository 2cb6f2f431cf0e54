package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.http.Doors;
import io.agentworkspace.engine.http.JsonReply;
import io.agentworkspace.engine.model.Failure;
import io.agentworkspace.engine.model.Json;
import io.agentworkspace.engine.model.Problem;
import java.net.URI;
import java.util.Arrays;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import tools.jackson.databind.node.ObjectNode;

/** What clients read before they connect: the server's card (SEP-2127), and the catalogue that points to it. */
final class ServerCard {
    private static final String CARD_TYPE = "application/mcp-server-card+json";
    private static final String CATALOG_TYPE = "application/ai-catalog+json";

    private final Page card;
    private final Page catalog;

    ServerCard(Offer.Identity identity, String mcpUrl) {
        card = Page.of(CARD_TYPE, Listing.card(identity, mcpUrl));
        catalog = Page.of(CATALOG_TYPE, catalog(identity, mcpUrl));
    }

    private record Page(JsonReply reply, String tag) {
        static Page of(String type, ObjectNode body) {
            var tag = "\"%08x\"".formatted(Arrays.hashCode(Json.bytes(body)));
            return new Page(new JsonReply(HttpStatus.OK_200, type, body), tag);
        }
    }

    private static ObjectNode catalog(Offer.Identity identity, String mcpUrl) {
        var name = identity.name().substring(identity.name().indexOf('/') + 1);
        var catalog = Json.object().put("specVersion", "1.0");
        catalog.putArray("entries")
                .addObject()
                .put(
                        "identifier",
                        "urn:air:%s:mcp:%s".formatted(URI.create(mcpUrl).getHost(), name))
                .put("displayName", identity.title())
                .put("type", CARD_TYPE)
                .put("url", mcpUrl + Doors.CARD);
        return catalog;
    }

    void serve(String path, Exchange exchange) {
        var method = exchange.request().getMethod();
        var headers = exchange.response().getHeaders();
        if (!method.equals("GET") && !method.equals("HEAD")) {
            headers.put(HttpHeader.ALLOW, "GET");
            throw new Problem(Failure.METHOD_NOT_ALLOWED, "this address takes GET");
        }
        var page = path.equals(Doors.CATALOG) ? catalog : card;
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

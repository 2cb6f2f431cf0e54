package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.http.Doors;
import io.agentworkspace.engine.http.JsonReply;
import io.agentworkspace.engine.model.Failure;
import io.agentworkspace.engine.model.Json;
import io.agentworkspace.engine.model.Problem;
import java.net.URI;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import tools.jackson.databind.node.ObjectNode;

/** What clients read before they connect: the server's card (SEP-2127), and the catalogue that points to it. */
final class ServerCard {
    private static final String CARD_TYPE = "application/mcp-server-card+json";
    private static final String CATALOG_TYPE = "application/ai-catalog+json";
    private static final String SCHEMA = "https://static.modelcontextprotocol.io/schemas/v2/server-card.schema.json";

    private final ObjectNode card;
    private final ObjectNode catalog;

    ServerCard(Offer.Identity identity, String mcpUrl) {
        card = card(identity, mcpUrl);
        catalog = catalog(identity, mcpUrl);
    }

    private static ObjectNode card(Offer.Identity identity, String mcpUrl) {
        var card = Json.object()
                .put("$schema", SCHEMA)
                .put("name", identity.name())
                .put("version", identity.version())
                .put("description", identity.description())
                .put("title", identity.title());
        var remote = card.putArray("remotes")
                .addObject()
                .put("type", "streamable-http")
                .put("url", mcpUrl + "/mcp");
        remote.putArray("headers")
                .addObject()
                .put("name", "X-Api-Key")
                .put("description", "An API key of the engine")
                .put("isRequired", true)
                .put("isSecret", true);
        Revision.words().forEach(remote.putArray("supportedProtocolVersions")::add);
        return card;
    }

    private static ObjectNode catalog(Offer.Identity identity, String mcpUrl) {
        var name = identity.name().substring(identity.name().indexOf('/') + 1);
        var catalog = Json.object().put("specVersion", "1.0");
        catalog.putArray("entries")
                .addObject()
                .put("identifier", "urn:air:%s:%s".formatted(URI.create(mcpUrl).getHost(), name))
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
        headers.put(HttpHeader.CACHE_CONTROL, "public, max-age=3600");
        headers.put(HttpHeader.ACCESS_CONTROL_ALLOW_ORIGIN, "*");
        var reply = path.equals(Doors.CATALOG)
                ? new JsonReply(HttpStatus.OK_200, CATALOG_TYPE, catalog)
                : new JsonReply(HttpStatus.OK_200, CARD_TYPE, card);
        reply.send(exchange.response(), exchange.callback());
    }
}

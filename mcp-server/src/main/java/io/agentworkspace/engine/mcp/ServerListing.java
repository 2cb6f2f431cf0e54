package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.mcp.source.ServerFeatures;
import io.agentworkspace.engine.mcp.wire.Revision;
import io.agentworkspace.engine.mcp.wire.ToolSelection;
import io.agentworkspace.engine.model.json.Json;
import tools.jackson.databind.node.ObjectNode;

/** A server as strangers find it: who it is and how it is reached. The registry's {@code server.json} and the card are alike in this. */
final class ServerListing {
    private static final String REGISTRY =
            "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";
    private static final String CARD = "https://static.modelcontextprotocol.io/schemas/v2/server-card.schema.json";

    private ServerListing() {}

    /**
     * The card of a running server (SEP-2127).
     *
     * @param keysOnly whether nothing but an API key lets anybody in
     */
    static ObjectNode card(ServerFeatures.Identity identity, String mcpUrl, boolean keysOnly) {
        var remote = remote(mcpUrl, keysOnly);
        Revision.words().forEach(remote.putArray("supportedProtocolVersions")::add);
        return described(CARD, identity, remote);
    }

    /** For the registry of MCP servers: wherever somebody runs it, so that the host is for the reader to fill in. */
    static ObjectNode registered(ServerFeatures.Identity identity) {
        var remote = remote("https://{host}", true);
        remote.putObject("variables")
                .putObject("host")
                .put("description", "The host that the engine runs on, with its port if it has one of its own")
                .put("isRequired", true)
                .put("placeholder", "engine.example.com");
        return described(REGISTRY, identity, remote);
    }

    private static ObjectNode described(String schema, ServerFeatures.Identity identity, ObjectNode remote) {
        var listing = Json.object()
                .put("$schema", schema)
                .put("name", identity.name())
                .put("title", identity.title())
                .put("description", identity.description())
                .put("version", identity.version());
        listing.putArray("remotes").add(remote);
        return listing;
    }

    private static ObjectNode remote(String mcpUrl, boolean keysOnly) {
        var remote = Json.object().put("type", "streamable-http").put("url", mcpUrl + ToolSelection.PATH);
        remote.putArray("headers")
                .addObject()
                .put("name", "X-Api-Key")
                .put("description", "An API key of the engine")
                .put("isRequired", keysOnly)
                .put("isSecret", true);
        return remote;
    }
}

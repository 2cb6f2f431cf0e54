package io.agentworkspace.engine.mcp.endpoint;

import io.agentworkspace.engine.kernel.wire.ProtocolRevision;
import io.agentworkspace.engine.kernel.wire.ToolSelection;
import io.agentworkspace.engine.mcp.source.ServedContent;
import io.agentworkspace.engine.model.json.Json;
import tools.jackson.databind.node.ObjectNode;

/**
 * Builds the public listing of the server: its identity and its address. The registry's {@code server.json} and
 * the server card share this part.
 */
final class ServerListing {
    private static final String REGISTRY =
            "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";
    private static final String CARD = "https://static.modelcontextprotocol.io/schemas/v2/server-card.schema.json";

    private ServerListing() {}

    /**
     * Returns the card of a running server (SEP-2127).
     *
     * @param keysOnly whether API keys are the only accepted credentials
     */
    static ObjectNode card(ServedContent.Identity identity, String mcpUrl, boolean keysOnly) {
        var remote = remote(mcpUrl, keysOnly);
        ProtocolRevision.words().forEach(remote.putArray("supportedProtocolVersions")::add);
        return described(CARD, identity, remote);
    }

    /** Returns the listing for the registry of MCP servers. The host is a variable, since each operator has their own. */
    static ObjectNode registered(ServedContent.Identity identity) {
        var remote = remote("https://{host}", true);
        remote.putObject("variables")
                .putObject("host")
                .put("description", "The host that the engine runs on, with its port if it has one of its own")
                .put("isRequired", true)
                .put("placeholder", "engine.example.com");
        return described(REGISTRY, identity, remote);
    }

    private static ObjectNode described(String schema, ServedContent.Identity identity, ObjectNode remote) {
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

package io.agentworkspace.engine.web.server;

import io.agentworkspace.engine.hubs.HubRoutes;
import io.agentworkspace.engine.kernel.metrics.MetricsEndpoint;
import io.agentworkspace.engine.model.mcp.McpAddress;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** The routes that respond without a credential (decisions, section 6). */
final class PublicRoutes {
    /** The signed-in user: the one public route whose response depends on the caller. */
    static final String SESSION = "/api/auth/session";

    /** Joining with an invitation, whose code is the credential. */
    private static final String JOIN = "/api/join";

    /** The routes of programs at the authorization server, which have credentials of their own. */
    private static final Set<String> OAUTH =
            Set.of("/oauth/token", "/oauth/register", "/oauth/revoke", "/token", "/register");

    /** The documents about the engine as a client, which authorization servers read. */
    private static final Pattern CLIENTS = Pattern.compile("/oauth/upstreams/[^/]+/client\\.json");

    /** The cards of agents: the endpoint decides who may see one. */
    private static final Pattern CARDS = Pattern.compile("/a2a(?:/.+)?/\\.well-known/agent-card\\.json");

    private static final String HEALTH = "/api/health";
    private static final Set<String> PATHS = Set.of(
            HEALTH,
            "/api/openapi.json",
            "/api/openapi.yaml",
            "/api/config",
            "/join",
            "/join.ps1",
            "/oauth/authorize",
            "/authorize",
            SESSION,
            "/api/mcp/tools",
            "/api/mcp/clients",
            "/api/skills",
            MetricsEndpoint.PATH,
            McpAddress.CARD);
    private static final List<String> PREFIXES = List.of(
            HEALTH + "/",
            "/api/mcp/tools/",
            "/api/mcp/clients/",
            "/api/skills/",
            "/api/auth/oauth/",
            "/.well-known/",
            "/join/");

    private PublicRoutes() {}

    static boolean isHealth(String path) {
        return path.equals(HEALTH) || path.startsWith(HEALTH + "/");
    }

    /** Returns whether a path has a credential of its own, which is no caller's. */
    static boolean hasCredentialOfItsOwn(String path) {
        return path.equals(MetricsEndpoint.PATH) || OAUTH.contains(path);
    }

    static boolean cover(String method, String path) {
        if (path.equals(JOIN) || OAUTH.contains(path)) {
            return method.equals("POST");
        }
        return (method.equals("GET") || method.equals("HEAD"))
                && (PATHS.contains(path)
                        || HubRoutes.covers(path)
                        || CLIENTS.matcher(path).matches()
                        || CARDS.matcher(path).matches()
                        || PREFIXES.stream().anyMatch(path::startsWith));
    }
}

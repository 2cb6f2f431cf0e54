package io.agentworkspace.engine.http;

import io.agentworkspace.engine.hubs.HubRoutes;
import java.util.List;
import java.util.Set;

/** The routes that answer without a credential (decisions, section 6). */
final class PublicRoutes {
    /** Who is signed in: the one public route whose answer depends on who asks. */
    static final String SESSION = "/api/auth/session";

    private static final String HEALTH = "/api/health";
    private static final Set<String> PATHS = Set.of(
            HEALTH,
            "/api/openapi.json",
            "/api/openapi.yaml",
            "/api/config",
            SESSION,
            "/api/mcp/tools",
            "/api/mcp/clients",
            "/api/skills",
            Endpoints.CARD);
    private static final List<String> PREFIXES = List.of(
            HEALTH + "/", "/api/mcp/tools/", "/api/mcp/clients/", "/api/skills/", "/api/auth/oauth/", "/.well-known/");

    private PublicRoutes() {}

    static boolean isHealth(String path) {
        return path.equals(HEALTH) || path.startsWith(HEALTH + "/");
    }

    static boolean cover(String method, String path) {
        return (method.equals("GET") || method.equals("HEAD"))
                && (PATHS.contains(path)
                        || HubRoutes.covers(path)
                        || PREFIXES.stream().anyMatch(path::startsWith));
    }
}

package io.agentworkspace.engine.http;

import java.util.List;
import java.util.Set;

/** The routes that answer without a credential (decisions, section 6). */
final class PublicRoutes {
    private static final Set<String> PATHS = Set.of(
            "/api/health",
            "/api/openapi.json",
            "/api/openapi.yaml",
            "/api/config",
            "/api/auth/session",
            "/api/mcp/tools",
            Doors.CARD);
    private static final List<String> PREFIXES =
            List.of("/api/health/", "/api/mcp/tools/", "/api/auth/oauth/", "/.well-known/");

    private PublicRoutes() {}

    static boolean cover(String method, String path) {
        return (method.equals("GET") || method.equals("HEAD"))
                && (PATHS.contains(path) || PREFIXES.stream().anyMatch(path::startsWith));
    }
}

package io.agentworkspace.engine.web.server;

import io.agentworkspace.engine.hubs.HubRoutes;
import io.agentworkspace.engine.identity.credentials.ProtectedResource;
import io.agentworkspace.engine.model.mcp.McpAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Dispatches requests behind the gate: {@code /mcp} and below is MCP, some paths have their own endpoint, pages
 * belong to the hubs, everything else is REST.
 */
public final class Endpoints extends Handler.Sequence {
    /** The path of the live stream of the tenant's changes. */
    public static final String STREAM = "/api/stream";

    /** The path of the demo, for admins. */
    public static final String DEMO = "/api/demo";

    /** The path of the metrics, for those who have the token. */
    public static final String METRICS = "/metrics";

    /** The path below which hooks of coding agents have their routes. */
    public static final String HOOKS = "/api/hooks";

    /** The path below which the authorization server has its routes. */
    public static final String OAUTH = "/oauth";

    /** Where clients look for the metadata of the authorization server: as such, and as an OpenID provider. */
    private static final List<String> AUTHORIZATION_SERVER =
            List.of("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration");

    /** Where clients look for its routes that do not read its metadata. */
    private static final Set<String> SECOND = Set.of("/authorize", "/token", "/register");

    private static final Set<String> OWN = Set.of(STREAM, DEMO, METRICS);

    private final Handler mcp;
    private final Map<String, Handler> own;
    private final Handler pages;
    private final Handler rest;

    /** @param own the endpoints of single paths: {@link #STREAM}, {@link #DEMO}, and those below {@link #HOOKS} */
    public Endpoints(Handler mcp, Map<String, Handler> own, Handler pages, Handler rest) {
        super(Stream.concat(Stream.of(mcp, pages, rest), own.values().stream()).toArray(Handler[]::new));
        this.mcp = mcp;
        this.own = Map.copyOf(own);
        this.pages = pages;
        this.rest = rest;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        var path = Request.getPathInContext(request);
        return endpoint(path).handle(request, response, callback);
    }

    private Handler endpoint(String path) {
        if (isMcp(path) || path.equals(McpAddress.CATALOG) || ProtectedResource.isMetadata(path)) {
            return mcp;
        }
        var alone = own.get(isHook(path) ? HOOKS : isOAuth(path) ? OAUTH : path);
        if (alone != null) {
            return alone;
        }
        return HubRoutes.covers(path) ? pages : rest;
    }

    /**
     * @param mcp whether the MCP endpoint serves a path
     * @param rest whether the REST routes include a path
     */
    public static boolean serve(String path, Predicate<String> mcp, Predicate<String> rest) {
        return mcp.test(path)
                || path.equals(McpAddress.CATALOG)
                || OWN.contains(path)
                || isHook(path)
                || isOAuth(path)
                || ProtectedResource.isMetadata(path)
                || HubRoutes.covers(path)
                || rest.test(path);
    }

    private static boolean isHook(String path) {
        return path.startsWith(HOOKS + "/");
    }

    private static boolean isOAuth(String path) {
        return path.startsWith(OAUTH + "/") || SECOND.contains(path) || AUTHORIZATION_SERVER.contains(path);
    }

    static boolean isMcp(String path) {
        return path.equals(McpAddress.ENDPOINT) || path.startsWith(McpAddress.ENDPOINT + "/");
    }
}

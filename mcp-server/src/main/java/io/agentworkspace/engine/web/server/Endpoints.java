package io.agentworkspace.engine.web.server;

import io.agentworkspace.engine.hubs.HubRoutes;
import io.agentworkspace.engine.identity.credentials.ProtectedResource;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.model.mcp.McpAddress;
import java.util.List;
import java.util.stream.Stream;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Dispatches requests behind the gate: {@code /mcp} and below is MCP, features have endpoints of their own, pages
 * belong to the hubs, everything else is REST.
 */
public final class Endpoints extends Handler.Sequence {
    private final Feature.Endpoint mcp;
    private final List<Feature.Endpoint> own;
    private final Handler pages;
    private final Feature.Endpoint rest;

    /** @param own the endpoints of the features */
    public Endpoints(Feature.Endpoint mcp, List<Feature.Endpoint> own, Handler pages, Feature.Endpoint rest) {
        super(Stream.concat(
                        Stream.of(mcp.handler(), pages, rest.handler()),
                        own.stream().map(Feature.Endpoint::handler))
                .toArray(Handler[]::new));
        this.mcp = mcp;
        this.own = List.copyOf(own);
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
            return mcp.handler();
        }
        return own.stream()
                .filter(endpoint -> endpoint.serves(path))
                .map(Feature.Endpoint::handler)
                .findFirst()
                .orElse(HubRoutes.covers(path) ? pages : rest.handler());
    }

    /** Returns whether there is something at a path. */
    public boolean serves(String path) {
        return mcp.serves(path)
                || path.equals(McpAddress.CATALOG)
                || ProtectedResource.isMetadata(path)
                || own.stream().anyMatch(endpoint -> endpoint.serves(path))
                || HubRoutes.covers(path)
                || rest.serves(path);
    }

    static boolean isMcp(String path) {
        return path.equals(McpAddress.ENDPOINT) || path.startsWith(McpAddress.ENDPOINT + "/");
    }
}

package io.agentworkspace.engine.http;

import io.agentworkspace.engine.credentials.ProtectedResource;
import io.agentworkspace.engine.hubs.HubRoutes;
import java.util.function.Predicate;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** The endpoints behind the gate: {@code /mcp} and below is MCP, {@code /api/stream} the stream of events, pages belong to the hubs, everything else is REST. */
public final class Endpoints extends Handler.Sequence {
    static final String MCP = "/mcp";

    /** Where clients that know only the host look for servers. */
    public static final String CATALOG = "/.well-known/ai-catalog.json";

    /** Where the MCP endpoint describes itself. */
    public static final String CARD = MCP + "/server-card";

    /** What happens in the tenant, as it happens. */
    static final String STREAM = "/api/stream";

    private final Handler mcp;
    private final Handler stream;
    private final Handler pages;
    private final Handler rest;

    public Endpoints(Handler mcp, Handler stream, Handler pages, Handler rest) {
        super(mcp, stream, pages, rest);
        this.mcp = mcp;
        this.stream = stream;
        this.pages = pages;
        this.rest = rest;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        var path = Request.getPathInContext(request);
        return endpoint(path).handle(request, response, callback);
    }

    private Handler endpoint(String path) {
        if (isMcp(path) || path.equals(CATALOG) || ProtectedResource.PATHS.contains(path)) {
            return mcp;
        } else if (path.equals(STREAM)) {
            return stream;
        }
        return HubRoutes.covers(path) ? pages : rest;
    }

    /** @param rest whether the REST routes include a path */
    public static boolean serve(String path, Predicate<String> rest) {
        return isMcp(path)
                || path.equals(CATALOG)
                || path.equals(STREAM)
                || ProtectedResource.PATHS.contains(path)
                || HubRoutes.covers(path)
                || rest.test(path);
    }

    static boolean isMcp(String path) {
        return path.equals(MCP) || path.startsWith(MCP + "/");
    }
}

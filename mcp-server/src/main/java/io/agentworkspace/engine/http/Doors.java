package io.agentworkspace.engine.http;

import io.agentworkspace.engine.hubs.Hubs;
import io.agentworkspace.engine.identity.ProtectedResource;
import java.util.function.Predicate;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** The ways in behind the gate: {@code /mcp} with what is below it is the MCP door's, pages are the hubs', everything else is REST. */
public final class Doors extends Handler.Sequence {
    static final String MCP = "/mcp";

    /** Where those look for servers who know nothing but the host. */
    public static final String CATALOG = "/.well-known/ai-catalog.json";

    /** Where the door describes itself. */
    public static final String CARD = MCP + "/server-card";

    private final Handler mcp;
    private final Handler pages;
    private final Handler rest;

    public Doors(Handler mcp, Handler pages, Handler rest) {
        super(mcp, pages, rest);
        this.mcp = mcp;
        this.pages = pages;
        this.rest = rest;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        var path = Request.getPathInContext(request);
        return door(path).handle(request, response, callback);
    }

    private Handler door(String path) {
        if (isMcp(path) || path.equals(CATALOG) || ProtectedResource.PATHS.contains(path)) {
            return mcp;
        }
        return Hubs.covers(path) ? pages : rest;
    }

    /** @param rest whether the REST routes include it */
    public static boolean serve(String path, Predicate<String> rest) {
        return isMcp(path)
                || path.equals(CATALOG)
                || ProtectedResource.PATHS.contains(path)
                || Hubs.covers(path)
                || rest.test(path);
    }

    static boolean isMcp(String path) {
        return path.equals(MCP) || path.startsWith(MCP + "/");
    }
}

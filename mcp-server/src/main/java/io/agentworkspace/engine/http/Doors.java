package io.agentworkspace.engine.http;

import io.agentworkspace.engine.identity.ProtectedResource;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** The ways in behind the gate: {@code /mcp} with what is below it is the MCP door's, everything else is REST. */
public final class Doors extends Handler.Sequence {
    static final String MCP = "/mcp";

    /** Where those look for servers who know nothing but the host. */
    public static final String CATALOG = "/.well-known/ai-catalog.json";

    /** Where the door describes itself. */
    public static final String CARD = MCP + "/server-card";

    private final Handler mcp;
    private final Handler rest;

    public Doors(Handler mcp, Handler rest) {
        super(mcp, rest);
        this.mcp = mcp;
        this.rest = rest;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        var path = Request.getPathInContext(request);
        var door = isMcp(path) || path.equals(CATALOG) || ProtectedResource.PATHS.contains(path) ? mcp : rest;
        return door.handle(request, response, callback);
    }

    static boolean isMcp(String path) {
        return path.equals(MCP) || path.startsWith(MCP + "/");
    }
}

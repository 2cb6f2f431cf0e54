package io.agentworkspace.engine.http;

import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** The ways in behind the gate: {@code /mcp} is the MCP door, everything else is REST. */
public final class Doors extends Handler.Sequence {
    static final String MCP = "/mcp";

    private final Handler mcp;
    private final Handler rest;

    public Doors(Handler mcp, Handler rest) {
        super(mcp, rest);
        this.mcp = mcp;
        this.rest = rest;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        var door = isMcp(Request.getPathInContext(request)) ? mcp : rest;
        return door.handle(request, response, callback);
    }

    static boolean isMcp(String path) {
        return path.equals(MCP) || path.equals(MCP + "/");
    }
}

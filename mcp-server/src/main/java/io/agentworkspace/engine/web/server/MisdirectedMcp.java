package io.agentworkspace.engine.web.server;

import io.agentworkspace.engine.model.mcp.McpAddress;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.RequestContext;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.eclipse.jetty.server.Request;

/** Recognizes requests of MCP clients that were configured with a wrong address, and names the right one. */
final class MisdirectedMcp {
    /** What clients and their manuals call the address of a server: {@code /sse}, {@code /api/mcp}, {@code /v1/mcp/}. */
    private static final Pattern ADDRESS =
            Pattern.compile("(.*/)?(mcp|mcp/x/[^/]+|sse|messages?|rpc|json-?rpc|streamable-?http)(/readonly)?/*");

    private MisdirectedMcp() {}

    /** Returns whether nothing is served there, for this method. */
    static boolean isUnserved(String path, String method, Predicate<String> served) {
        return path.equals("/") ? method.equals("POST") : !served.test(path);
    }

    /** Returns the refusal of a request to an address that is not served; empty if it has nothing to do with MCP. */
    static Optional<Problem> find(Request request, String path) {
        var isMeant = Endpoints.isMcp(path)
                || RequestContext.of(request::getAttribute).isJsonRpc()
                || ADDRESS.matcher(path.toLowerCase(Locale.ROOT)).matches();
        return isMeant ? Optional.of(problem()) : Optional.empty();
    }

    static Problem problem() {
        return new Problem(
                Failure.NOT_FOUND,
                "the MCP endpoint is not at this address: send POST %s, with a transport of Streamable HTTP"
                        .formatted(McpAddress.ENDPOINT));
    }
}

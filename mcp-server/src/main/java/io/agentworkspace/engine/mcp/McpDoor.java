package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.http.Body;
import io.agentworkspace.engine.model.Failure;
import io.agentworkspace.engine.model.Problem;
import io.agentworkspace.engine.model.ToolRunner;
import java.time.Clock;
import java.util.Locale;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * The MCP door at {@code /mcp}: reads one JSON-RPC message and hands it to the lane of its client's era. What has no
 * lane, since it is no message, is thrown as a {@code Problem} and rendered at the gate.
 */
public final class McpDoor extends Handler.Abstract {
    private final Lane bare;

    public McpDoor(ToolRunner runner, Clock clock) {
        this.bare = new BareLane(new Tools(runner, clock));
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        checkMethod(request, response);
        checkContent(request);
        var message = Message.read(Body.read(request));
        bare.serve(message, new Exchange(request, response, callback));
        return true;
    }

    private static void checkMethod(Request request, Response response) {
        if (!request.getMethod().equals("POST")) {
            response.getHeaders().put(HttpHeader.ALLOW, "POST");
            throw new Problem(
                    Failure.METHOD_NOT_ALLOWED, "this address takes POST with one JSON-RPC 2.0 object as the body");
        }
    }

    private static void checkContent(Request request) {
        var headers = request.getHeaders();
        if (!isJson(headers.get(HttpHeader.CONTENT_TYPE))) {
            throw new Problem(
                    Failure.UNSUPPORTED_MEDIA_TYPE,
                    "send the header Content-Type: application/json, and the body in UTF-8");
        }
        var encoding = headers.get(HttpHeader.CONTENT_ENCODING);
        if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
            throw new Problem(Failure.UNSUPPORTED_MEDIA_TYPE, "send the body as it is, without a Content-Encoding");
        }
    }

    private static boolean isJson(@Nullable String contentType) {
        if (contentType == null) {
            return false;
        }
        var parts = contentType.toLowerCase(Locale.ROOT).split(";");
        var charset = "utf-8";
        for (var i = 1; i < parts.length; i++) {
            var parameter = parts[i].strip();
            if (parameter.startsWith("charset=")) {
                charset = parameter.substring("charset=".length()).replace("\"", "");
            }
        }
        return parts.length > 0 && parts[0].strip().equals("application/json") && charset.equals("utf-8");
    }
}

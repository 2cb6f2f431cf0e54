package io.agentworkspace.engine.web.server;

import io.agentworkspace.engine.kernel.http.JsonResponse;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.RequestContext;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Replaces the REST facade: returns the caller, or fails in a chosen way. */
final class SampleRest extends Handler.Abstract {
    /** The number of requests that have reached the slow path. */
    static final AtomicInteger SLOW = new AtomicInteger();

    /** The number of those that may continue. */
    static final Semaphore RELEASED = new Semaphore(0);

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        switch (Request.getPathInContext(request)) {
            case "/api/health", "/api/me", "/api/mcp/tools", "/api/mcp/tools/AP_Read", "/demo/v1/Engine/tps" ->
                who(request, response, callback);
            case "/api/slow" -> {
                SLOW.incrementAndGet();
                RELEASED.acquire();
                who(request, response, callback);
            }
            case "/api/throws", "/demo/v1/Engine/tps/agent/read" -> throw new IllegalStateException("a secret detail");
            case "/api/fails" -> {
                response.getHeaders().put("X-Half", "done");
                callback.failed(new IllegalStateException("a secret detail"));
            }
            case "/api/refuses" -> throw Problem.conflict("not now");
            case "/api/resets" -> {
                response.reset();
                who(request, response, callback);
            }
            case "/api/writes-error" -> Response.writeError(request, response, callback, 415, "a secret detail");
            case "/api/writes-defect" ->
                Response.writeError(request, response, callback, new IllegalStateException("a secret detail"));
            default -> {
                return false;
            }
        }
        return true;
    }

    private static void who(Request request, Response response, Callback callback) {
        // Some tests serve it without a gate.
        var caller = request.getAttribute(RequestContext.ATTRIBUTE) instanceof RequestContext context
                        && context.caller() instanceof Caller person
                ? person.principal()
                : "nobody";
        new JsonResponse(200, JsonResponse.JSON, Json.object().put("caller", caller)).send(response, callback);
    }
}

package io.agentworkspace.engine.http;

import io.agentworkspace.engine.model.Failure;
import io.agentworkspace.engine.model.Incoming;
import io.agentworkspace.engine.model.Problem;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** What Jetty itself refuses, mostly before the gate: in our style, without its own pages. */
final class ServerErrors implements Request.Handler {
    private final Refusals refusals;

    ServerErrors(Refusals refusals) {
        this.refusals = refusals;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        var requestId = (String) request.getAttribute(Incoming.REQUEST_ID);
        if (requestId == null) {
            requestId = RequestIds.of(request);
            request.setAttribute(Incoming.REQUEST_ID, requestId);
            RequestLog.watch(request, response);
        }
        GuardedResponse.dress(response.getHeaders(), requestId);
        refusals.write(request, response, callback, problem(response.getStatus(), requestId));
        return true;
    }

    static Problem problem(int status, String requestId) {
        return switch (status) {
            case 401 -> Problem.unauthenticated("this needs a credential: send your API key in the header X-Api-Key");
            case 403 -> Problem.notPermitted("this is not allowed");
            case 404 -> new Problem(Failure.NOT_FOUND, "nothing is served at this path; see /api/openapi.json");
            case 405 -> new Problem(Failure.METHOD_NOT_ALLOWED, "this path does not take that method");
            case 408 -> new Problem(Failure.BAD_REQUEST, "the request did not arrive in time");
            case 413 -> new Problem(Failure.TOO_LARGE, "the body is too large");
            case 414, 431 -> new Problem(Failure.TOO_LARGE, "the request line or the headers are too large");
            case 415 -> new Problem(Failure.UNSUPPORTED_MEDIA_TYPE, "this media type is not understood here");
            case 503 -> new Problem(Failure.UNAVAILABLE, "the server is stopping or starting; try again shortly");
            case 500 -> Problem.internal(requestId);
            default -> new Problem(Failure.BAD_REQUEST, "this is not a well-formed HTTP/1.1 request");
        };
    }
}

package io.agentworkspace.engine.web.server;

import io.agentworkspace.engine.model.problem.Cause;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.RequestContext;
import java.util.LinkedHashMap;
import java.util.Map;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/** Renders the refusals of Jetty itself, mostly before the gate, in our style and without Jetty's pages. */
final class ServerErrors implements Request.Handler {
    /** The ways in which a URL can be ambiguous, with how to correct each. */
    private static final Map<UriCompliance.Violation, String> ADDRESSES = addresses();

    private final RefusalWriter refusals;

    ServerErrors(RefusalWriter refusals) {
        this.refusals = refusals;
    }

    private static Map<UriCompliance.Violation, String> addresses() {
        var addresses = new LinkedHashMap<UriCompliance.Violation, String>();
        addresses.put(
                UriCompliance.Violation.AMBIGUOUS_PATH_SEPARATOR,
                "the path has an encoded slash (%2F): a name in a path cannot have one");
        addresses.put(
                UriCompliance.Violation.AMBIGUOUS_PATH_SEGMENT,
                "the path has an encoded dot segment (%2e): write the path without it");
        addresses.put(
                UriCompliance.Violation.AMBIGUOUS_PATH_PARAMETER,
                "the path has a parameter (';') in a dot segment: write the path without it");
        addresses.put(
                UriCompliance.Violation.AMBIGUOUS_PATH_ENCODING,
                "the path has an encoded percent sign (%25): a name in a path cannot have one");
        addresses.put(
                UriCompliance.Violation.BAD_UTF8_ENCODING, "the path is not UTF-8 in percent-encoding (RFC 3986)");
        return addresses;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        var context = (RequestContext) request.getAttribute(RequestContext.ATTRIBUTE);
        if (context == null) {
            context = new RequestContext(RequestIds.of(request));
            request.setAttribute(RequestContext.ATTRIBUTE, context);
            refusals.log().watch(request, response);
        }
        GuardedResponse.dress(response.getHeaders(), context.requestId());
        refusals.write(request, response, callback, problem(request, response.getStatus(), context.requestId()));
        return true;
    }

    /** Returns the problem. Only the exception reveals what is wrong with a URL. */
    private static Problem problem(Request request, int status, String requestId) {
        var reason = request.getAttribute(ErrorHandler.ERROR_EXCEPTION) instanceof Throwable cause
                ? String.valueOf(cause.getMessage())
                : String.valueOf(request.getAttribute(ErrorHandler.ERROR_MESSAGE));
        return ADDRESSES.entrySet().stream()
                .filter(_ -> status == HttpStatus.BAD_REQUEST_400)
                .filter(entry -> reason.contains(entry.getKey().getDescription()))
                .map(entry -> new Problem(Failure.BAD_REQUEST, entry.getValue()).because(Cause.PATH))
                .findFirst()
                .orElseGet(() -> problem(status, requestId));
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
            case 415 -> new Problem(Failure.UNSUPPORTED_MEDIA_TYPE, "this media type is not supported here");
            case 503 -> new Problem(Failure.UNAVAILABLE, "the server is stopping or starting; try again shortly");
            case 500 -> Problem.internal(requestId);
            default -> new Problem(Failure.BAD_REQUEST, "this is not a well-formed HTTP/1.1 request");
        };
    }
}

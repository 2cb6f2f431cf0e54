package io.agentworkspace.engine.http;

import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.refusal.RenderedRefusal;
import io.agentworkspace.engine.model.tool.Allowance;
import io.agentworkspace.engine.model.tool.RequestAttributes;
import io.agentworkspace.engine.model.tool.Route;
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Writes refusals that no tool made, in the style of the requested path: the command envelope on command routes, a
 * JSON-RPC error at {@code /mcp}, a page for browsers that request one, RFC 9457 everywhere else.
 */
public final class RefusalWriter {
    private final Clock clock;
    private final @Nullable PageEndpoint pages;
    private final BiConsumer<Request, Problem> atMcp;
    private final RequestLog log = new RequestLog();

    public RefusalWriter(Clock clock) {
        this(clock, null, (_, _) -> {});
    }

    /**
     * @param pages renders refusals for people; null if there are no pages
     * @param atMcp receives each refusal of a request at the MCP endpoint, before it is written
     */
    public RefusalWriter(Clock clock, @Nullable PageEndpoint pages, BiConsumer<Request, Problem> atMcp) {
        this.clock = clock;
        this.pages = pages;
        this.atMcp = atMcp;
    }

    /** Returns the log of requests, which those that Jetty refuses share with the others. */
    RequestLog log() {
        return log;
    }

    /** Writes the counts of repeated requests to the log. */
    public void flushLog() {
        log.flush();
    }

    /** Lets handlers of pages show a refusal as a page, too. */
    void hand(Request request, Response response) {
        if (pages != null && PageEndpoint.isShown(request, path(request))) {
            Function<Problem, byte[]> page = problem -> pages.refused(request, response.getHeaders(), problem);
            request.setAttribute(RequestAttributes.REFUSAL_PAGE, page);
        }
    }

    void write(Request request, Response response, Callback callback, Problem problem) {
        var headers = response.getHeaders();
        problem.retryAfterSeconds().ifPresent(seconds -> headers.put(HttpHeader.RETRY_AFTER, seconds));
        if (Endpoints.isMcp(path(request))) {
            atMcp.accept(request, problem);
        }
        if (pages != null
                && request.getAttribute(MisdirectedMcp.JSON_RPC) == null
                && PageEndpoint.isShown(request, path(request))) {
            pages.refuse(request, response, callback, problem);
            return;
        }
        var requestId = Objects.requireNonNull((String) request.getAttribute(RequestAttributes.REQUEST_ID));
        var rendered = rendered(request, problem, requestId);
        new JsonResponse(rendered.status(), rendered.mediaType(), rendered.body()).send(response, callback);
    }

    private RenderedRefusal rendered(Request request, Problem problem, String requestId) {
        var path = path(request);
        if (Route.isCommand(path)) {
            return RenderedRefusal.envelope(null, requestId, clock.instant(), problem, limits(request));
        } else if (Endpoints.isMcp(path) || request.getAttribute(MisdirectedMcp.JSON_RPC) != null) {
            var id = (JsonNode) request.getAttribute(RequestAttributes.MESSAGE_ID);
            return RenderedRefusal.rpc(id, requestId, problem, limits(request));
        }
        return RenderedRefusal.document(requestId, problem);
    }

    /** Returns the allowances, which the headers report too. */
    private static List<Allowance> limits(Request request) {
        return request.getAttribute(RequestAttributes.LIMITS) instanceof List<?> told
                ? told.stream().map(Allowance.class::cast).toList()
                : List.of();
    }

    private static String path(Request request) {
        var path = request.getHttpURI() == null ? null : request.getHttpURI().getCanonicalPath();
        return path == null ? "" : path;
    }

    Clock clock() {
        return clock;
    }
}

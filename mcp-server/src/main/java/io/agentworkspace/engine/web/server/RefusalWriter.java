package io.agentworkspace.engine.web.server;

import io.agentworkspace.engine.kernel.http.JsonResponse;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.refusal.RenderedRefusal;
import io.agentworkspace.engine.model.tool.RequestContext;
import io.agentworkspace.engine.model.tool.Route;
import java.time.Clock;
import java.util.function.BiConsumer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

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
            RequestContext.of(request::getAttribute)
                    .refuseWith(problem -> pages.refused(request, response.getHeaders(), problem));
        }
    }

    void write(Request request, Response response, Callback callback, Problem problem) {
        var headers = response.getHeaders();
        problem.retryAfterSeconds().ifPresent(seconds -> headers.put(HttpHeader.RETRY_AFTER, seconds));
        if (Endpoints.isMcp(path(request))) {
            atMcp.accept(request, problem);
        }
        if (pages != null
                && !RequestContext.of(request::getAttribute).isJsonRpc()
                && PageEndpoint.isShown(request, path(request))) {
            pages.refuse(request, response, callback, problem);
            return;
        }
        var rendered = rendered(request, problem);
        new JsonResponse(rendered.status(), rendered.mediaType(), rendered.body()).send(response, callback);
    }

    private RenderedRefusal rendered(Request request, Problem problem) {
        var path = path(request);
        var context = RequestContext.of(request::getAttribute);
        if (Route.isCommand(path)) {
            return RenderedRefusal.envelope(null, context.requestId(), clock.instant(), problem, context.limits());
        } else if (Endpoints.isMcp(path) || context.isJsonRpc()) {
            return RenderedRefusal.rpc(context.messageId(), context.requestId(), problem, context.limits());
        }
        return RenderedRefusal.document(context, problem);
    }

    private static String path(Request request) {
        var path = request.getHttpURI() == null ? null : request.getHttpURI().getCanonicalPath();
        return path == null ? "" : path;
    }

    Clock clock() {
        return clock;
    }
}

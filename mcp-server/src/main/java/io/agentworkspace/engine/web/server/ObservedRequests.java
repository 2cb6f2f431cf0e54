package io.agentworkspace.engine.web.server;

import io.agentworkspace.engine.hubs.HubRoutes;
import io.agentworkspace.engine.kernel.metrics.HttpMeter;
import io.agentworkspace.engine.kernel.metrics.HttpMeter.HttpEndpoint;
import io.agentworkspace.engine.kernel.tracing.RemoteParent;
import io.agentworkspace.engine.kernel.tracing.TraceSpan;
import io.agentworkspace.engine.kernel.tracing.Tracing;
import io.agentworkspace.engine.model.mcp.McpAddress;
import io.agentworkspace.engine.workspace.delivery.live.LiveEndpoint;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** Counts every request, and begins its span if tracing is on. In front of the gate, so that refused ones count too. */
public final class ObservedRequests extends Handler.Wrapper {
    private static final String STREAM = "text/event-stream";
    private static final int FAILED = 500;

    private final HttpMeter meter;
    private final @Nullable Tracing tracing;

    /** @param tracing null: off */
    public ObservedRequests(Handler gate, HttpMeter meter, @Nullable Tracing tracing) {
        super(gate);
        this.meter = meter;
        this.tracing = tracing;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        meter.began();
        var path = Request.getPathInContext(request);
        var endpoint = endpoint(path);
        Request.addCompletionListener(request, _ -> {
            var nanos = isStream(response) ? -1 : System.nanoTime() - request.getHeadersNanoTime();
            meter.ended(endpoint, response.getStatus(), nanos);
        });
        if (tracing == null || endpoint == HttpEndpoint.HEALTH) {
            return super.handle(request, response, callback);
        }
        var span = begin(tracing, request, response, path, endpoint);
        return ScopedValue.where(TraceSpan.CURRENT, span).call(() -> super.handle(request, response, callback));
    }

    /** Named by its endpoint: paths contain names that callers choose. */
    private static TraceSpan begin(
            Tracing tracing, Request request, Response response, String path, HttpEndpoint endpoint) {
        var headers = request.getHeaders();
        var route = endpoint == HttpEndpoint.MCP ? " " + McpAddress.ENDPOINT : "";
        var span = tracing.request(
                        new RemoteParent(headers.get("traceparent"), headers.get("tracestate")),
                        request.getMethod() + route)
                .set("http.request.method", request.getMethod())
                .set("url.path", RequestLog.path(path));
        Request.addCompletionListener(request, failure -> {
            span.set("http.response.status_code", response.getStatus());
            if (failure != null) {
                span.failed(failure.getClass().getSimpleName());
            } else if (response.getStatus() >= FAILED) {
                span.failed(Integer.toString(response.getStatus()));
            }
            span.end();
        });
        return span;
    }

    private static boolean isStream(Response response) {
        var type = response.getHeaders().get(HttpHeader.CONTENT_TYPE);
        return type != null && type.startsWith(STREAM);
    }

    private static HttpEndpoint endpoint(String path) {
        if (Endpoints.isMcp(path)) {
            return HttpEndpoint.MCP;
        } else if (PublicRoutes.isHealth(path)) {
            return HttpEndpoint.HEALTH;
        } else if (path.equals(LiveEndpoint.PATH)) {
            return HttpEndpoint.STREAM;
        }
        return HubRoutes.covers(path) ? HttpEndpoint.PAGES : HttpEndpoint.REST;
    }
}

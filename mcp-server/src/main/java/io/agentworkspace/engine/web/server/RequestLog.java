package io.agentworkspace.engine.web.server;

import io.agentworkspace.engine.identity.credentials.KeyFormat;
import io.agentworkspace.engine.kernel.tracing.TraceSpan;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.tool.RequestContext;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One structured line for each request: never a query, a header, a body or a key. Of equal requests without a caller,
 * and of those over a rate limit, one line is written in a second, and then one with the number of the others.
 */
final class RequestLog {
    private static final Logger LOG = LoggerFactory.getLogger(RequestLog.class);
    private static final int MAX_PATH = 200;
    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");

    /** The number of different requests in a second that have lines of their own. The rest are counted by status. */
    private static final int DIFFERENT = 20;

    private final Map<Repeatable, LongAdder> repeated = new ConcurrentHashMap<>();

    /** What equal requests have in common. */
    private record Repeatable(String method, String path, int status, String remote) {
        private static Repeatable others(int status) {
            return new Repeatable("", "", status, "");
        }

        private void write(long requests) {
            LOG.atInfo()
                    .addKeyValue("method", method)
                    .addKeyValue("path", path)
                    .addKeyValue("status", status)
                    .addKeyValue("remote", remote)
                    .addKeyValue("requests", requests)
                    .log("requests");
        }
    }

    /** Writes the line when the response is sent, or the client has disconnected. */
    void watch(Request request, Response response) {
        if (LOG.isInfoEnabled()) {
            var trace = TraceSpan.CURRENT.isBound() ? TraceSpan.CURRENT.get().traceId() : null;
            Request.addCompletionListener(request, failure -> {
                if (isFirst(request, response)) {
                    write(request, response, trace, failure);
                }
            });
        }
    }

    /** Returns whether no equal request came since the last {@link #flush}; counts it otherwise. */
    private boolean isFirst(Request request, Response response) {
        var status = response.getStatus();
        var isLimited = status == HttpStatus.TOO_MANY_REQUESTS_429;
        if (RequestContext.of(request::getAttribute).caller() != null && !isLimited) {
            return true;
        }
        var own = new Repeatable(request.getMethod(), path(request), status, Request.getRemoteAddr(request));
        var counted = repeated.size() < DIFFERENT || repeated.containsKey(own) ? own : Repeatable.others(status);
        var isFirst = new boolean[1];
        repeated.compute(counted, (_, former) -> {
            isFirst[0] = former == null && counted == own;
            var count = former == null ? new LongAdder() : former;
            if (!isFirst[0]) {
                count.increment();
            }
            return count;
        });
        return isFirst[0];
    }

    /** Writes how many equal requests came since the last time. */
    void flush() {
        for (var request : repeated.keySet()) {
            var count = repeated.remove(request);
            if (count != null && count.sum() > 0) {
                request.write(count.sum());
            }
        }
    }

    private static void write(Request request, Response response, @Nullable String trace, @Nullable Throwable failure) {
        var context = RequestContext.of(request::getAttribute);
        var line = LOG.atInfo()
                .addKeyValue("request_id", context.requestId())
                .addKeyValue("method", request.getMethod())
                .addKeyValue("path", path(request))
                .addKeyValue("status", response.getStatus())
                .addKeyValue("duration_ms", milliseconds(System.nanoTime() - request.getHeadersNanoTime()))
                .addKeyValue("bytes", Response.getContentBytesWritten(response))
                .addKeyValue("remote", Request.getRemoteAddr(request));
        var service = context.service();
        if (service != null) {
            line = line.addKeyValue("service", service);
        }
        var error = context.error();
        if (error != null) {
            line = line.addKeyValue("error", error);
        }
        var caller = context.caller();
        if (caller != null) {
            line = line.addKeyValue("tenant", caller.tenantName()).addKeyValue("principal", caller.principal());
        }
        if (trace != null) {
            line = line.addKeyValue("trace_id", trace);
        }
        if (failure != null) {
            line = line.addKeyValue("broken_off", failure.getClass().getSimpleName());
        }
        line.log("request");
    }

    private static double milliseconds(long nanos) {
        return TimeUnit.NANOSECONDS.toMicros(nanos) / 1000.0;
    }

    /** Returns the path, decoded and on one line, so that a key is recognized in any encoding. */
    private static String path(Request request) {
        var path = request.getHttpURI() == null ? null : request.getHttpURI().getCanonicalPath();
        return path == null ? "" : path(path);
    }

    /** A path as others may see it. */
    static String path(String path) {
        var plain = path.chars().noneMatch(Character::isISOControl)
                ? path
                : CONTROL.matcher(path).replaceAll("?");
        return Excerpt.of(KeyFormat.masked(plain), MAX_PATH);
    }
}

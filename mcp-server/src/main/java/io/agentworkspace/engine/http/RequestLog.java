package io.agentworkspace.engine.http;

import io.agentworkspace.engine.credentials.KeyFormat;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.RequestAttributes;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One structured line for each request: never a query, a header, a body or a key. */
final class RequestLog {
    private static final Logger LOG = LoggerFactory.getLogger(RequestLog.class);
    private static final int MAX_PATH = 200;
    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");

    private RequestLog() {}

    /** Writes the line when the response is sent, or the client has disconnected. */
    static void watch(Request request, Response response) {
        if (LOG.isInfoEnabled()) {
            Request.addCompletionListener(request, failure -> write(request, response, failure));
        }
    }

    private static void write(Request request, Response response, @Nullable Throwable failure) {
        var line = LOG.atInfo()
                .addKeyValue("request_id", request.getAttribute(RequestAttributes.REQUEST_ID))
                .addKeyValue("method", request.getMethod())
                .addKeyValue("path", path(request))
                .addKeyValue("status", response.getStatus())
                .addKeyValue("duration_ms", milliseconds(System.nanoTime() - request.getHeadersNanoTime()))
                .addKeyValue("bytes", Response.getContentBytesWritten(response))
                .addKeyValue("remote", Request.getRemoteAddr(request));
        if (request.getAttribute(RequestAttributes.SERVICE) instanceof String service) {
            line = line.addKeyValue("service", service);
        }
        if (request.getAttribute(RequestAttributes.CALLER) instanceof Caller caller) {
            line = line.addKeyValue("tenant", caller.tenantName()).addKeyValue("principal", caller.principal());
        }
        if (request.getAttribute(ObservedRequests.TRACE_ID) instanceof String trace) {
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
        var plain = KeyFormat.masked(CONTROL.matcher(path).replaceAll("?"));
        return Excerpt.of(plain, MAX_PATH);
    }
}

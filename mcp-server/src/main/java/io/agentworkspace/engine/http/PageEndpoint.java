package io.agentworkspace.engine.http;

import io.agentworkspace.engine.hubs.HubRoutes;
import io.agentworkspace.engine.hubs.Page;
import io.agentworkspace.engine.hubs.PageRequest;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.RequestAttributes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.zip.GZIPOutputStream;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;

/** Hands out the hubs' pages, compressed where the browser takes that. Nothing of another origin, and no script in the page itself, is run by them. */
public final class PageEndpoint extends Handler.Abstract {
    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
                    + " form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

    /** Diagrams carry their styles. As pictures they run no script and load nothing. */
    private static final String PICTURE_POLICY =
            "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox";

    private static final String A_YEAR = "public, max-age=31536000, immutable";

    /** Where browsers are sent to sign in at a provider, and come back from it. */
    private static final String SIGN_IN = "/api/auth/oauth/";

    private final HubRoutes hubs;

    public PageEndpoint(HubRoutes hubs) {
        this.hubs = hubs;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        if (!HttpMethod.GET.is(request.getMethod()) && !HttpMethod.HEAD.is(request.getMethod())) {
            response.getHeaders().put(HttpHeader.ALLOW, "GET, HEAD");
            throw new Problem(Failure.METHOD_NOT_ALLOWED, "a page is read with GET");
        }
        var visit = visit(request);
        var page = hubs.page(visit);
        response.setStatus(page.status());
        describe(page, visit.caller() != null, response.getHeaders());
        send(page, request, response, callback);
        return true;
    }

    private static PageRequest visit(Request request) {
        var caller = (Caller) request.getAttribute(RequestAttributes.CALLER);
        var id = (String) Objects.requireNonNull(request.getAttribute(RequestAttributes.REQUEST_ID));
        return new PageRequest(Request.getPathInContext(request), query(request), caller, id);
    }

    /** Whether a person's browser asks for something that it will show, and not a program for something that it will read. */
    static boolean isShown(Request request, String path) {
        return (HttpMethod.GET.is(request.getMethod()) || HttpMethod.HEAD.is(request.getMethod()))
                && (HubRoutes.covers(path) || path.startsWith(SIGN_IN))
                && request.getHeaders().getQualityCSV(HttpHeader.ACCEPT).stream()
                        .anyMatch(type -> type.startsWith("text/html"));
    }

    /** The page that a refusal is. */
    void refuse(Request request, Response response, Callback callback, Problem problem) {
        var page = refused(request, problem);
        response.setStatus(page.status());
        describe(page, true, response.getHeaders());
        send(page, request, response, callback);
    }

    /** The same for whoever sends it otherwise: its bytes, with the policy in the headers under which they are shown. */
    byte[] refused(Request request, HttpFields.Mutable headers, Problem problem) {
        headers.put("Content-Security-Policy", POLICY);
        return refused(request, problem).body();
    }

    private Page refused(Request request, Problem problem) {
        return hubs.refused(visit(request), problem.failure().httpStatus(), problem.note());
    }

    /** A query that cannot be understood says nothing. */
    private static Map<String, List<String>> query(Request request) {
        try {
            return Request.extractQueryParameters(request).stream()
                    .collect(Collectors.toMap(Fields.Field::getName, Fields.Field::getValues));
        } catch (RuntimeException e) {
            return Map.of();
        }
    }

    /** What somebody was shown who had signed in is not shown again, by going back, once that has ended. */
    private static void describe(Page page, boolean personal, HttpFields.Mutable headers) {
        headers.put(HttpHeader.CONTENT_TYPE, page.mediaType());
        headers.put("Content-Security-Policy", page.mediaType().startsWith("image/") ? PICTURE_POLICY : POLICY);
        headers.put(HttpHeader.CACHE_CONTROL, page.kept() ? A_YEAR : personal ? "no-store" : "no-cache");
        headers.put(HttpHeader.VARY, page.kept() ? "Accept-Encoding" : "Accept-Encoding, Cookie");
        if (page.location() != null) {
            headers.put(HttpHeader.LOCATION, page.location());
        }
    }

    private static void send(Page page, Request request, Response response, Callback callback) {
        var body = page.body();
        if (body.length > 0
                && request.getHeaders().contains(HttpHeader.ACCEPT_ENCODING)
                && request.getHeaders()
                        .getQualityCSV(HttpHeader.ACCEPT_ENCODING)
                        .contains("gzip")) {
            response.getHeaders().put(HttpHeader.CONTENT_ENCODING, "gzip");
            body = gzipped(body);
        }
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.length);
        response.write(true, HttpMethod.HEAD.is(request.getMethod()) ? null : ByteBuffer.wrap(body), callback);
    }

    private static byte[] gzipped(byte[] body) {
        var compressed = new ByteArrayOutputStream(body.length / 3);
        try (var gzip = new GZIPOutputStream(compressed)) {
            gzip.write(body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return compressed.toByteArray();
    }
}

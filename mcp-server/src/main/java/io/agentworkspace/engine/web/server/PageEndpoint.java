package io.agentworkspace.engine.web.server;

import io.agentworkspace.engine.hubs.HubRoutes;
import io.agentworkspace.engine.hubs.PageRequest;
import io.agentworkspace.engine.hubs.PageResponse;
import io.agentworkspace.engine.kernel.http.PublicPath;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.RequestContext;
import io.agentworkspace.engine.model.tool.Route;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;

/**
 * Serves the hubs' pages, compressed if the browser accepts that. The pages' policy allows neither content from other
 * origins nor inline scripts.
 */
public final class PageEndpoint extends Handler.Abstract {
    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
                    + " form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

    /** The policy for diagrams, which contain their styles. As pictures they run no script and load nothing. */
    private static final String PICTURE_POLICY =
            "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox";

    private static final String A_YEAR = "public, max-age=31536000, immutable";

    /** The path at which browsers leave to sign in at a provider, and return from it. */
    private static final String SIGN_IN = "/api/auth/oauth/";

    private final HubRoutes hubs;
    private final PublicPath path;

    /** The pages' styles and scripts, compressed once: their addresses change with their content. */
    private final Map<String, byte[]> compressed = new ConcurrentHashMap<>();

    public PageEndpoint(HubRoutes hubs) {
        this(hubs, PublicPath.of("", ""));
    }

    /** @param path the path of the public address, which links get */
    public PageEndpoint(HubRoutes hubs, PublicPath path) {
        this.hubs = hubs;
        this.path = path;
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
        var caller = RequestContext.of(request::getAttribute).caller();
        var id = RequestContext.of(request::getAttribute).requestId();
        return new PageRequest(Request.getPathInContext(request), query(request), caller, id);
    }

    /** Returns whether a person's browser requests something to show, rather than a program something to read. */
    static boolean isShown(Request request, String path) {
        return (HttpMethod.GET.is(request.getMethod()) || HttpMethod.HEAD.is(request.getMethod()))
                && (HubRoutes.covers(path) || path.startsWith(SIGN_IN) || !isForPrograms(path))
                && request.getHeaders().getQualityCSV(HttpHeader.ACCEPT).stream()
                        .anyMatch(type -> type.startsWith("text/html"));
    }

    /** Everywhere else an unknown address gets a page, too. */
    private static boolean isForPrograms(String path) {
        return Endpoints.isMcp(path)
                || Stream.of("/api", Route.COMMANDS, "/.well-known")
                        .anyMatch(root -> path.equals(root) || path.startsWith(root + "/"));
    }

    /** Sends a refusal as a page. */
    void refuse(Request request, Response response, Callback callback, Problem problem) {
        var page = refused(request, problem);
        response.setStatus(page.status());
        describe(page, true, response.getHeaders());
        send(page, request, response, callback);
    }

    /** Returns a refusal's page for code that sends it itself, and sets the policy in the headers. */
    byte[] refused(Request request, HttpFields.Mutable headers, Problem problem) {
        headers.put("Content-Security-Policy", POLICY);
        var page = refused(request, problem);
        return path.outside(page.mediaType(), page.body());
    }

    private PageResponse refused(Request request, Problem problem) {
        return hubs.refused(visit(request), problem.failure().httpStatus(), problem.note());
    }

    /** Returns the query's parameters; none if the query is malformed. */
    private static Map<String, List<String>> query(Request request) {
        try {
            return Request.extractQueryParameters(request).stream()
                    .collect(Collectors.toMap(Fields.Field::getName, Fields.Field::getValues));
        } catch (RuntimeException e) {
            return Map.of();
        }
    }

    /**
     * Sets the headers. A signed-in user's pages are not stored, so that they cannot be shown by going back after the
     * session has ended.
     */
    private static void describe(PageResponse page, boolean personal, HttpFields.Mutable headers) {
        headers.put(HttpHeader.CONTENT_TYPE, page.mediaType());
        headers.put("Content-Security-Policy", page.mediaType().startsWith("image/") ? PICTURE_POLICY : POLICY);
        headers.put(HttpHeader.CACHE_CONTROL, page.kept() ? A_YEAR : personal ? "no-store" : "no-cache");
        headers.put(HttpHeader.VARY, page.kept() ? "Accept-Encoding" : "Accept-Encoding, Cookie");
        if (page.location() != null) {
            headers.put(HttpHeader.LOCATION, page.location());
        }
    }

    private void send(PageResponse page, Request request, Response response, Callback callback) {
        var plain = path.outside(page.mediaType(), page.body());
        var body = plain;
        if (body.length > 0
                && request.getHeaders().contains(HttpHeader.ACCEPT_ENCODING)
                && request.getHeaders()
                        .getQualityCSV(HttpHeader.ACCEPT_ENCODING)
                        .contains("gzip")) {
            response.getHeaders().put(HttpHeader.CONTENT_ENCODING, "gzip");
            body = page.kept()
                    ? compressed.computeIfAbsent(Request.getPathInContext(request), _ -> gzipped(plain))
                    : gzipped(plain);
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

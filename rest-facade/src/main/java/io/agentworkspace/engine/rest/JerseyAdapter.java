package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.io.QuietException;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.glassfish.jersey.server.internal.ContainerUtils;
import org.jspecify.annotations.Nullable;

/**
 * Passes requests to Jersey's container: binds the exchange, and handles requests that the container would handle
 * badly.
 */
public final class JerseyAdapter extends Handler.Wrapper {
    private final Function<Problem, jakarta.ws.rs.core.Response> refusals;
    private final List<Pattern> routes;

    JerseyAdapter(Handler container, Function<Problem, jakarta.ws.rs.core.Response> refusals, Set<String> templates) {
        super(container);
        this.refusals = refusals;
        this.routes = templates.stream().map(JerseyAdapter::pattern).toList();
    }

    /** Returns a path template as a regular expression: {@code /api/keys/{id}}, {@code /a/{rest: .*}}. */
    private static Pattern pattern(String template) {
        return Pattern.compile(
                template.replaceAll("\\{\\w+: ([^}]+)}", "$1").replaceAll("\\{[\\w.]+}", "[^/]+") + "/?");
    }

    /** Returns whether any method exists at this path, decoded. */
    public boolean serves(String path) {
        return routes.stream().anyMatch(route -> route.matcher(path).matches());
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        return ScopedValue.where(RestExchange.CURRENT, new RestExchange(request))
                .call(() -> {
                    if (isReadable(request.getHttpURI().getQuery())) {
                        return answered(new Bare(request), response, new Once(callback));
                    }
                    refuse(response, callback);
                    return true;
                });
    }

    /**
     * Lets the container handle the request on this thread. The container does not complete the callback if it cannot
     * write a response to its end. Without this check, the connection and the memory for the response would never be
     * released.
     */
    private boolean answered(Request request, Response response, Once callback) throws Exception {
        var handled = super.handle(request, response, callback);
        if (handled && !callback.isCalled) {
            callback.failed(new QuietException.Exception("the client did not take the answer"));
        }
        return handled;
    }

    private static final class Once extends Callback.Nested {
        private boolean isCalled;

        Once(Callback callback) {
            super(callback);
        }

        @Override
        public void succeeded() {
            isCalled = true;
            super.succeeded();
        }

        @Override
        public void failed(Throwable failure) {
            isCalled = true;
            super.failed(failure);
        }
    }

    /**
     * Returns whether the query can be parsed. Jetty refuses malformed paths, but not queries, and the container
     * answers malformed queries with a page.
     */
    private static boolean isReadable(@Nullable String query) {
        try {
            return query == null || new URI("/?" + ContainerUtils.encodeUnsafeCharacters(query)).getQuery() != null;
        } catch (URISyntaxException e) {
            return false;
        }
    }

    private void refuse(Response response, Callback callback) {
        var refusal = refusals.apply(
                new Problem(Failure.BAD_REQUEST, "the query has characters that must be percent-encoded (RFC 3986)"));
        response.setStatus(refusal.getStatus());
        refusal.getStringHeaders()
                .forEach((name, values) -> response.getHeaders().add(new HttpField(name, values.getFirst())));
        response.write(true, ByteBuffer.wrap((byte[]) refusal.getEntity()), callback);
    }

    /**
     * The request as Jersey sees it: without headers, since Jersey answers some malformed ones with an empty 400; and
     * with an authority that {@link URI} can parse, which allows no underscore in a host name.
     */
    private static final class Bare extends Request.Wrapper {
        private final HttpURI address;

        Bare(Request request) {
            super(request);
            address = HttpURI.build(request.getHttpURI())
                    .authority("localhost", -1)
                    .asImmutable();
        }

        @Override
        public HttpURI getHttpURI() {
            return address;
        }

        @Override
        public HttpFields getHeaders() {
            return HttpFields.EMPTY;
        }
    }
}

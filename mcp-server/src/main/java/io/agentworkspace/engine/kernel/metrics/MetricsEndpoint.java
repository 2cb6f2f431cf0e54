package io.agentworkspace.engine.kernel.metrics;

import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /metrics}, for those who have the token. The figures concern all tenants, so that no API key opens them, and
 * without a token the endpoint does not exist.
 */
public final class MetricsEndpoint extends Handler.Abstract {
    public static final String PATH = "/metrics";

    private static final String BEARER = "bearer ";

    private final MetricsText text;
    private final @Nullable String token;

    /** @param token null: nobody may read them here */
    public MetricsEndpoint(MetricsText text, @Nullable String token) {
        this.text = text;
        this.token = token;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        if (token == null) {
            throw new Problem(
                    Failure.NOT_FOUND,
                    "metrics are not served here: set ENGINE_METRICS_TOKEN, or ENGINE_METRICS_LISTEN for an address of their own");
        }
        if (!HttpMethod.GET.is(request.getMethod()) && !HttpMethod.HEAD.is(request.getMethod())) {
            response.getHeaders().put(HttpHeader.ALLOW, "GET, HEAD");
            throw new Problem(Failure.METHOD_NOT_ALLOWED, "metrics are read with GET");
        }
        if (!isRight(token, request.getHeaders().get(HttpHeader.AUTHORIZATION))) {
            response.getHeaders().put(HttpHeader.WWW_AUTHENTICATE, "Bearer realm=\"metrics\"");
            throw Problem.unauthenticated("send the token of ENGINE_METRICS_TOKEN as Authorization: Bearer");
        }
        text.send(request, response, callback);
        return true;
    }

    private static boolean isRight(String token, @Nullable String sent) {
        if (sent == null || !sent.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
            return false;
        }
        var secret = sent.substring(BEARER.length()).strip();
        return MessageDigest.isEqual(token.getBytes(StandardCharsets.UTF_8), secret.getBytes(StandardCharsets.UTF_8));
    }

    /** The metrics as the body of a response. */
    public static final class MetricsText {
        private final Metrics metrics;
        private @Nullable Exposition exposition;

        public MetricsText(Metrics metrics) {
            this.metrics = metrics;
        }

        private synchronized Exposition exposition() {
            var made = exposition;
            if (made == null) {
                made = new Exposition(metrics);
                exposition = made;
            }
            return made;
        }

        void send(Request request, Response response, Callback callback) {
            var text = exposition().in(request.getHeaders().get(HttpHeader.ACCEPT));
            response.setStatus(200);
            response.getHeaders()
                    .put(HttpHeader.CONTENT_TYPE, text.contentType())
                    .put(HttpHeader.CACHE_CONTROL, "no-store")
                    .put(HttpHeader.CONTENT_LENGTH, text.body().length);
            var body = HttpMethod.HEAD.is(request.getMethod()) ? null : ByteBuffer.wrap(text.body());
            response.write(true, body, callback);
        }
    }
}

package io.agentworkspace.engine.web.server;

import io.agentworkspace.engine.kernel.http.JsonResponse;
import io.agentworkspace.engine.model.health.HealthBody;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.RequestContext;
import java.time.Clock;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Serves requests according to the stage of the server: before there is a gate, only health probes; while the server
 * stops, everything, but health probes report it, and each response ends its connection.
 */
final class StagedHandler extends Handler.Wrapper {
    private static final String LIVE = "/api/health/live";
    private static final String READY = "/api/health/ready";
    private static final Set<String> PROBES = Set.of("/api/health", LIVE, READY);
    private static final Duration SOON = Duration.ofSeconds(HealthBody.RETRY_SECONDS);

    private final HealthBody health;
    private final RefusalWriter refusals;
    private final AtomicInteger running = new AtomicInteger();
    private volatile ServerStage stage = ServerStage.STARTING;

    StagedHandler(Clock clock, String version) {
        super(true, null);
        this.health = new HealthBody(version, clock);
        this.refusals = new RefusalWriter(clock);
    }

    ServerStage stage() {
        return stage;
    }

    void enter(ServerStage next) {
        stage = next;
    }

    /** Returns how many requests are in progress. Streams, which may stay open for hours, do not count. */
    int running() {
        return running.get();
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        running.incrementAndGet();
        request.addHttpStreamWrapper(RunningRequest::new);
        var path = Request.getPathInContext(request);
        var now = stage;
        var isProbe = PROBES.contains(path) && PublicRoutes.cover(request.getMethod(), path);
        if (now == ServerStage.SERVING || now == ServerStage.STOPPING && !isProbe) {
            return super.handle(request, response, callback);
        }
        var requestId = RequestIds.of(request);
        request.setAttribute(RequestContext.ATTRIBUTE, new RequestContext(requestId));
        GuardedResponse.dress(response.getHeaders(), requestId);
        if (isProbe) {
            probed(now, path, response).send(response, callback);
        } else {
            var note = "the engine is " + now.word() + "; try again shortly";
            refusals.write(request, response, callback, Problem.unavailable(note, SOON));
        }
        return true;
    }

    private JsonResponse probed(ServerStage now, String path, Response response) {
        var body = path.equals(LIVE) ? HealthBody.live() : health.of(now.word());
        if (!path.equals(READY)) {
            return new JsonResponse(HttpStatus.OK_200, JsonResponse.JSON, body);
        }
        response.getHeaders().put(HttpHeader.RETRY_AFTER, HealthBody.RETRY_SECONDS);
        return new JsonResponse(HttpStatus.SERVICE_UNAVAILABLE_503, JsonResponse.JSON, body);
    }

    /** The stream of a request, which counts until the response is complete or turns out to be a stream of events. */
    private final class RunningRequest extends HttpStream.Wrapper {
        private final AtomicBoolean counts = new AtomicBoolean(true);

        RunningRequest(HttpStream stream) {
            super(stream);
        }

        @Override
        public void prepareResponse(HttpFields.Mutable headers) {
            super.prepareResponse(headers);
            if (stage != ServerStage.SERVING) {
                headers.put(HttpFields.CONNECTION_CLOSE);
            }
            if (isStream(headers.getField(HttpHeader.CONTENT_TYPE))) {
                ended();
            }
        }

        private static boolean isStream(@Nullable HttpField type) {
            return type != null && type.getValue() != null && type.getValue().startsWith("text/event-stream");
        }

        @Override
        public void succeeded() {
            ended();
            super.succeeded();
        }

        @Override
        public void failed(Throwable failure) {
            ended();
            super.failed(failure);
        }

        private void ended() {
            if (counts.compareAndSet(true, false)) {
                running.decrementAndGet();
            }
        }
    }
}

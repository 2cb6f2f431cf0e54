package io.agentworkspace.engine.workspace.delivery.live;

import io.agentworkspace.engine.kernel.changes.DatabaseSignals;
import io.agentworkspace.engine.kernel.streams.EventStream;
import io.agentworkspace.engine.kernel.streams.ListeningTenants;
import io.agentworkspace.engine.kernel.streams.StreamLimits;
import io.agentworkspace.engine.kernel.streams.Ticker;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.RequestContext;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;
import org.eclipse.jetty.util.component.Graceful;

/** {@code GET /api/stream}: the changes in the tenant that the caller may see, as server-sent events. */
public final class LiveEndpoint extends Handler.Abstract implements Graceful {
    public static final String PATH = "/api/stream";

    private static final String LAST_EVENT_ID = "Last-Event-ID";
    private static final String TOPICS = "topics";

    private final Ticker ticker = new Ticker();
    private final Catalogue catalogue;
    private final LiveQueries queries;
    private final LiveStreams streams;
    private final StreamLimits limits;
    private final Clock clock;
    private volatile boolean stopping;

    /** @param limits shared with the streams of the other endpoints */
    public LiveEndpoint(
            Catalogue catalogue, LiveQueries queries, ListeningTenants listening, StreamLimits limits, Clock clock) {
        this.catalogue = catalogue;
        this.queries = queries;
        this.streams = new LiveStreams(queries, listening, ticker);
        this.limits = limits;
        this.clock = clock;
    }

    /** Returns the listener for the database's signals. */
    public DatabaseSignals.Listener listener() {
        return streams;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        if (!HttpMethod.GET.is(request.getMethod())) {
            response.getHeaders().put(HttpHeader.ALLOW, "GET");
            throw new Problem(Failure.METHOD_NOT_ALLOWED, "the stream is read with GET");
        } else if (stopping) {
            throw Problem.unavailable();
        }
        var query = Request.extractQueryParameters(request);
        checkNames(query);
        var requested = Topic.parse(query.getValue(TOPICS));
        var caller = RequestContext.of(request::getAttribute).identified();
        var places = limits.of(caller);
        places.take(StreamLimits.credential(request));
        var lastId = request.getHeaders().get(LAST_EVENT_ID);
        Optional<ResumeToken> resumed;
        ResumeToken from;
        try {
            streams.listen(caller.tenant());
            var now = queries.now();
            // A position of other data is from before the restore of a backup.
            resumed = ResumeToken.parse(lastId, clock.instant())
                    .filter(token -> token.epoch() == now.epoch() && token.horizon() <= now.horizon());
            from = resumed.orElse(ResumeToken.of(now.epoch(), now.horizon(), 0, clock.instant()));
        } catch (RuntimeException refused) {
            places.giveBack();
            throw refused;
        }
        var audience = LiveView.of(caller, catalogue);
        var holder = new LiveStream[1];
        var stream = new LiveStream(
                EventStream.after(request, response, callback, places.patience()),
                places,
                requested,
                RequestContext.of(request::getAttribute).admitted().validity(),
                clock,
                () -> {
                    places.giveBack();
                    streams.remove(audience, holder[0]);
                });
        holder[0] = stream;
        stream.begin(requested.stream().filter(audience.topics()::contains).toList(), from, resumed.isPresent());
        if (lastId != null && resumed.isEmpty()) {
            stream.reset();
        }
        streams.add(audience, from.horizon(), stream).catchUp(stream, from.horizon());
        return true;
    }

    private static void checkNames(Fields query) {
        for (var name : query.getNames()) {
            if (!name.equals(TOPICS)) {
                throw new Problem(
                        Failure.BAD_REQUEST,
                        "there is no query parameter '%s'; the stream takes '%s'"
                                .formatted(Name.shortened(name), TOPICS));
            }
        }
    }

    /** Ends the streams, and waits until their clients have received the end. */
    @Override
    public CompletableFuture<Void> shutdown() {
        stopping = true;
        return streams.endAll();
    }

    @Override
    public boolean isShutdown() {
        return stopping;
    }

    @Override
    protected void doStop() throws Exception {
        ticker.close();
        super.doStop();
    }
}

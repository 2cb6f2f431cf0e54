package io.agentworkspace.engine.workspace.delivery.live;

import io.agentworkspace.engine.kernel.changes.DatabaseSignals;
import io.agentworkspace.engine.kernel.streams.EventQueue;
import io.agentworkspace.engine.kernel.streams.EventStream;
import io.agentworkspace.engine.kernel.streams.Hub;
import io.agentworkspace.engine.kernel.streams.ListeningTenants;
import io.agentworkspace.engine.kernel.streams.StreamLimits;
import io.agentworkspace.engine.kernel.streams.Ticker;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.RequestContext;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;

/** {@code GET /api/stream}: the changes in the tenant that the caller may see, as server-sent events. */
public final class LiveEndpoint extends Handler.Abstract {
    public static final String PATH = "/api/stream";

    private static final String LAST_EVENT_ID = "Last-Event-ID";
    private static final String TOPICS = "topics";

    /** How often it is looked again without a signal. */
    private static final Duration AGAIN = Duration.ofSeconds(10);

    private final Ticker ticker = new Ticker();
    private final Catalogue catalogue;
    private final LiveQueries queries;
    private final Hub<LiveStream> hub;
    private final StreamLimits limits;
    private final Clock clock;

    /** @param limits shared with the streams of the other endpoints */
    public LiveEndpoint(
            Catalogue catalogue, LiveQueries queries, ListeningTenants listening, StreamLimits limits, Clock clock) {
        this.catalogue = catalogue;
        this.queries = queries;
        this.hub = new Hub<>(ticker, listening, Topic::isTopic, this::read);
        this.limits = limits;
        this.clock = clock;
        hub.start();
        ticker.every(AGAIN, hub::wakeAll);
        addBean(hub);
    }

    /** Returns the listener for the database's signals. */
    public DatabaseSignals.Listener listener() {
        return hub;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        if (!HttpMethod.GET.is(request.getMethod())) {
            response.getHeaders().put(HttpHeader.ALLOW, "GET");
            throw new Problem(Failure.METHOD_NOT_ALLOWED, "the stream is read with GET");
        }
        var query = Request.extractQueryParameters(request);
        checkNames(query);
        var requested = Topic.parse(query.getValue(TOPICS));
        var caller = RequestContext.of(request::getAttribute).identified();
        hub.listen(caller.tenant());
        var now = queries.now(caller.tenant());
        var lastId = request.getHeaders().get(LAST_EVENT_ID);
        // A position of another epoch is from before the restore of a backup, or of another server.
        var resumed = ResumeToken.parse(lastId, clock.instant())
                .filter(token -> token.epoch() == now.epoch() && token.horizon() <= now.horizon());
        var from = resumed.orElse(ResumeToken.of(now.epoch(), now.horizon(), 0, clock.instant()));
        var places = limits.of(caller);
        places.take(StreamLimits.credential(request));
        var view = LiveView.of(caller, catalogue);
        var stream = new LiveStream(
                view,
                new EventQueue(
                        EventStream.after(request, response, callback, places.patience()), places, LiveStream.EVENT),
                requested,
                RequestContext.of(request::getAttribute).admitted().validity(),
                clock);
        stream.begin(requested.stream().filter(view.topics()::contains).toList(), from, resumed.isPresent());
        if (lastId != null && resumed.isEmpty()) {
            stream.startAgain();
        }
        hub.add(stream);
        hub.wake(stream);
        return true;
    }

    /** One statement reads for all, and one more for each stream that was resumed and has not caught up with them yet. */
    private void read(List<LiveStream> streams) {
        var view = streams.getFirst().view();
        var late = streams.stream().filter(stream -> !stream.hasCaughtUp()).toList();
        var others = streams.stream().filter(LiveStream::hasCaughtUp).toList();
        others.stream().mapToLong(LiveStream::horizon).min().ifPresent(since -> {
            var batch = queries.read(view, since);
            others.forEach(stream -> stream.send(batch));
        });
        late.forEach(stream -> stream.send(queries.read(view, stream.horizon())));
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

    @Override
    protected void doStop() throws Exception {
        ticker.close();
        super.doStop();
    }
}

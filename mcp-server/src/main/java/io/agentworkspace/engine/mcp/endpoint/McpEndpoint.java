package io.agentworkspace.engine.mcp.endpoint;

import io.agentworkspace.engine.identity.credentials.Callers;
import io.agentworkspace.engine.identity.credentials.ProtectedResource;
import io.agentworkspace.engine.integrations.upstreams.UpstreamWatch;
import io.agentworkspace.engine.kernel.changes.DatabaseSignals;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.kernel.http.BodyReader;
import io.agentworkspace.engine.kernel.secrets.SealKeys;
import io.agentworkspace.engine.kernel.secrets.SealedCursors;
import io.agentworkspace.engine.kernel.secrets.StateSigner;
import io.agentworkspace.engine.kernel.streams.ListeningTenants;
import io.agentworkspace.engine.kernel.streams.StreamLimits;
import io.agentworkspace.engine.kernel.streams.Ticker;
import io.agentworkspace.engine.kernel.wire.JsonRpcMessage;
import io.agentworkspace.engine.kernel.wire.RequestState;
import io.agentworkspace.engine.kernel.wire.ToolSelection;
import io.agentworkspace.engine.mcp.handshakes.HandshakeStore;
import io.agentworkspace.engine.mcp.lanes.BareLane;
import io.agentworkspace.engine.mcp.lanes.LaneContext;
import io.agentworkspace.engine.mcp.lanes.ModernLane;
import io.agentworkspace.engine.mcp.lanes.RunningRequests;
import io.agentworkspace.engine.mcp.lanes.SessionIds;
import io.agentworkspace.engine.mcp.lanes.SessionLane;
import io.agentworkspace.engine.mcp.lanes.SessionQuestions;
import io.agentworkspace.engine.mcp.lanes.SessionStore;
import io.agentworkspace.engine.mcp.lanes.SessionStreams;
import io.agentworkspace.engine.mcp.lanes.SessionWork;
import io.agentworkspace.engine.mcp.lanes.TaskWorkers;
import io.agentworkspace.engine.mcp.methods.McpMethods;
import io.agentworkspace.engine.mcp.source.ServedContent;
import io.agentworkspace.engine.mcp.streams.McpExchange;
import io.agentworkspace.engine.mcp.streams.NotificationStreams;
import io.agentworkspace.engine.mcp.streams.StreamOpener;
import io.agentworkspace.engine.mcp.tasks.McpTaskStore;
import io.agentworkspace.engine.mcp.tasks.McpTasks;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.RequestContext;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * The MCP endpoint at {@code /mcp}: reads the request and passes it to the lane of the client's protocol revision.
 * Input that is not a message has no lane: it is thrown as a {@code Problem}, which {@code Gate} renders.
 */
public final class McpEndpoint extends Handler.Abstract {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Ticker ticker = new Ticker();
    private final SealKeys sealKeys;
    private final SessionStore sessions;
    private final McpTaskStore taskStore;
    private final ListeningTenants listening;
    private final HandshakeRecorder recorder;
    private final NotificationStreams notifications;
    private final SelectionCheck selection;
    private final LaneRouter router;
    private final ServerCard card;
    private final @Nullable ProtectedResource resource;
    private final TaskWorkers workers;
    private final HandshakeStore handshakes;
    private final List<DatabaseSignals.Listener> listeners;

    /** @param mcpUrl the public address of the MCP host */
    public McpEndpoint(
            ServedContent served,
            Db db,
            Callers callers,
            HandshakeStore handshakes,
            StreamLimits limits,
            String mcpUrl,
            SealKeys sealKeys,
            Clock clock) {
        this.sealKeys = sealKeys;
        this.handshakes = handshakes;
        var signer = new StateSigner(sealKeys);
        sessions = new SessionStore(db);
        taskStore = new McpTaskStore(db);
        listening = new ListeningTenants(db, clock);
        recorder = new HandshakeRecorder(handshakes, clock);
        notifications = new NotificationStreams(ticker, listening);
        addBean(notifications.hub());
        var tasks = new McpTasks(served.identity().name(), taskStore, clock, this::wakeWorkers);
        var methods = new McpMethods(served, tasks, new SealedCursors(signer), clock);
        workers = new TaskWorkers(taskStore, callers, methods, clock);
        workers.start();
        var streams = new LaneContext.Streams(ticker, limits, notifications, clock);
        var opener = new StreamOpener(methods.resources(), tasks, notifications, limits);
        var lane = new LaneContext(
                new RequestState(signer, clock), new SessionIds(signer, clock), sessions, opener, streams);
        var running = new RunningRequests(sessions);
        var questions = new SessionQuestions(sessions);
        var sessionStreams = new SessionStreams(lane);
        var work = new SessionWork(methods, lane, running, questions);
        selection = new SelectionCheck(served.tools());
        router = new LaneRouter(
                new ModernLane(methods, lane),
                new SessionLane(methods, lane, work, sessionStreams),
                new BareLane(methods, lane),
                selection,
                recorder);
        resource = callers.resource().orElse(null);
        card = new ServerCard(served.identity(), mcpUrl, resource);
        listeners = List.of(notifications, running, questions, sessionStreams, workers);
    }

    /** Tasks begin with requests, and the first request comes when everything is assembled. */
    private void wakeWorkers() {
        workers.wake();
    }

    /** Returns the feature of MCP. The paths are those of {@link #serves}. */
    public Feature feature(UpstreamWatch upstreams) {
        upstreams.onUpdate(notifications::updated);
        var feature = new Feature()
                .background(work -> work.every(SECOND, "writing handshakes", handshakes::flush)
                        .whileOpen(
                                SECOND, "listening to servers", () -> upstreams.listenFor(notifications.ofUpstreams()))
                        .clearing("handshakes", handshakes::purge)
                        .clearing("keys of seals", sealKeys::purge)
                        .clearing("MCP sessions", sessions::purge)
                        .clearing("interest", listening::purge)
                        .clearing("tasks", taskStore::purge));
        listeners.forEach(feature::listener);
        return feature;
    }

    /** Returns what listens to the signals of the database. */
    public List<DatabaseSignals.Listener> listeners() {
        return listeners;
    }

    /** Records a request that was refused before it reached this endpoint. */
    public void refused(Request request, Problem problem) {
        recorder.refused(request, problem);
    }

    /** Returns whether a path is one of this endpoint's. */
    public boolean serves(String path) {
        return card.has(path) || ToolSelection.isPath(path);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        var path = Request.getPathInContext(request);
        var exchange = new McpExchange(request, response, callback, resource);
        if (card.has(path)) {
            card.serve(path, exchange);
            return true;
        }
        if (!ToolSelection.isPath(path)) {
            return false;
        }
        try {
            serve(request, response, exchange);
        } catch (Problem refused) {
            noteId(request);
            throw refused;
        }
        return true;
    }

    /** Reads the id for a refusal, also of a message that is not quite one. A response of the client has none to answer. */
    private static void noteId(Request request) {
        var context = RequestContext.of(request::getAttribute);
        if (context.messageId() == null) {
            JsonRpcMessage.requestId(BodyReader.taken(request)).ifPresent(context::answers);
        }
    }

    private void serve(Request request, Response response, McpExchange exchange) {
        selection.checkPath(exchange);
        switch (request.getMethod()) {
            case "POST" -> {
                checkContent(request);
                router.post(JsonRpcMessage.body(BodyReader.read(request)), exchange);
            }
            case "GET", "DELETE" -> {
                if (exchange.header(McpExchange.SESSION) == null
                        || notifications.hub().isShutdown()) {
                    throw postOnly(response);
                }
                router.withoutBody(exchange);
            }
            default -> throw postOnly(response);
        }
    }

    private static Problem postOnly(Response response) {
        response.getHeaders().put(HttpHeader.ALLOW, "POST");
        return new Problem(
                Failure.METHOD_NOT_ALLOWED, "this address takes POST with one JSON-RPC 2.0 object as the body");
    }

    private static void checkContent(Request request) {
        var headers = request.getHeaders();
        if (!isJson(headers.get(HttpHeader.CONTENT_TYPE))) {
            throw new Problem(
                    Failure.UNSUPPORTED_MEDIA_TYPE,
                    "send the header Content-Type: application/json, and the body in UTF-8");
        }
        var encoding = headers.get(HttpHeader.CONTENT_ENCODING);
        if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
            throw new Problem(Failure.UNSUPPORTED_MEDIA_TYPE, "send the body as it is, without a Content-Encoding");
        }
    }

    private static boolean isJson(@Nullable String contentType) {
        if (contentType == null) {
            return false;
        }
        var parts = contentType.toLowerCase(Locale.ROOT).split(";");
        var charset = "utf-8";
        for (var i = 1; i < parts.length; i++) {
            var parameter = parts[i].strip();
            if (parameter.startsWith("charset=")) {
                charset = parameter.substring("charset=".length()).replace("\"", "");
            }
        }
        return parts.length > 0 && parts[0].strip().equals("application/json") && charset.equals("utf-8");
    }

    @Override
    protected void doStop() throws Exception {
        ticker.close();
        workers.close();
        super.doStop();
    }
}

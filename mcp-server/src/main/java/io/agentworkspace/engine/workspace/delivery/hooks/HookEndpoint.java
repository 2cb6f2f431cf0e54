package io.agentworkspace.engine.workspace.delivery.hooks;

import io.agentworkspace.engine.kernel.changes.DatabaseSignals;
import io.agentworkspace.engine.kernel.http.BodyReader;
import io.agentworkspace.engine.kernel.http.JsonResponse;
import io.agentworkspace.engine.kernel.streams.EventQueue;
import io.agentworkspace.engine.kernel.streams.EventStream;
import io.agentworkspace.engine.kernel.streams.ListeningTenants;
import io.agentworkspace.engine.kernel.streams.StreamLimits;
import io.agentworkspace.engine.kernel.streams.Ticker;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.RequestContext;
import io.agentworkspace.engine.workspace.delivery.wait.WakeKind;
import io.agentworkspace.engine.workspace.delivery.wait.WakeStore;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /api/hooks/{client}} answers an event of a coding agent's hook. {@code GET
 * /api/hooks/{client}/messages?for=} is the stream that wakes one of its sessions.
 */
final class HookEndpoint extends Handler.Abstract {
    private static final Pattern PATH = Pattern.compile("/api/hooks/([^/]+)(/messages)?");
    private static final String SESSION = "for";
    private static final String AFTER = "after";
    private static final String CONNECTED = "connected";

    private final Ticker ticker = new Ticker();
    private final Hooks hooks;
    private final MessageStreams streams;
    private final StreamLimits limits;
    private final WakeStore wakes;

    /**
     * @param limits shared with the streams of the other endpoints
     * @param wakes where an open stream is registered, so that senders learn that it wakes its agent
     */
    public HookEndpoint(Hooks hooks, ListeningTenants listening, StreamLimits limits, WakeStore wakes) {
        this.hooks = hooks;
        this.wakes = wakes;
        this.streams = new MessageStreams(hooks.store(), listening, ticker);
        this.limits = limits;
        addBean(streams.hub());
    }

    /** Returns whether a path is one of these routes, or would be with the word of a client. */
    static boolean serves(String path) {
        return path.startsWith("/api/hooks/");
    }

    /** Returns the listener for the database's signals. */
    public DatabaseSignals.Listener listener() {
        return streams.hub();
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        var path = PATH.matcher(Request.getPathInContext(request));
        var client = path.matches() ? HookClient.find(path.group(1)) : Optional.<HookClient>empty();
        if (client.isEmpty()) {
            throw new Problem(
                    Failure.NOT_FOUND,
                    "there is no such client; hooks are for "
                            + HookClient.all().stream().map(HookClient::word).collect(Collectors.joining(", ")));
        }
        var isStream = path.group(2) != null;
        requireMethod(request, response, isStream ? HttpMethod.GET : HttpMethod.POST);
        if (isStream) {
            follow(client.get(), request, response, callback);
        } else {
            answer(client.get(), request, response, callback);
        }
        return true;
    }

    private void answer(HookClient client, Request request, Response response, Callback callback) {
        parameters(request, List.of());
        var id = RequestContext.of(request::getAttribute).requestId();
        var body = Json.readObject(BodyReader.read(request));
        var reply = hooks.answer(client, body, caller(request), id, false);
        new JsonResponse(200, JsonResponse.JSON, reply).send(response, callback);
    }

    private void follow(HookClient client, Request request, Response response, Callback callback) {
        parameters(request, List.of(SESSION, AFTER, CONNECTED));
        var query = Request.extractQueryParameters(request);
        var id = query.getValue(SESSION);
        if (id == null) {
            throw Problem.invalid(SESSION, "is missing; send the id of the session to wake");
        }
        var session = hooks.session(client, caller(request), HookEvent.session(id));
        var received = after(query.getValue(AFTER));
        var isConnected = isConnected(query.getValue(CONNECTED));
        var places = limits.of(session.caller());
        places.take(StreamLimits.credential(request));
        HookStore.Listener listener;
        try {
            streams.hub().listen(session.caller().tenant());
            listener = hooks.open(session, received, isConnected);
        } catch (RuntimeException refused) {
            places.giveBack();
            throw refused;
        }
        var valid = RequestContext.of(request::getAttribute).admitted().validity();
        var stream = new MessageStream(
                session,
                listener,
                hooks.store(),
                new EventQueue(EventStream.after(request, response, callback, places.patience()), places, 0),
                ticker,
                valid,
                () -> wakes.open(session.caller().tenant(), session.agent(), WakeKind.STREAM));
        if (listener.isConnected()) {
            stream.register();
        }
        stream.begin();
        streams.add(stream);
    }

    /** Returns the number of the last line that the listener got; -1 if it is a new listener. */
    private static long after(@Nullable String text) {
        if (text == null || text.isBlank()) {
            return -1;
        }
        return HookEvent.line(AFTER, text);
    }

    /** Returns whether nothing says that the session's client has no tools. Its listener knows that the engine was down at its start. */
    private static boolean isConnected(@Nullable String text) {
        if (text != null && !text.equals("no")) {
            throw Problem.invalid(CONNECTED, "is '%s'; it can only be no".formatted(Name.shortened(text)));
        }
        return text == null;
    }

    private static Caller caller(Request request) {
        return RequestContext.of(request::getAttribute).identified();
    }

    private static void requireMethod(Request request, Response response, HttpMethod method) {
        if (!method.is(request.getMethod())) {
            response.getHeaders().put(HttpHeader.ALLOW, method.asString());
            throw new Problem(Failure.METHOD_NOT_ALLOWED, "this route takes " + method.asString());
        }
    }

    private static void parameters(Request request, List<String> names) {
        for (var name : Request.extractQueryParameters(request).getNames()) {
            if (!names.contains(name)) {
                throw new Problem(
                        Failure.BAD_REQUEST,
                        "there is no query parameter '%s'; this route takes %s"
                                .formatted(Name.shortened(name), names.isEmpty() ? "none" : String.join(", ", names)));
            }
        }
    }

    @Override
    protected void doStop() throws Exception {
        ticker.close();
        super.doStop();
    }
}

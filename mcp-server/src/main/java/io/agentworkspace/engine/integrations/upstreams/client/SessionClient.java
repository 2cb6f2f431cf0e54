package io.agentworkspace.engine.integrations.upstreams.client;

import io.agentworkspace.engine.integrations.upstreams.client.UpstreamFailure.Kind;
import io.agentworkspace.engine.kernel.wire.JsonRpcMessage;
import io.agentworkspace.engine.kernel.wire.ProtocolRevision;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Progress;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientSession;
import io.modelcontextprotocol.spec.McpError;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A client of servers that use sessions: the session of the official Java SDK, over a transport that reaches only vetted
 * addresses. A session that the server has forgotten is begun again.
 */
final class SessionClient implements UpstreamClient {
    private static final TypeRef<ObjectNode> RESULT = new TypeRef<>() {};

    private static final Duration UNFOLLOW = Duration.ofSeconds(5);

    private final McpChannel channel;
    private final CallOwner owner;
    private final OpenCalls calls;
    private final Announcements announcements;
    private final ReentrantLock opening = new ReentrantLock();
    private volatile @Nullable Open open;
    private volatile boolean isClosed;

    /** A session, and the transport that it runs on. */
    private record Open(McpClientSession session, SessionTransport transport, JsonNode capabilities) {}

    SessionClient(McpChannel channel, CallOwner owner, OpenCalls calls, Announcements announcements) {
        this.owner = owner;
        this.channel = channel;
        this.calls = calls;
        this.announcements = announcements;
    }

    @Override
    public String era() {
        var current = open;
        return current == null
                ? ProtocolRevision.NOVEMBER_2025.word()
                : current.transport().revision();
    }

    /** Begins the session, if there is none. Returns what the server has, by its own report. */
    JsonNode connect(Duration limit) {
        return opened(limit).capabilities();
    }

    @Override
    public ObjectNode request(
            String method, ObjectNode params, Map<String, String> headers, Progress progress, Duration limit) {
        var state = params.path("requestState").asString("");
        if (!state.isEmpty()) {
            return calls.resume(owner, state, params.path("inputResponses"), progress);
        }
        var current = opened(limit);
        try {
            return sent(current, method, params, progress, limit);
        } catch (UpstreamFailure e) {
            if (e.kind() != Kind.SESSION) {
                throw e;
            }
            forget(current);
            return sent(opened(limit), method, params, progress, limit);
        }
    }

    private ObjectNode sent(Open current, String method, ObjectNode params, Progress progress, Duration limit) {
        var transport = current.transport();
        var call = new OpenCall(owner, limit, ClientTurn.mayAsk(method), progress, transport);
        var marked = params.deepCopy();
        var meta = marked.get(JsonRpcMessage.META) instanceof ObjectNode existing
                ? existing
                : marked.putObject(JsonRpcMessage.META);
        meta.put("progressToken", call.token());
        transport.watch(call);
        call.whenEnded(() -> transport.unwatch(call));
        call.start(() -> answer(current.session(), method, marked, limit));
        return calls.next(call);
    }

    private static ObjectNode answer(McpClientSession session, String method, ObjectNode params, Duration limit) {
        try {
            var result = session.sendRequest(method, params, RESULT).block(limit.plusSeconds(1));
            return result == null ? Json.object() : result.without("resultType");
        } catch (McpError e) {
            var error = e.getJsonRpcError();
            throw error == null
                    ? RpcAnswer.error(0, "", null)
                    : RpcAnswer.error(
                            error.code(), error.message(), error.data() instanceof JsonNode data ? data : null);
        } catch (RuntimeException e) {
            var cause = Exceptions.unwrap(e);
            throw cause instanceof UpstreamFailure failure ? failure : unanswered(limit);
        }
    }

    private static UpstreamFailure unanswered(Duration limit) {
        return new UpstreamFailure(Kind.UNREACHABLE, "no answer within %d s".formatted(limit.toSeconds()));
    }

    private Open opened(Duration limit) {
        var current = open;
        if (current != null) {
            return current;
        }
        try {
            if (!opening.tryLock(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw unanswered(limit);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UpstreamFailure(Kind.CANCELLED, "the call was cancelled");
        }
        try {
            var session = open;
            if (session == null) {
                session = begin(limit);
                open = session;
                if (isClosed) {
                    session.transport().close(); // It was closed meanwhile. Only a call that runs goes on.
                }
            }
            return session;
        } finally {
            opening.unlock();
        }
    }

    private void forget(Open stale) {
        opening.lock();
        try {
            if (open == stale) {
                open = null;
                stale.transport().close();
            }
        } finally {
            opening.unlock();
        }
    }

    private Open begin(Duration limit) {
        var transport = new SessionTransport(channel, limit, announcements);
        var session = new McpClientSession(limit, transport, Map.of(), Map.of(), _ -> Mono.empty());
        var params = Json.object().put("protocolVersion", ProtocolRevision.NOVEMBER_2025.word());
        params.set("capabilities", ClientTurn.everything());
        params.set("clientInfo", RpcAnswer.clientInfo());
        var answer = answer(session, "initialize", params, limit);
        transport.setRevision(answer.path("protocolVersion").asString(""));
        session.sendNotification("notifications/initialized", Json.object()).block(limit);
        transport.listen();
        return new Open(session, transport, answer.path("capabilities"));
    }

    @Override
    public void follow(Set<String> uris, Duration limit) {
        forgetLost();
        var current = opened(limit);
        unsubscribe(current, uris, limit);
        for (var uri : uris) {
            if (current.transport().subscribed().add(uri)) {
                subscribe(current, uri, limit);
            }
        }
    }

    /** A server that has forgotten the session, as after a restart, announces nothing more to it. */
    private void forgetLost() {
        var current = open;
        if (current != null && current.transport().isLost()) {
            forget(current);
        }
    }

    private void unsubscribe(Open current, Set<String> uris, Duration limit) {
        var subscribed = current.transport().subscribed();
        var others = subscribed.stream().filter(uri -> !uris.contains(uri)).toList();
        subscribed.removeAll(others); // What a server announces nevertheless, nobody here subscribed to.
        for (var uri : others) {
            try {
                answer(current.session(), "resources/unsubscribe", Json.object().put("uri", uri), limit);
            } catch (UpstreamFailure e) {
                if (e.kind() == Kind.SESSION) {
                    forget(current);
                }
                if (e.kind() != Kind.ERROR && e.kind() != Kind.ARGUMENTS) {
                    throw e;
                }
            }
        }
    }

    private void subscribe(Open current, String uri, Duration limit) {
        try {
            answer(current.session(), "resources/subscribe", Json.object().put("uri", uri), limit);
            announcements.updated(Set.of(uri)); // It may have changed before the server knew of the subscription.
        } catch (UpstreamFailure e) {
            if (e.kind() == Kind.ERROR || e.kind() == Kind.ARGUMENTS) {
                return; // The server does not announce changes of it.
            }
            current.transport().subscribed().remove(uri);
            if (e.kind() == Kind.SESSION) {
                forget(current);
            }
            throw e;
        }
    }

    @Override
    public void unfollow() {
        forgetLost();
        var current = open;
        if (current != null && !current.transport().subscribed().isEmpty()) {
            follow(Set.of(), UNFOLLOW);
        }
    }

    @Override
    public void close() {
        isClosed = true;
        Optional.ofNullable(open).ifPresent(this::forget);
    }
}

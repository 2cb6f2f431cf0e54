package io.agentworkspace.engine.upstreams.client;

import io.agentworkspace.engine.mcp.wire.JsonRpcMessage;
import io.agentworkspace.engine.mcp.wire.ProtocolRevision;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Progress;
import io.agentworkspace.engine.upstreams.client.UpstreamFailure.Kind;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientSession;
import io.modelcontextprotocol.spec.McpError;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
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

    private final McpChannel channel;
    private final ReentrantLock opening = new ReentrantLock();
    private volatile @Nullable Open open;

    /** A session, and the transport that it runs on. */
    private record Open(McpClientSession session, SessionTransport transport, JsonNode capabilities) {}

    SessionClient(McpChannel channel) {
        this.channel = channel;
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
        var token = UUID.randomUUID().toString();
        var marked = params.deepCopy();
        var meta = marked.get(JsonRpcMessage.META) instanceof ObjectNode given
                ? given
                : marked.putObject(JsonRpcMessage.META);
        meta.put("progressToken", token);
        current.transport().watch(token, progress);
        try {
            return answer(current.session(), method, marked, limit);
        } finally {
            current.transport().unwatch(token);
        }
    }

    private static ObjectNode answer(McpClientSession session, String method, ObjectNode params, Duration limit) {
        try {
            var result = session.sendRequest(method, params, RESULT).block(limit.plusSeconds(1));
            return result == null ? Json.object() : result;
        } catch (McpError e) {
            var error = e.getJsonRpcError();
            throw RpcAnswer.error(error == null ? 0 : error.code(), error == null ? "" : error.message());
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
            if (open == null) {
                open = begin(limit);
            }
            return Objects.requireNonNull(open);
        } finally {
            opening.unlock();
        }
    }

    private void forget(Open stale) {
        opening.lock();
        try {
            if (open == stale) {
                open = null;
            }
        } finally {
            opening.unlock();
        }
    }

    private Open begin(Duration limit) {
        var transport = new SessionTransport(channel, limit);
        var session = new McpClientSession(
                limit, transport, Map.of("ping", _ -> Mono.just(Json.object())), Map.of(), _ -> Mono.empty());
        var params = Json.object().put("protocolVersion", ProtocolRevision.NOVEMBER_2025.word());
        params.putObject("capabilities");
        params.set("clientInfo", RpcAnswer.clientInfo());
        var answer = answer(session, "initialize", params, limit);
        transport.begun(answer.path("protocolVersion").asString(""));
        session.sendNotification("notifications/initialized", Json.object()).block(limit);
        return new Open(session, transport, answer.path("capabilities"));
    }
}

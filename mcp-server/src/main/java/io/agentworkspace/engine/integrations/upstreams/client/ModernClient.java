package io.agentworkspace.engine.integrations.upstreams.client;

import io.agentworkspace.engine.integrations.upstreams.client.UpstreamFailure.Kind;
import io.agentworkspace.engine.kernel.wire.JsonRpcMessage;
import io.agentworkspace.engine.kernel.wire.ProtocolRevision;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Progress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.eclipse.jetty.http.HttpStatus;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** A client of servers of the revision 2026-07-28: each request says everything. */
final class ModernClient implements UpstreamClient {
    private static final String LISTEN = "subscriptions/listen";

    private final McpChannel channel;
    private final Announcements announcements;
    private @Nullable Followed followed;
    private boolean isClosed;

    /** The resources that a stream was opened for. */
    private record Followed(Set<String> uris, AnnouncementStream stream) {}

    ModernClient(McpChannel channel, Announcements announcements) {
        this.channel = channel;
        this.announcements = announcements;
    }

    @Override
    public String era() {
        return ProtocolRevision.MODERN.word();
    }

    @Override
    public ObjectNode request(
            String method, ObjectNode params, Map<String, String> headers, Progress progress, Duration limit) {
        var id = UUID.randomUUID().toString();
        var result = new AtomicReference<ObjectNode>();
        try {
            Predicate<ObjectNode> isLast = message -> {
                if (RpcAnswer.isProgress(message)) {
                    RpcAnswer.report(message, progress);
                    return false;
                }
                if (!RpcAnswer.isAnswer(message, id)) {
                    return false;
                }
                result.set(RpcAnswer.result(message));
                return true;
            };
            var head = channel.post(
                    body(id, method, params), headers(method, params, headers), limit, isLast, new Reception(true));
            if (result.get() == null) {
                throw new UpstreamFailure(Kind.PROTOCOL, "it answered %d without a result".formatted(head.status()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UpstreamFailure(Kind.CANCELLED, "the call was cancelled");
        }
        var answer = Objects.requireNonNull(result.get());
        return answer.path("resultType").asString("complete").equals("complete") ? without(answer) : answer;
    }

    /** Removes what concerns only this exchange. Our own response has its own. */
    private static ObjectNode without(ObjectNode answer) {
        answer.remove("resultType");
        answer.remove("ttlMs");
        answer.remove("cacheScope");
        if (answer.get(JsonRpcMessage.META) instanceof ObjectNode meta) {
            meta.remove(JsonRpcMessage.meta("serverInfo"));
            if (meta.isEmpty()) {
                answer.remove(JsonRpcMessage.META);
            }
        }
        return answer;
    }

    /** The stream for other resources is opened before the one that it replaces ends. */
    @Override
    public synchronized void follow(Set<String> uris, Duration limit) {
        var before = followed;
        if (isClosed || before != null && before.uris().equals(uris)) {
            return;
        }
        followed =
                new Followed(Set.copyOf(uris), new AnnouncementStream(channel.streams(), again -> read(uris, again)));
        if (before != null) {
            before.stream().close();
        }
    }

    private boolean read(Set<String> uris, boolean again) throws InterruptedException {
        var params = Json.object();
        params.set("notifications", Announcements.filter(uris));
        var id = UUID.randomUUID().toString();
        try {
            Predicate<ObjectNode> isLast = message -> {
                if (message.path("method").asString("").endsWith("/acknowledged")) {
                    announcements.updated(uris); // They may have changed before.
                    if (again) {
                        announcements.listsChanged();
                    }
                }
                announcements.received(message);
                return message.path("id").asString("").equals(id);
            };
            var head = channel.stream(
                    body(id, LISTEN, params), headers(LISTEN, params, Map.of()), isLast, new Reception(true));
            return head.status() != HttpStatus.METHOD_NOT_ALLOWED_405;
        } catch (UpstreamFailure e) {
            return AnnouncementStream.mayGoOn(e);
        }
    }

    @Override
    public synchronized void unfollow() {
        if (followed != null) {
            followed.stream().close();
            followed = null;
        }
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        unfollow();
    }

    private ObjectNode body(String id, String method, ObjectNode params) {
        var body = Json.object().put("jsonrpc", "2.0").put("id", id).put("method", method);
        var sent = params.deepCopy();
        var meta = sent.get(JsonRpcMessage.META) instanceof ObjectNode existing
                ? existing
                : sent.putObject(JsonRpcMessage.META);
        meta.put(JsonRpcMessage.meta("protocolVersion"), era());
        meta.set(JsonRpcMessage.meta("clientInfo"), RpcAnswer.clientInfo());
        if (!meta.has(JsonRpcMessage.meta("clientCapabilities"))) {
            meta.putObject(JsonRpcMessage.meta("clientCapabilities"));
        }
        meta.put("progressToken", id);
        body.set("params", sent);
        return body;
    }

    private Map<String, String> headers(String method, ObjectNode params, Map<String, String> more) {
        var headers = new LinkedHashMap<>(more);
        headers.put("MCP-Protocol-Version", era());
        headers.put("Mcp-Method", method);
        var name = params.path("name").asString(params.path("uri").asString(""));
        if (!name.isEmpty()) {
            headers.put("Mcp-Name", RpcAnswer.header(name));
        }
        return headers;
    }
}

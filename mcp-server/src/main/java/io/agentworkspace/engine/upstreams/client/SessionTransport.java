package io.agentworkspace.engine.upstreams.client;

import io.agentworkspace.engine.mcp.wire.ProtocolRevision;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Progress;
import io.agentworkspace.engine.upstreams.client.UpstreamFailure.Kind;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCNotification;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCRequest;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.eclipse.jetty.http.HttpStatus;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The transport of an SDK session over Streamable HTTP. It opens no stream of its own: only calls get answers. */
final class SessionTransport implements McpClientTransport {
    private static final String SESSION = "Mcp-Session-Id";
    private static final Duration CANCEL = Duration.ofSeconds(5);

    private final McpChannel channel;
    private final Duration limit;
    private final Map<String, Progress> watched = new ConcurrentHashMap<>();
    private volatile Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler = Function.identity();
    private volatile @Nullable String session;
    private volatile @Nullable String revision;

    SessionTransport(McpChannel channel, Duration limit) {
        this.channel = channel;
        this.limit = limit;
    }

    /** @throws UpstreamFailure if it is a revision that has no sessions, or an unknown one */
    void begun(String negotiated) {
        if (ProtocolRevision.find(negotiated).isEmpty() || negotiated.equals(ProtocolRevision.MODERN.word())) {
            throw new UpstreamFailure(Kind.PROTOCOL, "it speaks another revision of the protocol");
        }
        revision = negotiated;
    }

    String revision() {
        var known = revision;
        return known == null ? ProtocolRevision.NOVEMBER_2025.word() : known;
    }

    /** Passes the progress with this token on. */
    void watch(String token, Progress progress) {
        watched.put(token, progress);
    }

    void unwatch(String token) {
        watched.remove(token);
    }

    @Override
    public Mono<Void> connect(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> receiver) {
        handler = receiver;
        return Mono.empty();
    }

    @Override
    public Mono<Void> sendMessage(JSONRPCMessage message) {
        return Mono.fromRunnable(() -> {
            try {
                post(message);
            } catch (InterruptedException e) {
                cancel(message);
                Thread.currentThread().interrupt();
                throw new UpstreamFailure(Kind.CANCELLED, "the call was cancelled");
            }
        });
    }

    private void post(JSONRPCMessage message) throws InterruptedException {
        var id = message instanceof JSONRPCRequest request ? String.valueOf(request.id()) : null;
        var head = channel.post(json(message), headers(), limit, answer -> received(answer, id));
        if (head.status() == HttpStatus.NOT_FOUND_404 && session != null) {
            throw new UpstreamFailure(Kind.SESSION, "it has ended the session");
        }
        if (head.headers().contains(SESSION)) {
            session = head.headers().get(SESSION);
        }
        if (head.status() >= HttpStatus.BAD_REQUEST_400) {
            throw new UpstreamFailure(Kind.PROTOCOL, "it answered %d".formatted(head.status()));
        }
        if (id != null && head.status() != HttpStatus.OK_200) {
            throw new UpstreamFailure(Kind.PROTOCOL, "it answered %d without a result".formatted(head.status()));
        }
    }

    private Map<String, String> headers() {
        var headers = new LinkedHashMap<String, String>();
        if (session != null) {
            headers.put(SESSION, session);
        }
        if (revision != null) {
            headers.put("MCP-Protocol-Version", revision);
        }
        return headers;
    }

    /** Gives a message to the session. Returns whether it is the answer. */
    private boolean received(ObjectNode message, @Nullable String id) {
        if (RpcAnswer.isProgress(message)) {
            var progress = watched.get(message.at("/params/progressToken").asString(""));
            if (progress != null) {
                RpcAnswer.report(message, progress);
            }
            return false;
        }
        var isAnswer = !message.has("method") && message.path("id").asString("").equals(id);
        if (message.has("method")) {
            handle(
                    message.has("id")
                            ? new JSONRPCRequest(
                                    "2.0",
                                    message.path("method").asString(""),
                                    Objects.requireNonNull(message.get("id")),
                                    message.get("params"))
                            : new JSONRPCNotification(
                                    "2.0", message.path("method").asString(""), message.get("params")));
        } else if (isAnswer) {
            handle(new JSONRPCResponse("2.0", id, message.get("result"), error(message.get("error"))));
        }
        return isAnswer;
    }

    private void handle(JSONRPCMessage message) {
        handler.apply(Mono.just(message)).subscribe(_ -> {}, _ -> {});
    }

    private static JSONRPCResponse.@Nullable JSONRPCError error(@Nullable JsonNode error) {
        return error == null
                ? null
                : new JSONRPCResponse.JSONRPCError(
                        error.path("code").asInt(0), error.path("message").asString(""), null);
    }

    /** Tells the server that nobody waits any more, as far as it can be reached soon. */
    private void cancel(JSONRPCMessage message) {
        if (message instanceof JSONRPCRequest request) {
            var told = Json.object().put("jsonrpc", "2.0").put("method", "notifications/cancelled");
            told.putObject("params").put("requestId", String.valueOf(request.id()));
            Thread.startVirtualThread(() -> {
                try {
                    channel.post(told, headers(), CANCEL, _ -> true);
                } catch (InterruptedException | UpstreamFailure e) {
                    // It goes on with what nobody waits for.
                }
            });
        }
    }

    private static ObjectNode json(JSONRPCMessage message) {
        var json = Json.object().put("jsonrpc", "2.0");
        switch (message) {
            case JSONRPCRequest request -> {
                json.put("id", String.valueOf(request.id())).put("method", request.method());
                params(json, request.params());
            }
            case JSONRPCNotification notification -> {
                json.put("method", notification.method());
                params(json, notification.params());
            }
            case JSONRPCResponse response -> {
                json.set("id", Json.valueTree(response.id()));
                if (response.error() == null) {
                    json.set("result", response.result() instanceof ObjectNode result ? result : Json.object());
                } else {
                    json.putObject("error")
                            .put("code", response.error().code())
                            .put("message", response.error().message());
                }
            }
            default -> throw new IllegalArgumentException("no message of JSON-RPC");
        }
        return json;
    }

    private static void params(ObjectNode json, @Nullable Object params) {
        if (params instanceof JsonNode node) {
            json.set("params", node);
        }
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
        return (T) (data instanceof ObjectNode ? data : Json.object());
    }

    @Override
    public Mono<Void> closeGracefully() {
        return Mono.empty();
    }
}

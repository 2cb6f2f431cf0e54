package io.agentworkspace.engine.integrations.upstreams.client;

import io.agentworkspace.engine.integrations.upstreams.client.UpstreamFailure.Kind;
import io.agentworkspace.engine.kernel.wire.ProtocolRevision;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.text.Excerpt;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCNotification;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCRequest;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.function.Predicate;
import org.eclipse.jetty.http.HttpStatus;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The transport of an SDK session over Streamable HTTP, with the stream that the server may announce and ask on. The questions of
 * the server go to the call that they belong to.
 */
final class SessionTransport implements McpClientTransport, OpenCall.Replies {
    private static final Logger LOG = LoggerFactory.getLogger(SessionTransport.class);
    private static final String SESSION = "Mcp-Session-Id";
    private static final Duration SOON = Duration.ofSeconds(5);
    private static final int METHOD_NOT_FOUND = -32601;

    /** How many short replies are under way at once; a server that asks more gets none. */
    private static final int MOST_REPLIES = 8;

    private final McpChannel channel;
    private final Duration limit;
    private final Announcements announcements;
    private final Map<String, OpenCall> watched = new ConcurrentHashMap<>();
    private final Semaphore replies = new Semaphore(MOST_REPLIES);
    private final Set<String> subscribed = ConcurrentHashMap.newKeySet();
    private final Reception listening = new Reception(true);
    private volatile @Nullable AnnouncementStream stream;
    private volatile boolean isLost;
    private volatile boolean isClosed;
    private volatile Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler = Function.identity();
    private volatile @Nullable String session;
    private volatile @Nullable String revision;

    SessionTransport(McpChannel channel, Duration limit, Announcements announcements) {
        this.channel = channel;
        this.limit = limit;
        this.announcements = announcements;
    }

    /** @throws UpstreamFailure if it is a revision that has no sessions, or an unknown one */
    void setRevision(String negotiated) {
        if (ProtocolRevision.find(negotiated).isEmpty() || negotiated.equals(ProtocolRevision.MODERN.word())) {
            throw new UpstreamFailure(Kind.PROTOCOL, "it speaks another revision of the protocol");
        }
        revision = negotiated;
    }

    String revision() {
        var current = revision;
        return current == null ? ProtocolRevision.NOVEMBER_2025.word() : current;
    }

    /** Passes on to a call what the server sends about it. */
    void watch(OpenCall call) {
        watched.put(call.token(), call);
    }

    void unwatch(OpenCall call) {
        watched.remove(call.token());
        endUnused();
    }

    /** Returns the resources that the session has subscribed to. */
    Set<String> subscribed() {
        return subscribed;
    }

    /** Opens the session's stream, if it has an id and the server has such streams. */
    void listen() {
        if (session != null) {
            stream = new AnnouncementStream(channel.streams(), this::read);
        }
    }

    private boolean read(boolean again) throws InterruptedException {
        if (again) {
            announcements.updated(Set.copyOf(subscribed));
            announcements.listsChanged(); // They may have while the stream was closed.
        }
        try {
            var head = channel.stream(null, headers(), message -> received(message, null), listening);
            if (head.status() < HttpStatus.BAD_REQUEST_400) {
                return true;
            }
            isLost = again && head.status() != HttpStatus.METHOD_NOT_ALLOWED_405;
            return false;
        } catch (UpstreamFailure e) {
            return AnnouncementStream.mayGoOn(e);
        }
    }

    /** Returns whether a server that had the session's stream refuses it now: it has forgotten the session. */
    boolean isLost() {
        return isLost;
    }

    /** Ends the stream, as soon as no call can be asked on it. */
    @Override
    public void close() {
        isClosed = true;
        endUnused();
    }

    private void endUnused() {
        var current = stream;
        if (current != null && isClosed && watched.isEmpty()) {
            current.close();
        }
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
        var body = json(message);
        var exchange = new Exchange(
                id, watched.get(body.at("/params/_meta/progressToken").asString("")));
        var hadSession = session != null;
        McpChannel.Head head;
        try {
            head = posted(body, exchange);
        } catch (UpstreamFailure e) {
            if (exchange.call != null && exchange.call.isAsking()) {
                cancel(message);
            }
            throw e;
        }
        if (hadSession && isLost(head.status()) && !exchange.isAnswered) {
            throw new UpstreamFailure(
                    Kind.SESSION, exchange.error == null ? "it has ended the session" : exchange.error.words());
        }
        if (head.status() >= HttpStatus.BAD_REQUEST_400) {
            throw new UpstreamFailure(Kind.PROTOCOL, "it answered %d".formatted(head.status()));
        }
        if (id != null && !exchange.isAnswered) {
            throw new UpstreamFailure(Kind.PROTOCOL, "it answered %d without a result".formatted(head.status()));
        }
    }

    /** A stream that ends before the answer goes on where the server said that it can. */
    private McpChannel.Head posted(ObjectNode body, Exchange exchange) throws InterruptedException {
        var end = System.nanoTime() + limit.toNanos();
        var reception = new Reception(exchange.id != null);
        try {
            var hadSession = session != null;
            Predicate<ObjectNode> isLast = message -> {
                if (hadSession && isLost(reception.status) && message.get("error") instanceof ObjectNode error) {
                    exchange.error = RpcAnswer.error(error);
                    return true;
                }
                return received(message, exchange);
            };
            return channel.post(body, headers(), limit, isLast, reception);
        } catch (UpstreamFailure e) {
            if (exchange.id == null) {
                throw e;
            }
            return resumed(exchange, reception, end, e);
        } finally {
            keepSession(reception);
        }
    }

    /** Returns whether a status says that the server does not know the session. Many answer 400 after a restart. */
    private static boolean isLost(int status) {
        return status == HttpStatus.NOT_FOUND_404 || status == HttpStatus.BAD_REQUEST_400;
    }

    private void keepSession(Reception reception) {
        var opened = reception.headers.get(SESSION);
        session = opened == null ? session : opened;
    }

    private McpChannel.Head resumed(Exchange exchange, Reception reception, long end, UpstreamFailure first)
            throws InterruptedException {
        var failure = first;
        while (failure.kind() == Kind.UNREACHABLE
                && reception.lastId() != null
                && reception.pause().toNanos() < end - System.nanoTime()) {
            keepSession(reception);
            Thread.sleep(reception.pause());
            McpChannel.Head head;
            try {
                head = channel.resume(
                        headers(),
                        Duration.ofNanos(Math.max(1_000_000, end - System.nanoTime())),
                        answer -> received(answer, exchange),
                        reception);
            } catch (UpstreamFailure e) {
                failure = e;
                continue;
            }
            if (exchange.isAnswered) {
                return head;
            }
            throw first; // The server does not keep what it sent.
        }
        throw failure;
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

    /**
     * A request of this side, and what comes with its answer.
     *
     * @param id null for a message that has no answer
     * @param call null if it is no call that is watched
     */
    private static final class Exchange {
        final @Nullable String id;
        final @Nullable OpenCall call;
        volatile boolean isAnswered;

        /** The server's error for a session that it may not know. */
        volatile @Nullable UpstreamFailure error;

        Exchange(@Nullable String id, @Nullable OpenCall call) {
            this.id = id;
            this.call = call;
        }
    }

    /**
     * Takes a message of the server. Returns whether it is the answer.
     *
     * @param of null on the stream that belongs to no request
     */
    private boolean received(ObjectNode message, @Nullable Exchange of) {
        var method = message.path("method").asString("");
        if (RpcAnswer.isProgress(message)) {
            var call = watched.get(message.at("/params/progressToken").asString(""));
            if (call != null) {
                call.report(message);
            }
        } else if (ClientTurn.isQuestion(method) && message.has("id")) {
            forwardQuestion(message, of == null || of.call == null ? onlyCall() : of.call);
        } else if (method.equals("ping") && message.has("id")) {
            var answer = response(message.path("id"));
            answer.putObject("result");
            sendSoon(answer);
        } else if (message.has("id") && !method.isEmpty()) {
            refuse(message.path("id"), "the engine, as a client, has no method %s".formatted(Excerpt.cut(method, 50)));
        } else if (!method.isEmpty()) {
            announcements.received(message);
        } else if (of != null && of.id != null && RpcAnswer.isAnswer(message, of.id)) {
            of.isAnswered = true;
            handle(new JSONRPCResponse("2.0", of.id, message.get("result"), error(message.get("error"))));
            return true;
        }
        return false;
    }

    private void forwardQuestion(ObjectNode message, @Nullable OpenCall call) {
        if (call == null) {
            refuse(message.path("id"), "it is not clear which call asks: ask on the stream of the call");
        } else {
            call.asks(message);
        }
    }

    /** Returns the call that a question belongs to which the server did not send on a call's own stream. */
    private @Nullable OpenCall onlyCall() {
        var running = watched.values().stream().filter(OpenCall::canBeAsked).toList();
        return running.size() == 1 ? running.getFirst() : null;
    }

    @Override
    public void answer(JsonNode id, ObjectNode answer) {
        var body = response(id);
        body.set("result", answer);
        send(body, limit);
    }

    @Override
    public void refuse(JsonNode id, String why) {
        var body = response(id);
        body.putObject("error").put("code", METHOD_NOT_FOUND).put("message", why);
        sendSoon(body);
    }

    private static ObjectNode response(JsonNode id) {
        var body = Json.object().put("jsonrpc", "2.0");
        body.set("id", id);
        return body;
    }

    /** Sends it on another thread: this one reads what the server sends. */
    private void sendSoon(ObjectNode body) {
        if (replies.tryAcquire()) {
            Thread.startVirtualThread(() -> {
                try {
                    send(body, SOON);
                } finally {
                    replies.release();
                }
            });
        }
    }

    /** Sends what has no answer. Where the server does not take it, its call ends without. */
    private void send(ObjectNode body, Duration longest) {
        try {
            channel.post(body, headers(), longest, _ -> true, new Reception(false));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (UpstreamFailure e) {
            LOG.debug("a server did not take an answer: {}", e.words());
        }
    }

    private void handle(JSONRPCMessage message) {
        handler.apply(Mono.just(message)).subscribe(_ -> {}, _ -> {});
    }

    private static JSONRPCResponse.@Nullable JSONRPCError error(@Nullable JsonNode error) {
        return error == null || error.isNull()
                ? null
                : new JSONRPCResponse.JSONRPCError(
                        error.path("code").asInt(0), error.path("message").asString(""), error.get("data"));
    }

    /** Tells the server that nobody waits any more, as far as it can be reached soon. */
    private void cancel(JSONRPCMessage message) {
        if (message instanceof JSONRPCRequest request) {
            var notification = Json.object().put("jsonrpc", "2.0").put("method", "notifications/cancelled");
            notification.putObject("params").put("requestId", String.valueOf(request.id()));
            Thread.startVirtualThread(() -> send(notification, SOON));
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

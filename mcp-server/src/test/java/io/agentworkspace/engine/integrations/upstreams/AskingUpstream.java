package io.agentworkspace.engine.integrations.upstreams;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.agentworkspace.engine.model.json.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** An MCP server with sessions on loopback, whose tool {@code ask} does what a test tells it, and may ask its client. */
final class AskingUpstream implements AutoCloseable {
    private final HttpServer server;
    private final Map<String, CompletableFuture<ObjectNode>> questions = new ConcurrentHashMap<>();
    private final List<OutputStream> streams = new CopyOnWriteArrayList<>();

    /** The streams of sessions, by their ids. */
    private final Map<String, CompletableFuture<OutputStream>> ofSessions = new ConcurrentHashMap<>();

    private volatile String subscriber = "";
    private final AtomicInteger openings = new AtomicInteger();
    private final Set<String> sessions = ConcurrentHashMap.newKeySet();

    /** What came, in order. */
    final List<ObjectNode> received = new CopyOnWriteArrayList<>();

    volatile Conduct conduct = _ -> "nothing was asked";
    /** Before this, the server does not say that it took an answer; a result of the tool completes it. */
    volatile CompletableFuture<Boolean> takesAnswers = CompletableFuture.completedFuture(true);

    volatile String tools = "{\"name\":\"ask\",\"inputSchema\":{\"type\":\"object\"}}";

    /** The refusal of a call until its user has opened links. */
    static final class OpenFirst extends Exception {
        private final List<Map<String, String>> links;

        OpenFirst(String... urls) {
            links = Stream.of(urls)
                    .map(url -> Map.of("mode", "url", "url", url))
                    .toList();
        }
    }

    /** What the tool does; it returns the text of the result. */
    interface Conduct {
        String run(Talk talk) throws Exception;
    }

    AskingUpstream() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/mcp", this::handle);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:%d/mcp".formatted(server.getAddress().getPort());
    }

    /** One call of the tool. */
    final class Talk {
        private final OutputStream stream;
        private final String session;

        private Talk(OutputStream stream, String session) {
            this.stream = stream;
            this.session = session;
        }

        /** Asks on the call's stream and returns the response. */
        ObjectNode ask(String method, String params) {
            return later(method, params).join();
        }

        /** Asks on the session's stream and returns the response. */
        ObjectNode askElsewhere(String method, String params) {
            return question(ofSession(session).join(), method, params).join();
        }

        CompletableFuture<ObjectNode> later(String method, String params) {
            return question(stream, method, params);
        }
    }

    private CompletableFuture<OutputStream> ofSession(String session) {
        return ofSessions.computeIfAbsent(session, _ -> new CompletableFuture<>());
    }

    private CompletableFuture<ObjectNode> question(OutputStream to, String method, String params) {
        var id = UUID.randomUUID().toString();
        var answer = new CompletableFuture<ObjectNode>();
        questions.put(id, answer);
        var message = Json.object().put("jsonrpc", "2.0").put("id", id).put("method", method);
        message.set("params", json(params));
        write(to, message);
        return answer;
    }

    /** Asks outside of any call. */
    CompletableFuture<ObjectNode> asksOutside(String method, String params) {
        return question(streams.getLast(), method, params);
    }

    /** Sends a notification on each open stream of a session. */
    void announces(String method, String params) {
        var message = Json.object().put("jsonrpc", "2.0").put("method", method);
        message.set("params", json(params));
        streams.forEach(stream -> write(stream, message));
    }

    /** Returns whether the session that subscribed last has its stream. */
    boolean hasStreamOfSubscriber() {
        return ofSession(subscriber).isDone();
    }

    /** Returns how many streams of sessions were opened. */
    int streamsBegun() {
        return openings.get();
    }

    boolean hasStream() {
        return !streams.isEmpty();
    }

    /** Forgets all sessions, and ends their streams. */
    void forgetsSessions() {
        sessions.clear();
        endsStreams();
    }

    /** Ends the streams of sessions. */
    void endsStreams() {
        streams.forEach(stream -> {
            try {
                stream.close();
            } catch (IOException e) {
                // It was closed.
            }
        });
        streams.clear();
    }

    long calls(String method) {
        return received.stream()
                .filter(message -> message.path("method").asString("").equals(method))
                .count();
    }

    private static ObjectNode json(String text) {
        return Json.readObject(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    /** Returns whether a stream of a session takes a message. */
    boolean reachesSomebody() {
        var message = Json.object().put("jsonrpc", "2.0").put("method", "notifications/message");
        return streams.stream().filter(stream -> write(stream, message)).count() > 0;
    }

    private static boolean write(OutputStream stream, JsonNode message) {
        synchronized (stream) {
            try {
                stream.write("data: %s\n\n".formatted(Json.text(message)).getBytes(StandardCharsets.UTF_8));
                stream.flush();
                return true;
            } catch (IOException e) {
                return false; // The client has gone.
            }
        }
    }

    private void handle(HttpExchange exchange) throws IOException {
        var session = exchange.getRequestHeaders().getFirst("Mcp-Session-Id");
        if (session != null && !sessions.contains(session)) {
            exchange.sendResponseHeaders(404, -1);
            exchange.close();
            return;
        }
        if (exchange.getRequestMethod().equals("GET")) {
            var stream = stream(exchange);
            streams.add(stream);
            openings.incrementAndGet();
            ofSession(session).complete(stream);
            return;
        }
        var message = Json.readObject(exchange.getRequestBody().readAllBytes());
        received.add(message);
        if (!message.has("id") || !message.has("method")) {
            var answered = questions.remove(message.path("id").asString(""));
            if (answered != null) {
                answered.complete(message);
                takesAnswers.join();
            }
            exchange.sendResponseHeaders(202, -1);
            exchange.close();
            return;
        }
        var answer = Json.object().put("jsonrpc", "2.0");
        answer.set("id", message.get("id"));
        switch (message.path("method").asString("")) {
            case "initialize" -> {
                var fresh = UUID.randomUUID().toString();
                sessions.add(fresh);
                exchange.getResponseHeaders().add("Mcp-Session-Id", fresh);
                var result = answer.putObject("result").put("protocolVersion", "2025-11-25");
                var capabilities = result.putObject("capabilities");
                capabilities.putObject("tools").put("listChanged", true);
                capabilities.putObject("resources").put("subscribe", true);
                result.putObject("serverInfo").put("name", "asking").put("version", "1");
            }
            case "tools/list" ->
                answer.putObject("result").set("tools", Json.array().add(json(tools)));
            case "resources/list" ->
                answer.putObject("result")
                        .putArray("resources")
                        .addObject()
                        .put("uri", "notes://today")
                        .put("name", "today");
            case "resources/subscribe" -> {
                subscriber = String.valueOf(session);
                answer.putObject("result");
            }
            case "resources/unsubscribe" -> answer.putObject("result");
            case "tools/call" -> {
                called(exchange, answer);
                return;
            }
            default -> answer.putObject("error").put("code", -32601).put("message", "unknown");
        }
        var bytes = Json.bytes(answer);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private void called(HttpExchange exchange, ObjectNode answer) throws IOException {
        var stream = stream(exchange);
        try {
            var text = conduct.run(new Talk(stream, exchange.getRequestHeaders().getFirst("Mcp-Session-Id")));
            answer.putObject("result")
                    .putArray("content")
                    .addObject()
                    .put("type", "text")
                    .put("text", text);
        } catch (OpenFirst e) {
            var error = answer.putObject("error").put("code", -32042).put("message", "sign in first");
            error.putObject("data").set("elicitations", Json.valueTree(e.links));
        } catch (Exception e) {
            answer.putObject("error").put("code", -32000).put("message", String.valueOf(e.getMessage()));
        }
        write(stream, answer);
        exchange.close();
        takesAnswers.complete(true);
    }

    private static OutputStream stream(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        var stream = exchange.getResponseBody();
        stream.write(": open\n\n".getBytes(StandardCharsets.UTF_8));
        stream.flush();
        return stream;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}

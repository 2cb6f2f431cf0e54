package io.agentworkspace.engine.integrations.upstreams;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.agentworkspace.engine.model.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A small MCP server on loopback, of either era, that behaves as a test tells it. */
final class ScriptedUpstream implements AutoCloseable {
    static final String ECHO = """
            {'name':'echo','description':'Echoes a text.','annotations':{'readOnlyHint':true},
             'inputSchema':{'type':'object','properties':{'message':{'type':'string'}},'required':['message']}}""";

    /** How it behaves. */
    enum Manner {
        ANSWERS,
        HANGS,
        RESETS,
        FLOODS,
        FAILS,
        /** It answers calls of tools with a value that is not the result of a tool. */
        LIES
    }

    private final HttpServer server;
    private final boolean modern;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Map<String, Boolean> sessions = new ConcurrentHashMap<>();

    /** The requests that came, and their headers. */
    final List<ObjectNode> requests = new CopyOnWriteArrayList<>();

    final List<Map<String, List<String>>> headers = new CopyOnWriteArrayList<>();
    volatile ArrayNode tools = Json.array();
    volatile ArrayNode resources = Json.array();
    volatile ArrayNode templates = Json.array();
    volatile ArrayNode prompts = Json.array();

    /** Whether each of its lists has a next page, for ever. */
    volatile boolean isEndless;

    volatile boolean refusesTokens;

    /** Returns the challenge for what a request has as Authorization; an empty text if it is served. */
    volatile UnaryOperator<String> challenge = _ -> "";

    private final Map<ObjectNode, Map<String, List<String>>> sent =
            Collections.synchronizedMap(new IdentityHashMap<>());

    Map<String, List<String>> headersOf(ObjectNode request) {
        return Objects.requireNonNull(sent.get(request));
    }

    /** What the next request does first: something that happens meanwhile. */
    final AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});

    /** The metadata of its results and their content. */
    volatile ObjectNode meta = Json.object();

    /** The requests for tokens. */
    final List<String> forms = new CopyOnWriteArrayList<>();

    /** The assertions that came to be exchanged. */
    final List<String> subjects = new CopyOnWriteArrayList<>();

    private volatile ArrayNode next = Json.array();
    volatile Manner manner = Manner.ANSWERS;

    ScriptedUpstream(boolean modern, String... tools) {
        this.modern = modern;
        has(tools);
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/mcp", this::handle);
        server.createContext("/token", this::token);
        server.createContext("/change", this::change);
        server.start();
    }

    /** Sets its tools, in JSON with single quotes. */
    void has(String... definitions) {
        tools = list(definitions);
    }

    ScriptedUpstream withResources(String... definitions) {
        resources = list(definitions);
        return this;
    }

    ScriptedUpstream withTemplates(String... definitions) {
        templates = list(definitions);
        return this;
    }

    ScriptedUpstream withPrompts(String... definitions) {
        prompts = list(definitions);
        return this;
    }

    private ObjectNode capabilities() {
        var capabilities = Json.object();
        capabilities.putObject("tools");
        if (!resources.isEmpty() || !templates.isEmpty()) {
            capabilities.putObject("resources");
        }
        if (!prompts.isEmpty()) {
            capabilities.putObject("prompts");
        }
        return capabilities;
    }

    private void listed(ObjectNode answer, String field, ArrayNode list) {
        var result = answer.putObject("result");
        result.set(field, list);
        if (isEndless) {
            result.put("nextCursor", UUID.randomUUID().toString());
        }
    }

    /** Sets the tools that it has from the first request to {@code /change} on. */
    void changesTo(String... definitions) {
        next = list(definitions);
    }

    private static ArrayNode list(String... definitions) {
        var list = Json.array();
        for (var definition : definitions) {
            list.add(Json.readObject(definition.replace('\'', '"').getBytes(StandardCharsets.UTF_8)));
        }
        return list;
    }

    String url() {
        return "http://127.0.0.1:%d/mcp".formatted(server.getAddress().getPort());
    }

    String tokenUrl() {
        return url().replace("/mcp", "/token");
    }

    /** Forgets its sessions, as after a restart. */
    void restart() {
        sessions.clear();
    }

    long calls(String method) {
        return requests.stream()
                .filter(request -> request.path("method").asString("").equals(method))
                .count();
    }

    private void change(HttpExchange exchange) throws IOException {
        tools = next;
        send(exchange, 200, Json.object());
    }

    private void token(HttpExchange exchange) throws IOException {
        headers.add(Map.copyOf(exchange.getRequestHeaders()));
        var form = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.US_ASCII);
        forms.add(form);
        var subject = form.replaceAll("(?s).*(?:subject_token|assertion)=([^&]*).*", "$1");
        if (!subject.equals(form)) {
            subjects.add(subject);
        }
        if (refusesTokens) {
            send(exchange, 400, Json.object().put("error", "invalid_grant"));
            return;
        }
        var issued = subject.equals(form) ? "issued-" + headers.size() : "for-" + claim(subject, "name");
        send(exchange, 200, Json.object().put("access_token", issued).put("expires_in", 3600));
    }

    /** Returns a claim of an assertion. */
    static String claim(String token, String name) {
        return part(token, 1, name);
    }

    /** Returns a field of the header (0) or the claims (1) of an assertion. */
    static String part(String token, int which, String name) {
        var claim = Json.readObject(Base64.getUrlDecoder().decode(token.split("\\.")[which]))
                .path(name);
        return (claim.isArray() ? claim.path(0) : claim).asString("");
    }

    private void handle(HttpExchange exchange) throws IOException {
        var body = exchange.getRequestBody().readAllBytes();
        if (exchange.getRequestMethod().equals("DELETE") || body.length == 0) {
            exchange.sendResponseHeaders(405, -1);
            exchange.close();
            return;
        }
        var request = Json.readObject(body);
        requests.add(request);
        sent.put(request, Map.copyOf(exchange.getRequestHeaders()));
        headers.add(Map.copyOf(exchange.getRequestHeaders()));
        var authorization = exchange.getRequestHeaders().getFirst("Authorization");
        var refusal = challenge.apply(authorization == null ? "" : authorization);
        if (!refusal.isEmpty()) {
            exchange.getResponseHeaders().add("WWW-Authenticate", refusal);
            send(exchange, 401, Json.object().put("error", "invalid_token"));
            return;
        }
        meanwhile.getAndSet(() -> {}).run();
        switch (manner) {
            case HANGS -> hang();
            case RESETS -> exchange.close();
            case FLOODS -> flood(exchange);
            case FAILS -> send(exchange, 500, Json.object());
            case LIES -> {
                if (request.path("method").asString("").equals("tools/call")) {
                    var answer = Json.object().put("jsonrpc", "2.0");
                    answer.set("id", request.get("id"));
                    answer.putObject("result").put("content", "a text").put("isError", "no");
                    send(exchange, 200, answer);
                } else {
                    answer(exchange, request);
                }
            }
            case ANSWERS -> answer(exchange, request);
        }
    }

    private void hang() {
        try {
            closed.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void flood(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, 0);
        var megabyte = new byte[1 << 20];
        for (var i = 0; i < 50; i++) {
            exchange.getResponseBody().write(megabyte);
        }
        exchange.close();
    }

    private void answer(HttpExchange exchange, ObjectNode request) throws IOException {
        var method = request.path("method").asString("");
        var session = exchange.getRequestHeaders().getFirst("Mcp-Session-Id");
        if (!modern && !method.equals("initialize") && (session == null || !sessions.containsKey(session))) {
            send(exchange, session == null ? 400 : 404, error(request, -32600, "no session"));
            return;
        }
        if (!request.has("id")) {
            exchange.sendResponseHeaders(202, -1);
            exchange.close();
            return;
        }
        var answer = Json.object().put("jsonrpc", "2.0");
        answer.set("id", request.get("id"));
        switch (method) {
            case "server/discover" -> {
                if (!modern) {
                    send(exchange, 404, error(request, -32601, "unknown"));
                    return;
                }
                var result = answer.putObject("result").put("resultType", "complete");
                result.putArray("supportedVersions").add("2026-07-28");
                result.set("capabilities", capabilities());
            }
            case "initialize" -> {
                var id = UUID.randomUUID().toString();
                sessions.put(id, true);
                exchange.getResponseHeaders().add("Mcp-Session-Id", id);
                var result = answer.putObject("result").put("protocolVersion", "2025-06-18");
                result.set("capabilities", capabilities());
                result.putObject("serverInfo").put("name", "scripted").put("version", "1");
            }
            case "tools/list" -> listed(answer, "tools", tools);
            case "resources/list" -> listed(answer, "resources", resources);
            case "resources/templates/list" -> listed(answer, "resourceTemplates", templates);
            case "prompts/list" -> listed(answer, "prompts", prompts);
            case "resources/read" -> {
                var uri = request.at("/params/uri").asString("");
                answer.putObject("result")
                        .putArray("contents")
                        .addObject()
                        .put("uri", uri)
                        .put("text", "Text of " + uri);
            }
            case "prompts/get" -> {
                var message = answer.putObject("result")
                        .putArray("messages")
                        .addObject()
                        .put("role", "user");
                message.putObject("content")
                        .put("type", "text")
                        .put(
                                "text",
                                request.path("params").path("name").asString("") + " about "
                                        + request.at("/params/arguments/topic").asString("nothing"));
            }
            case "completion/complete" ->
                answer.putObject("result")
                        .putObject("completion")
                        .putArray("values")
                        .add(request.at("/params/argument/value").asString("") + "-completed")
                        .add(request.at("/params/context/arguments/other").asString("no other"));
            case "tools/call" -> {
                called(exchange, request, answer);
                return;
            }
            default -> {
                send(exchange, 200, error(request, -32601, "unknown"));
                return;
            }
        }
        send(exchange, 200, answer);
    }

    /** Answers a call as a stream, with progress first. */
    private void called(HttpExchange exchange, ObjectNode request, ObjectNode answer) throws IOException {
        var params = request.path("params");
        if (params.at("/arguments/message").asString("").equals("ask") && !params.has("inputResponses")) {
            var result = answer.putObject("result")
                    .put("resultType", "input_required")
                    .put("requestState", "kept");
            var question = result.putObject("inputRequests").putObject("who").put("method", "elicitation/create");
            var form = question.putObject("params").put("message", "Who is it?").putObject("requestedSchema");
            form.put("type", "object").putObject("properties").putObject("name").put("type", "string");
            send(exchange, 200, answer);
            return;
        }
        var said = params.path("arguments").path("message").asString(Json.text(params.path("arguments")));
        if (said.equals("wrong")) {
            send(exchange, 200, error(request, -32602, "message must not be wrong"));
            return;
        }
        var result = answer.putObject("result");
        result.putArray("content").addObject().put("type", "text").put("text", "Echo: " + said);
        var content = result.putObject("structuredContent").put("said", said);
        if (params.has("inputResponses")) {
            content.set("answers", params.get("inputResponses"));
            content.set("state", params.path("requestState"));
        }
        var seen = Json.object();
        params.path("_meta").properties().stream()
                .filter(field -> field.getKey().startsWith("example.com/"))
                .forEach(field -> seen.set(field.getKey(), field.getValue()));
        seen.setAll(meta);
        if (!seen.isEmpty()) {
            result.set("_meta", seen);
            ((ObjectNode) result.at("/content/0")).set("_meta", seen.deepCopy());
        }
        exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        var progress = Json.object().put("jsonrpc", "2.0").put("method", "notifications/progress");
        progress.putObject("params")
                .put("progress", 1)
                .put("total", 2)
                .put("message", "half")
                .set("progressToken", params.at("/_meta/progressToken"));
        for (var message : List.of(progress, answer)) {
            exchange.getResponseBody()
                    .write("event: message\ndata: %s\n\n"
                            .formatted(Json.text(message))
                            .getBytes(StandardCharsets.UTF_8));
        }
        exchange.close();
    }

    private static ObjectNode error(ObjectNode request, int code, String message) {
        var error = Json.object().put("jsonrpc", "2.0");
        error.set("id", request.get("id"));
        error.putObject("error").put("code", code).put("message", message);
        return error;
    }

    private static void send(HttpExchange exchange, int status, ObjectNode body) throws IOException {
        var bytes = Json.bytes(body);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
    }
}

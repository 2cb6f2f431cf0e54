package io.agentworkspace.engine.workspace.delivery.hooks;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.agentworkspace.engine.model.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A model on loopback that answers by a script, in the dialects of the three coding agents: Messages, Responses and
 * generateContent. What it was shown is kept.
 */
final class ScriptedModel implements AutoCloseable {
    /** The reply that lets a shell tool run; every other reply is a text. */
    static final String TOOL = "(run a tool)";

    /** Returns the reply that calls a tool of the client. Single quotes stand for double quotes. */
    static String tool(String name, String arguments) {
        return "%s %s %s".formatted(TOOL, name, arguments.replace('\'', '"'));
    }

    private static final String CODEX = "input";

    private static final List<String> TEXTS = List.of(
            "text",
            "content",
            "parts",
            "input_text",
            "output",
            "functionResponse",
            "response",
            "error",
            "result",
            "message",
            "input");

    private final HttpServer server;
    private final UnaryOperator<String> script;
    private final List<String> inputs = new CopyOnWriteArrayList<>();
    private volatile String system = "";

    /** @param script what the model replies to what it was shown since its last reply */
    ScriptedModel(UnaryOperator<String> script) {
        this.script = script;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::handle);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Returns the last request's system prompt, in the dialect of Messages. */
    String system() {
        return system;
    }

    /** Returns what each request showed that came after the model's own last reply. */
    List<String> inputs() {
        return List.copyOf(inputs);
    }

    private void handle(HttpExchange exchange) throws IOException {
        var body = exchange.getRequestBody().readAllBytes();
        var path = exchange.getRequestURI().getPath();
        var isStream = path.endsWith("streamGenerateContent")
                || new String(body, StandardCharsets.UTF_8).contains("\"stream\":true");
        var reply = exchange.getRequestMethod().equals("POST") && body.length > 0
                ? reply(path, Json.readObject(body))
                : "{\"object\":\"list\",\"data\":[],\"models\":[]}";
        exchange.getResponseHeaders().put("Content-Type", List.of(isStream ? "text/event-stream" : "application/json"));
        var bytes = reply.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, bytes.length);
        try (var out = exchange.getResponseBody()) {
            out.write(bytes);
        }
    }

    private String reply(String path, ObjectNode request) {
        if (path.contains("count")) {
            return "{\"input_tokens\":10,\"totalTokens\":10}";
        } else if (path.endsWith("/messages")) {
            return anthropic(request, said(request, "messages"));
        } else if (path.endsWith("/responses")) {
            return openai(request, said(request, CODEX));
        } else if (path.endsWith("enerateContent")) {
            return gemini(path, said(request, "contents"));
        }
        return "{}";
    }

    /** Runs the script. Requests without tools are titles and the like, except that newer models of Codex get tools otherwise. */
    private String said(ObjectNode request, String messages) {
        if (request.path("tools").isEmpty() && !messages.equals(CODEX)) {
            return "ok";
        }
        system = text(request.path("system"));
        var latest = latest(request.path(messages));
        inputs.add(latest);
        return script.apply(latest);
    }

    private static String latest(JsonNode messages) {
        var last = new ArrayList<JsonNode>();
        for (var i = messages.size() - 1; i >= 0 && !isOwn(messages.get(i)); i--) {
            last.addFirst(messages.get(i));
        }
        return last.stream().map(ScriptedModel::text).collect(Collectors.joining("\n"));
    }

    private static boolean isOwn(JsonNode message) {
        var role = message.path("role").asString("");
        return role.equals("assistant")
                || role.equals("model")
                || message.path("type").asString("").endsWith("_call");
    }

    private static String text(JsonNode node) {
        if (node.isString()) {
            return node.asString();
        } else if (node instanceof ArrayNode array) {
            return array.valueStream()
                    .map(ScriptedModel::text)
                    .filter(text -> !text.isEmpty())
                    .collect(Collectors.joining("\n"));
        }
        return TEXTS.stream()
                .filter(node::has)
                .map(name -> text(node.get(name)))
                .filter(text -> !text.isEmpty())
                .collect(Collectors.joining("\n"));
    }

    private static String events(List<ObjectNode> events) {
        return events.stream()
                .map(event -> (event.has("type")
                                ? "event: %s\n".formatted(event.path("type").asString())
                                : "")
                        + "data: %s\n\n".formatted(Json.text(event)))
                .collect(Collectors.joining());
    }

    private static final AtomicInteger CALLS = new AtomicInteger();

    /** The tool that a reply calls. */
    private record Called(String name, ObjectNode input) {
        static Called of(String reply, String name, String input) {
            var words = reply.startsWith(TOOL + " ")
                    ? reply.substring(TOOL.length() + 1).split(" ", 2)
                    : new String[] {name, input};
            return new Called(
                    words[0],
                    words.length < 2 ? Json.object() : Json.readObject(words[1].getBytes(StandardCharsets.UTF_8)));
        }
    }

    private static ObjectNode object(String json) {
        return HookFixture.object(json);
    }

    /** Returns the name of the tool that runs a command. */
    private static String shell(ObjectNode request) {
        return request.path("tools")
                .valueStream()
                .map(tool -> tool.path("name").asString(""))
                .filter(name -> name.equalsIgnoreCase("bash") || name.equals("run_shell_command"))
                .findFirst()
                .orElse("Bash");
    }

    private static String anthropic(ObjectNode request, String reply) {
        var isTool = reply.startsWith(TOOL);
        var called = Called.of(reply, shell(request), "{\"command\":\"true\",\"description\":\"d\"}");
        var block = isTool
                ? object("{'type':'tool_use','id':'toolu_%d'}".formatted(CALLS.incrementAndGet()))
                        .put("name", called.name())
                        .set("input", called.input())
                : object("{'type':'text'}").put("text", reply);
        var message = object("{'id':'msg_1','type':'message','role':'assistant','model':'m','stop_sequence':null,"
                + "'usage':{'input_tokens':10,'output_tokens':5}}");
        message.put("stop_reason", isTool ? "tool_use" : "end_turn")
                .putArray("content")
                .add(block);
        if (!request.path("stream").asBoolean(false)) {
            return Json.text(message);
        }
        var first = object("{'type':'message_start'}");
        var draft = message.deepCopy();
        draft.putNull("stop_reason").putArray("content");
        first.set("message", draft);
        var start = object("{'type':'content_block_start','index':0}");
        // What the tool is called with comes after this, as from the real service.
        start.set(
                "content_block",
                isTool ? block.deepCopy().set("input", Json.object()) : object("{'type':'text','text':''}"));
        var delta = object("{'type':'content_block_delta','index':0}");
        delta.set(
                "delta",
                isTool
                        ? object("{'type':'input_json_delta'}").put("partial_json", Json.text(block.get("input")))
                        : object("{'type':'text_delta'}").put("text", reply));
        var end = object("{'type':'message_delta','usage':{'output_tokens':5}}");
        end.putObject("delta")
                .put("stop_reason", isTool ? "tool_use" : "end_turn")
                .putNull("stop_sequence");
        return events(List.of(
                first,
                start,
                delta,
                object("{'type':'content_block_stop','index':0}"),
                end,
                object("{'type':'message_stop'}")));
    }

    private static String openai(ObjectNode request, String reply) {
        var called = Called.of(reply, "exec_command", "{\"cmd\":\"true\"}");
        var number = CALLS.incrementAndGet();
        var item = reply.startsWith(TOOL)
                ? object("{'type':'function_call','id':'fc_%1$d','call_id':'call_%1$d','status':'completed'}"
                                .formatted(number))
                        .put("name", called.name())
                        .put("arguments", Json.text(called.input()))
                : object("{'type':'message','id':'msg_1','role':'assistant','status':'completed',"
                        + "'content':[{'type':'output_text','annotations':[]}]}");
        if (item.at("/content/0") instanceof ObjectNode content) {
            content.put("text", reply);
        }
        var response = object(
                "{'id':'resp_1','object':'response','created_at':1,'status':'completed','usage':{'input_tokens':10,"
                        + "'input_tokens_details':{'cached_tokens':0},'output_tokens':5,'output_tokens_details':{'reasoning_tokens':0},"
                        + "'total_tokens':15}}");
        response.put("model", request.path("model").asString("m"))
                .putArray("output")
                .add(item);
        var created = object("{'type':'response.created'}");
        created.set("response", response);
        var added = object("{'type':'response.output_item.added','output_index':0}");
        added.set("item", item);
        var done = object("{'type':'response.output_item.done','output_index':0}");
        done.set("item", item);
        var completed = object("{'type':'response.completed'}");
        completed.set("response", response);
        return events(List.of(created, added, done, completed));
    }

    private static String gemini(String path, String reply) {
        var part = reply.equals(TOOL)
                ? object(
                        "{'functionCall':{'id':'f1','name':'run_shell_command','args':{'command':'true','description':'d'}}}")
                : Json.object().put("text", reply);
        var response = object("{'usageMetadata':{'promptTokenCount':10,'candidatesTokenCount':5,'totalTokenCount':15},"
                + "'modelVersion':'m','responseId':'r'}");
        var candidate = response.putArray("candidates")
                .addObject()
                .put("finishReason", "STOP")
                .put("index", 0);
        candidate.putObject("content").put("role", "model").putArray("parts").add(part);
        return path.endsWith("streamGenerateContent") ? events(List.of(response)) : Json.text(response);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}

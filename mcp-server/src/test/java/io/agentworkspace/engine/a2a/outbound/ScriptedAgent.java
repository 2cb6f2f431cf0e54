package io.agentworkspace.engine.a2a.outbound;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.agentworkspace.engine.model.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import tools.jackson.databind.node.ObjectNode;

/** An A2A agent over JSON-RPC that answers as the test says. Single quotes stand for double quotes. */
final class ScriptedAgent implements AutoCloseable {
    private final HttpServer server;
    private final List<ObjectNode> calls = new CopyOnWriteArrayList<>();
    private final List<String> credentials = new CopyOnWriteArrayList<>();
    private final AtomicInteger cards = new AtomicInteger();
    private volatile String card;

    /** Writes a response by itself. */
    interface Answer {
        void to(HttpExchange exchange) throws IOException;
    }

    private ScriptedAgent(Answer answer) {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        card = card(url() + "/rpc");
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", exchange -> {
            try (exchange) {
                if (exchange.getRequestURI().getPath().endsWith("agent-card.json")) {
                    cards.incrementAndGet();
                    json(exchange, card);
                } else {
                    answer.to(exchange);
                }
            }
        });
        server.start();
    }

    static String card(String url) {
        return "{'name':'Far','supportedInterfaces':[{'url':'%s','protocolBinding':'JSONRPC','protocolVersion':'1.0'}]}"
                .formatted(url);
    }

    /** An agent that answers each call with a result, or an object with an error. */
    static ScriptedAgent answering(UnaryOperator<ObjectNode> result) {
        var own = new ScriptedAgent[1];
        own[0] = new ScriptedAgent(exchange -> {
            var call = Json.readObject(exchange.getRequestBody().readAllBytes());
            own[0].credentials.add(String.valueOf(exchange.getRequestHeaders().getFirst("X-Far")));
            own[0].calls.add(call);
            var response = Json.object().put("jsonrpc", "2.0");
            response.set("id", call.get("id"));
            var made = result.apply(call);
            if (made.has("error")) {
                response.setAll(made);
            } else {
                response.set("result", made);
            }
            json(exchange, response.toString());
        });
        return own[0];
    }

    /** An agent whose answers are no JSON-RPC. */
    static ScriptedAgent raw(Answer answer) {
        return new ScriptedAgent(answer);
    }

    static ObjectNode read(String json) {
        return Json.readObject(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    static void json(HttpExchange exchange, String body) throws IOException {
        send(exchange, 200, "application/json", body.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    static void send(HttpExchange exchange, int status, String type, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
    }

    ScriptedAgent withCard(String json) {
        card = json;
        return this;
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    List<ObjectNode> calls() {
        return calls;
    }

    List<String> credentials() {
        return credentials;
    }

    int cards() {
        return cards.get();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}

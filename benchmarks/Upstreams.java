import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Measures what a call of an installed server's tool takes beyond the same call of the server itself, on loopback, in turns. With the
 * packages of the tests it also calls a published server: directly, through the engine, and through two gateways that npm offers.
 */
final class Upstreams implements Bench.Benchmark {
    private static final String TOOL = """
            {"name": "echo", "description": "Echoes a text.", "annotations": {"readOnlyHint": true},
             "inputSchema": {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]}}""";
    private static final String EVERYTHING = NodeServer.module("@modelcontextprotocol/server-everything/dist/index.js");

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /**
     * A way to call the tool.
     *
     * @param headers those of its revision and its session
     */
    private record Way(String name, String url, String tool, Map<String, String> headers) {}

    @Override
    public String words() {
        return "a call through the engine, and through gateways of others, beside the same call of its upstream server"
                + " [--rounds 20] [--calls 200]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var rounds = options.number("rounds", 20);
        var calls = options.number("calls", 200);
        try (var engine = Engine.startIn(Map.of("ENGINE_UPSTREAMS_ALLOW", "127.0.0.0/8"))) {
            small(engine, rounds, calls);
            if (NodeServer.areInstalled()) {
                published(engine, rounds, calls);
            } else {
                System.out.println("no published servers: run npm ci in mcp-server/src/test/node");
            }
        }
    }

    private void small(Engine engine, int rounds, int calls) throws Exception {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        var tools = List.of((ObjectNode) Callers.JSON.readTree(TOOL));
        server.createContext("/mcp", exchange -> answer(exchange, tools));
        server.start();
        try {
            System.out.println("a small server without sessions");
            var url = "http://127.0.0.1:%d/mcp".formatted(server.getAddress().getPort());
            compare(engine, List.of(stateless("direct", url, "echo", ""), installed(engine, "demo", url)), rounds, calls);
        } finally {
            server.stop(0);
        }
    }

    private static Way installed(Engine engine, String name, String url) throws Exception {
        new Callers(engine.url(), engine.key())
                .call(new Callers.Work("UP_Install", Map.of("name", name, "url", url, "approve", "all")));
        return stateless("the engine", engine.url() + "/mcp", name + "_echo", engine.key());
    }

    private void published(Engine engine, int rounds, int calls) throws Exception {
        var program = List.of(NodeServer.module(".bin/node"), EVERYTHING, "stdio");
        var proxy = new ArrayList<>(List.of(NodeServer.module("mcp-proxy/dist/bin/mcp-proxy.mjs"), "--port", "3000", "--"));
        proxy.addAll(program);
        var gateway = List.of(
                NodeServer.module("supergateway/dist/index.js"), "--port", "3000", "--outputTransport", "streamableHttp",
                "--stateful", "--logLevel", "none", "--stdio", String.join(" ", program));
        try (var direct = NodeServer.start(List.of(EVERYTHING, "streamableHttp"));
                var proxied = NodeServer.start(proxy);
                var bridged = NodeServer.start(gateway)) {
            System.out.println("@modelcontextprotocol/server-everything, in a session; the gateways of npm run it over stdio");
            var ways = List.of(
                    session("direct", direct.url(), "echo", ""),
                    session("the engine", installed(engine, "everything", direct.url()).url(), "everything_echo", engine.key()),
                    session("mcp-proxy", proxied.url(), "echo", ""),
                    session("supergateway", bridged.url(), "echo", ""));
            compare(engine, ways, rounds, calls);
        }
    }

    /** Calls each way in turns. The first one is what the others are compared with. */
    private void compare(Engine engine, List<Way> ways, int rounds, int calls) throws Exception {
        for (var way : ways) {
            slice(way, 10 * calls); // Warm.
        }
        var all = new LinkedHashMap<Way, Callers.Latencies>();
        ways.forEach(way -> all.put(way, new Callers.Latencies(new long[0])));
        var spent = 0.0;
        try (var usage = new Usage(engine.pid(), true, List.of(engine.postmaster()))) {
            for (var round = 0; round < rounds; round++) {
                for (var way : ways) {
                    var before = usage.now();
                    all.put(way, all.get(way).with(slice(way, calls)));
                    var used = usage.now().minus(before);
                    spent += way.name().equals("the engine") ? used.jvm() + used.postgres() : 0;
                }
            }
        }
        var direct = all.get(ways.getFirst());
        all.forEach((way, latencies) -> System.out.printf(
                "%-16s %s   p95 %6.2f ms   beyond it p50 %5.2f ms, x %.2f%n",
                way.name(),
                latencies,
                latencies.millis(0.95),
                latencies.millis(0.5) - direct.millis(0.5),
                latencies.millis(0.5) / direct.millis(0.5)));
        System.out.printf("processor time of the engine and its database %.0f µs a call%n", spent / rounds / calls);
    }

    private static Way stateless(String name, String url, String tool, String key) {
        var headers = Map.of("MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", tool, "X-Api-Key", key);
        return new Way(name, url, tool, headers);
    }

    private Way session(String name, String url, String tool, String key) throws Exception {
        var begin = new Way(name, url, tool, Map.of("X-Api-Key", key));
        var response = send(begin, """
                {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                 "clientInfo": {"name": "bench", "version": "1"}}}""");
        var id = response.headers().firstValue("Mcp-Session-Id").orElseThrow(() -> new IOException(response.body()));
        var headers = Map.of("X-Api-Key", key, "MCP-Protocol-Version", "2025-11-25", "Mcp-Session-Id", id);
        var way = new Way(name, url, tool, headers);
        send(way, "{\"jsonrpc\": \"2.0\", \"method\": \"notifications/initialized\"}");
        return way;
    }

    private HttpResponse<String> send(Way way, String body) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(way.url()))
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream");
        way.headers().forEach(request::header);
        return http.send(request.POST(BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
    }

    private Callers.Latencies slice(Way way, int calls) throws Exception {
        var params = Callers.JSON.createObjectNode().put("name", way.tool());
        params.putObject("arguments").put("message", "hi");
        if (!way.headers().containsKey("Mcp-Session-Id")) {
            params.putObject("_meta")
                    .put("io.modelcontextprotocol/protocolVersion", "2026-07-28")
                    .putObject("io.modelcontextprotocol/clientCapabilities");
        }
        var body = "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/call\", \"params\": %s}".formatted(params);
        var durations = new ArrayList<Long>();
        for (var i = 0; i < calls; i++) {
            var start = System.nanoTime();
            var response = send(way, body);
            durations.add(System.nanoTime() - start);
            if (!response.body().contains("Echo: hi")) {
                throw new IOException("no answer: " + response.body());
            }
        }
        return new Callers.Latencies(durations.stream().mapToLong(Long::longValue).sorted().toArray());
    }

    /** An upstream server of the stateless revision. Its tools echo. */
    static void answer(HttpExchange exchange, List<ObjectNode> tools) throws IOException {
        answer(exchange, Callers.JSON.readTree(exchange.getRequestBody().readAllBytes()), tools);
    }

    static void answer(HttpExchange exchange, JsonNode request, List<ObjectNode> tools) throws IOException {
        ObjectNode answer = Callers.JSON.createObjectNode().put("jsonrpc", "2.0");
        answer.set("id", request.get("id"));
        var result = answer.putObject("result").put("resultType", "complete");
        switch (request.path("method").asString("")) {
            case "server/discover" -> {
                result.putArray("supportedVersions").add("2026-07-28");
                result.putObject("capabilities").putObject("tools");
            }
            case "tools/list" -> tools.forEach(result.putArray("tools")::add);
            default ->
                result.putArray("content")
                        .addObject()
                        .put("type", "text")
                        .put("text", "Echo: " + request.at("/params/arguments/message").asString(""));
        }
        var bytes = answer.toString().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }
}

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Measures what a call of an installed server's tool takes beyond the same call of the server itself, on loopback, in turns. */
final class Upstreams implements Bench.Benchmark {
    private static final String TOOL = """
            {"name": "echo", "description": "Echoes a text.", "annotations": {"readOnlyHint": true},
             "inputSchema": {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]}}""";

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @Override
    public String words() {
        return "a call through the engine beside the same call of its upstream server [--rounds 20] [--calls 200]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var rounds = options.number("rounds", 20);
        var calls = options.number("calls", 200);
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        var tools = List.of((ObjectNode) Callers.JSON.readTree(TOOL));
        server.createContext("/mcp", exchange -> answer(exchange, tools));
        server.start();
        try (var engine = Engine.startIn(Map.of("ENGINE_UPSTREAMS_ALLOW", "127.0.0.0/8"));
                var usage = new Usage(engine.pid(), engine.postmaster(), true)) {
            var url = "http://127.0.0.1:%d/mcp".formatted(server.getAddress().getPort());
            new Callers(engine.url(), engine.key())
                    .call(new Callers.Work("UP_Install", Map.of("name", "demo", "url", url, "approve", "all")));
            var proxied = engine.url() + "/mcp";
            slice(url, "", "echo", 10 * calls); // Warm.
            slice(proxied, engine.key(), "demo_echo", 10 * calls);
            var direct = new Callers.Latencies(new long[0]);
            var through = new Callers.Latencies(new long[0]);
            var spent = 0.0;
            for (var round = 0; round < rounds; round++) {
                direct = direct.with(slice(url, "", "echo", calls));
                var before = usage.now();
                through = through.with(slice(proxied, engine.key(), "demo_echo", calls));
                var used = usage.now().minus(before);
                spent += used.jvm() + used.postgres();
            }
            System.out.printf("direct           %s%n", direct);
            System.out.printf("through          %s%n", through);
            System.out.printf(
                    "beyond it        p50 %6.2f ms; processor time of the engine and its database %.0f µs a call%n",
                    through.millis(0.5) - direct.millis(0.5), spent / rounds / calls);
        } finally {
            server.stop(0);
        }
    }

    private Callers.Latencies slice(String url, String key, String tool, int calls) throws Exception {
        var body = """
                {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "%s", "arguments": {"message": "hi"},
                 "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}}"""
                .formatted(tool);
        var request = HttpRequest.newBuilder(URI.create(url))
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream")
                .header("MCP-Protocol-Version", "2026-07-28")
                .header("Mcp-Method", "tools/call")
                .header("Mcp-Name", tool)
                .header("X-Api-Key", key)
                .POST(BodyPublishers.ofString(body))
                .build();
        var durations = new ArrayList<Long>();
        for (var i = 0; i < calls; i++) {
            var start = System.nanoTime();
            var response = http.send(request, BodyHandlers.ofString());
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

import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Members of one tenant send small requests that would be much work: globs to compare, edits of many files, headings to number, a
 * zip to unpack, tools of a server whose schemas and answers grow. Others go on reading, and the work ends with its clients. The
 * engine has the heap of the launcher, 1 GiB.
 */
final class Freeze implements Bench.Benchmark {
    private static final double SECOND = 1e9;
    private static final int LINES = 16_000_000;
    private static final int LEVELS = 9;
    private static final int REFERENCES = 20;
    private static final int VALUES = 2_700_000;

    @Override
    public String words() {
        return "small requests that would be much work; others read meanwhile [--clients 8 --rounds 3]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var upstream = upstream();
        var allowed = Map.of("ENGINE_UPSTREAMS_ALLOW", "127.0.0.0/8");
        try (var engine = Engine.startIn(allowed)) {
            var key = engine.key();
            var callers = new Callers(engine.url(), key);
            Workspace.domain(callers, 2);
            callers.call(new Callers.Work("MB_Create", Map.of("vx", Map.of("name", "Notes", "description", "Of the drill."))));
            reserve(new Callers(engine.url(), bound(callers, "Agent0")), "{b,a*}", "[x]", 600);
            var url = "http://127.0.0.1:%d/".formatted(upstream.getAddress().getPort());
            callers.call(new Callers.Work("UP_Install", Map.of("name", "large", "url", url + "large", "approve", "all")));
            var other = new Callers(engine.url(), engine.tenant("other"));
            other.call(new Callers.Work("AP_Create", Map.of("vx", Map.of("name", "Reader", "description", "Reads."))));
            read(other, 2);
            System.out.printf("%-18s others' AP_Read at most %.2f s%n", "nothing else", read(other, 4));
            var worst = 0.0;
            var attacks = attacks(engine.url(), key, bound(callers, "Agent1"));
            attacks.put("schema", post(engine.url(), key, "/api/mcp/upstreams", Map.of("name", "deep", "url", url + "deep", "dry_run", true)));
            attacks.put("answer", post(engine.url(), key, "/api/mcp/tools/large_list/invoke", Map.of()));
            for (var attack : attacks.entrySet()) {
                for (var round = 0; round < options.number("rounds", 3); round++) {
                    worst = Math.max(worst, attack(engine, other, attack.getKey(), attack.getValue(), options.number("clients", 8)));
                }
            }
            if (worst > 1) {
                throw new IllegalStateException("others waited %.2f s".formatted(worst));
            }
        } finally {
            upstream.stop(0);
        }
    }

    /** Starts two servers: a tool of one has a schema whose references grow, and a tool of the other an answer of many values. */
    private static HttpServer upstream() throws IOException {
        var tool = Callers.JSON.createObjectNode().put("name", "list").put("description", "Lists the files of a folder.");
        tool.putObject("annotations").put("readOnlyHint", true);
        var plain = tool.deepCopy();
        plain.putObject("inputSchema").put("type", "object");
        var schema = tool.putObject("inputSchema").put("type", "object").put("$ref", "#/$defs/level0");
        for (var level = 0; level < LEVELS; level++) {
            var properties = schema.withObject("/$defs").putObject("level" + level).putObject("properties");
            for (var i = 0; i < REFERENCES; i++) {
                properties.putObject("p" + i).put("$ref", "#/$defs/level" + (level + 1));
            }
        }
        schema.withObject("/$defs").putObject("level" + LEVELS).put("type", "string");
        var end = ("{},".repeat(VALUES) + "{}]}}").getBytes(StandardCharsets.US_ASCII);
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/deep", exchange -> Upstreams.answer(exchange, List.of(tool)));
        server.createContext("/large", exchange -> {
            var request = Callers.JSON.readTree(exchange.getRequestBody().readAllBytes());
            if (request.path("method").asString("").equals("tools/call")) {
                var begin = "{\"jsonrpc\": \"2.0\", \"id\": %s, \"result\": {\"resultType\": \"complete\", \"content\": ["
                        .formatted(request.path("id"))
                        .getBytes(StandardCharsets.US_ASCII);
                exchange.getResponseHeaders().add("Content-Type", "application/json");
                exchange.sendResponseHeaders(200, begin.length + end.length);
                exchange.getResponseBody().write(begin);
                exchange.getResponseBody().write(end);
                exchange.close();
            } else {
                Upstreams.answer(exchange, request, List.of(plain));
            }
        });
        server.start();
        return server;
    }

    /** Returns a key of the agent. */
    private static String bound(Callers callers, String agent) throws Exception {
        return callers.call(new Callers.Work("AK_Create", Map.of("name", agent, "capabilities", List.of("*"), "agent", agent)))
                .path("api_key")
                .asString();
    }

    /** Reserves paths in portions of 50. */
    private static void reserve(Callers callers, String part, String end, int count) throws Exception {
        for (var from = 0; from < count; from += 50) {
            var begin = from;
            var paths = IntStream.range(0, 50).mapToObj(i -> part.repeat(46) + (begin + i) + end).toList();
            callers.call(new Callers.Work(
                    "TK_Reserve", Map.of("target", Map.of("domain", "bench"), "paths", paths)));
        }
    }

    private static Map<String, byte[]> attacks(String url, String key, String bound) throws IOException {
        var all = new LinkedHashMap<String, byte[]>();
        var globs = IntStream.range(0, 50).mapToObj(i -> "{a,b*}".repeat(46) + i + "[y]").toList();
        all.put("globs", post(url, bound, "/demo/v1/Engine/tps/task/reserve", Map.of("target", Map.of("domain", "bench"), "paths", globs)));
        var lines = IntStream.range(0, 20_000)
                .mapToObj(i -> "*** Update File: " + "ab".repeat(10) + i)
                .collect(Collectors.joining("\n"));
        all.put("files of an edit", post(url, bound, "/api/hooks/codex", Map.of(
                "hook_event_name", "PreToolUse", "session_id", "s", "cwd", "/r", "tool_name", "apply_patch", "tool_input", Map.of("patch", lines))));
        all.put("headings", post(url, key, "/demo/v1/Engine/tps/memory/import", Map.of(
                "target", Map.of("bank", "Notes"), "format", "markdown", "dry_run", true, "data", "# a\nb\n".repeat(110_000))));
        all.put("lines of a zip", post(url, key, "/demo/v1/Engine/tps/memory/import", Map.of(
                "target", Map.of("bank", "Notes"), "format", "markdown", "dry_run", true, "data", zip())));
        return all;
    }

    /** Returns a small zip of a file with many lines, in base64. */
    private static String zip() throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var zip = new ZipOutputStream(bytes)) {
            zip.putNextEntry(new ZipEntry("a.md"));
            zip.write("\n".repeat(LINES).getBytes(StandardCharsets.US_ASCII));
        }
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }

    private static byte[] post(String url, String key, String path, Map<String, ?> body) {
        var bytes = Callers.JSON.writeValueAsBytes(body);
        var head = "POST %s HTTP/1.1\r\nHost: %s\r\nX-Api-Key: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                .formatted(path, URI.create(url).getAuthority(), key, bytes.length)
                .getBytes(StandardCharsets.US_ASCII);
        var request = new byte[head.length + bytes.length];
        System.arraycopy(head, 0, request, 0, head.length);
        System.arraycopy(bytes, 0, request, head.length, bytes.length);
        return request;
    }

    /** Sends the request from several clients, reads for two seconds, closes them, and returns the longest read in seconds. */
    private static double attack(Engine engine, Callers other, String name, byte[] request, int clients) throws Exception {
        var at = URI.create(engine.url());
        var sockets = new ArrayList<Socket>();
        for (var i = 0; i < clients; i++) {
            var socket = new Socket(at.getHost(), at.getPort());
            socket.getOutputStream().write(request);
            sockets.add(socket);
        }
        var worst = read(other, 2);
        for (var socket : sockets) {
            socket.close();
        }
        Thread.sleep(1_000);
        var before = processorTime(engine);
        Thread.sleep(1_000);
        var busy = (processorTime(engine) - before) / SECOND;
        System.out.printf("%-18s others' AP_Read at most %.2f s; a second after the clients have gone the engine uses %.2f processors%n", name, worst, busy);
        if (busy > 0.8) {
            throw new IllegalStateException("the work did not end with its clients");
        }
        return worst;
    }

    private static double read(Callers other, double seconds) throws Exception {
        var worst = 0.0;
        for (var begin = System.nanoTime(); System.nanoTime() - begin < seconds * SECOND; Thread.sleep(20)) {
            var start = System.nanoTime();
            other.call(new Callers.Work("AP_Read", Map.of("target", Map.of("agent", "Reader"))));
            worst = Math.max(worst, (System.nanoTime() - start) / SECOND);
        }
        return worst;
    }

    private static long processorTime(Engine engine) {
        return ProcessHandle.of(engine.pid())
                .flatMap(process -> process.info().totalCpuDuration())
                .orElseThrow()
                .toNanos();
    }
}

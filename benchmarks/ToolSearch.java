import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLClassLoader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Installs twenty servers with 741 tools, and measures how often {@code find_tools} finds the right one for tasks in plain words,
 * and what the lists of tools cost a model with and without the engine.
 */
final class ToolSearch implements Bench.Benchmark {
    private static final Pattern WORD = Pattern.compile("[a-z]{3,}");
    private static final int STEM = 5;

    /** A text without a word of any tool: what is found for it shows whether tools are found by meaning yet. */
    private static final String NONSENSE = "qxzv";

    /** Words that say nothing about a task. */
    private static final Set<String> FILLERS = Set.of(
            "the", "and", "for", "its", "this", "that", "with", "from", "into", "one", "who", "what", "how", "was", "are", "not", "all",
            "other", "others", "any", "when", "own", "where", "has", "have", "can", "may", "again", "about");

    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @Override
    public String words() {
        return "741 tools of 20 servers: what find_tools finds, and the tokens of lists [--tokenizer jtokkit.jar]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var servers = SampleServers.read();
        var count = servers.values().stream().mapToInt(List::size).sum();
        var tasks = SampleServers.tasks("server-tasks.txt");
        var others = SampleServers.tasks("server-tasks-other-words.txt");
        check(servers, others);
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        servers.forEach((name, tools) -> server.createContext(
                "/" + name, exchange -> Upstreams.answer(exchange, tools.stream().map(SampleServers.Sample::definition).toList())));
        server.start();
        try (var engine = Engine.startIn(Map.of("ENGINE_UPSTREAMS_ALLOW", "127.0.0.0/8"))) {
            var tokens = Tokens.of(options.text("tokenizer"));
            var before = tokens.of(servers.values().stream().flatMap(List::stream).map(tool -> tool.definition().toString()).toList());
            var empty = tokens.of(list(engine, "work"));
            for (var name : servers.keySet()) {
                new Callers(engine.url(), engine.key())
                        .call(new Callers.Work("UP_Install", Map.of(
                                "name", name, "url", "http://127.0.0.1:%d/%s".formatted(server.getAddress().getPort(), name), "approve", "all")));
            }
            var all = list(engine, "all");
            var installed = all.stream().filter(tool -> tool.contains("[Tool of the server")).count();
            if (installed != count) {
                throw new IllegalStateException("%d of %d tools are listed".formatted(installed, count));
            }
            System.out.printf("%d tools of %d servers; %s%n", count, servers.size(), tokens.words());
            System.out.printf("  their own lists, read by a client of each     %,8d tokens%n", before);
            System.out.printf("  the toolset 'discovery' with all of them      %,8d tokens%n", tokens.of(list(engine, "discovery")));
            System.out.printf("  the toolset 'work' with all of them           %,8d tokens, %,d before%n", tokens.of(list(engine, "work")), empty);
            System.out.printf("  the toolset 'default' with all of them        %,8d tokens%n", tokens.of(list(engine, "default")));
            awaitMeanings(engine);
            rank(engine, "in plain words", servers, tasks);
            rank(engine, "in none of the tool's words", servers, others);
        } finally {
            server.stop(0);
        }
    }

    /** Asks until tools are found that share no word with the query, which happens when all of them have vectors. */
    private void awaitMeanings(Engine engine) throws Exception {
        var byWords = find(engine, NONSENSE);
        while (find(engine, NONSENSE).equals(byWords)) {
            Thread.sleep(1_000);
        }
    }

    private void rank(Engine engine, String how, Map<String, List<SampleServers.Sample>> servers, Map<String, String> tasks)
            throws Exception {
        var first = 0;
        var amongFive = 0;
        var missed = new ArrayList<String>();
        for (var task : tasks.entrySet()) {
            var found = find(engine, task.getKey());
            var expected = name(task.getValue(), servers);
            var place = found.indexOf(expected);
            first += place == 0 ? 1 : 0;
            amongFive += place >= 0 && place < 5 ? 1 : 0;
            if (place < 0 || place >= 5) {
                missed.add("%s: %s, not %s".formatted(task.getKey(), expected, found.stream().limit(5).toList()));
            }
        }
        System.out.printf(
                "  find_tools, %-28s recall@1 %.3f   recall@5 %.3f   %d tasks%n",
                how + ":", first / (double) tasks.size(), amongFive / (double) tasks.size(), tasks.size());
        missed.forEach(each -> System.out.println("  missed: " + each));
    }

    /** Returns what a tool is called in the engine. */
    private static String name(String key, Map<String, List<SampleServers.Sample>> servers) {
        var server = key.substring(0, key.indexOf(' '));
        return servers.get(server).stream()
                .filter(tool -> tool.key().equals(key))
                .map(tool -> server + "_" + tool.name().replaceAll("[^A-Za-z0-9_-]", "_"))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no tool " + key));
    }

    /** A task that repeats words of its tool would measure nothing. */
    private static void check(Map<String, List<SampleServers.Sample>> servers, Map<String, String> tasks) {
        var all = servers.values().stream().flatMap(List::stream).collect(Collectors.toMap(SampleServers.Sample::key, tool -> tool));
        tasks.forEach((task, key) -> {
            var tool = all.get(key);
            if (tool == null) {
                throw new IllegalStateException("no tool " + key);
            }
            var own = stems(SampleServers.words(tool.name()) + " " + tool.definition().path("description").asString());
            own.retainAll(stems(task));
            if (!own.isEmpty()) {
                throw new IllegalStateException("'%s' has words of its tool: %s".formatted(task, own));
            }
        });
    }

    private static Set<String> stems(String text) {
        return WORD.matcher(text.toLowerCase(java.util.Locale.ROOT)).results()
                .map(word -> word.group())
                .filter(word -> !FILLERS.contains(word))
                .map(word -> word.length() > STEM ? word.substring(0, STEM) : word)
                .collect(Collectors.toSet());
    }

    private List<String> find(Engine engine, String query) throws Exception {
        var params = Callers.JSON.createObjectNode().put("name", "find_tools");
        params.putObject("arguments").put("query", query);
        return ask(engine, "", "tools/call", params).at("/content/0/text").asString().lines()
                .map(line -> line.substring(0, line.indexOf(' ')))
                .toList();
    }

    /** Returns all entries of a list of tools. */
    private List<String> list(Engine engine, String toolset) throws Exception {
        var entries = new ArrayList<String>();
        var params = Callers.JSON.createObjectNode();
        while (true) {
            var page = ask(engine, "/x/" + toolset, "tools/list", params);
            for (var tool : page.path("tools")) {
                ((ObjectNode) tool).remove("_meta"); // No model reads that.
                entries.add(tool.toString());
            }
            if (!page.has("nextCursor")) {
                return entries;
            }
            params.put("cursor", page.path("nextCursor").asString());
        }
    }

    private JsonNode ask(Engine engine, String path, String method, ObjectNode params) throws Exception {
        var body = Callers.JSON.createObjectNode().put("jsonrpc", "2.0").put("id", 1).put("method", method);
        body.set("params", params);
        var request = HttpRequest.newBuilder(URI.create(engine.url() + "/mcp" + path))
                .header("Content-Type", "application/json")
                .header("X-Api-Key", engine.key())
                .POST(BodyPublishers.ofString(body.toString()))
                .build();
        var answer = Callers.JSON.readTree(http.send(request, BodyHandlers.ofString()).body());
        if (!answer.has("result")) {
            throw new IOException("no answer: " + answer);
        }
        return answer.path("result");
    }

    /** Counts tokens as models do, with the library jtokkit where it is given; else estimates them. */
    private record Tokens(Object encoding) {
        static Tokens of(String jar) throws Exception {
            try {
                var loader = jar == null
                        ? ToolSearch.class.getClassLoader()
                        : new URLClassLoader(new java.net.URL[] {Path.of(jar).toUri().toURL()});
                var registry = loader.loadClass("com.knuddels.jtokkit.Encodings").getMethod("newDefaultEncodingRegistry").invoke(null);
                var found = loader.loadClass("com.knuddels.jtokkit.api.EncodingRegistry")
                        .getMethod("getEncoding", String.class)
                        .invoke(registry, "o200k_base");
                return new Tokens(((java.util.Optional<?>) found).orElseThrow());
            } catch (ClassNotFoundException e) {
                return new Tokens(null);
            }
        }

        String words() {
            return encoding == null ? "tokens are estimated, 4 characters each" : "tokens are those of o200k_base";
        }

        int of(List<String> entries) throws Exception {
            var total = 0;
            for (var entry : entries) {
                total += encoding == null
                        ? entry.length() / 4
                        : (int) Class.forName("com.knuddels.jtokkit.api.Encoding", true, encoding.getClass().getClassLoader())
                                .getMethod("countTokens", String.class)
                                .invoke(encoding, entry);
            }
            return total;
        }
    }
}

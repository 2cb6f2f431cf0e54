import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Three agents write at the same time: they store 1,000 lines of Markdown as memories in two banks, and send messages about
 * them in two zones, all over MCP. Then the program reads the counts back over REST, and fails if they differ.
 *
 * <p>Run it with {@code ./engine example <url> <key>} while the engine runs.
 */
final class ParallelWriters {
    private static final int MEMORIES = Integer.getInteger("example.memories", 1_000);
    private static final List<String> AGENTS = List.of("Writer one", "Writer two", "Writer three");
    private static final List<String> ZONES = List.of("main", "review");
    private static final List<String> BANKS = List.of("Even lines", "Odd lines");
    private static final JsonMapper JSON = new JsonMapper();

    private final HttpClient http = HttpClient.newHttpClient();
    private final String url;
    private final String key;
    /** Names of this run, so that it can be run again on the same engine. */
    private final String run = Long.toString(System.currentTimeMillis(), 36);

    private ParallelWriters(String url, String key) {
        this.url = url;
        this.key = key;
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length == 3 && arguments[0].equals("--remove")) {
            new ParallelWriters(arguments[1], arguments[2]).remove();
            return;
        }
        if (arguments.length < 2) {
            System.err.println("usage: ./engine example [--remove] <url> <key> [folder with .md files]");
            System.exit(2);
        }
        var folder = Path.of(arguments.length > 2 ? arguments[2] : ".");
        new ParallelWriters(arguments[0], arguments[1]).run(lines(folder));
    }

    private void run(List<String> lines) throws Exception {
        var began = System.nanoTime();
        setUp();
        var said = write(lines);
        agree("memories", lines.size(), BANKS.stream().mapToInt(this::countMemories).sum());
        agree("messages in zones", said, ZONES.stream().mapToInt(this::countMessages).sum());
        for (var agent : AGENTS) {
            var unread = rest("AP_LogOn", Map.of("target", Map.of("agent", own(agent), "context", own(agent))));
            agree("unread of " + agent + " at the end", 0, unread.at("/header/unread").asInt());
        }
        System.out.printf("the counts agree, after %.1f s%n", (System.nanoTime() - began) / 1e9);
    }

    /** Deletes what all runs with this key's rights created. Messages stay under the agents' names, as they always do. */
    private void remove() {
        for (var bank : BANKS) {
            for (var name : named("MB_List", "bank", bank)) {
                rest("MB_Delete", Map.of("target", Map.of("bank", name)));
                rest("MB_Destroy", Map.of("target", Map.of("bank", name)));
                System.out.println("deleted the bank " + name);
            }
        }
        for (var name : named("DM_List", "domain", "Writers")) {
            rest("DM_Destroy", Map.of("target", Map.of("domain", name)));
            System.out.println("deleted the domain " + name);
        }
        for (var agent : AGENTS) {
            for (var name : named("AP_List", "agent", agent)) {
                rest("AP_Destroy", Map.of("target", Map.of("agent", name)));
                System.out.println("deleted the agent " + name);
            }
        }
    }

    /** The names of things of runs: what the run's number is after. */
    private List<String> named(String list, String kind, String name) {
        var found = rest(list, Map.of("target", Map.of(kind, name), "page", Map.of("limit", 200)));
        return found.path("profile").valueStream()
                .map(one -> one.path("name").asString())
                .filter(one -> one.matches(name + " [0-9a-z]{8}"))
                .toList();
    }

    /** One domain with a second zone, and two banks that all three may write to. */
    private void setUp() {
        for (var agent : AGENTS) {
            mcp("AP_Create", Map.of("vx", Map.of("name", own(agent), "description", "Stores lines of documents.")));
            mcp("AP_LogOn", Map.of("target", Map.of("agent", own(agent), "context", own(agent))));
        }
        var host = own(AGENTS.getFirst());
        // They report more than agents may among themselves, unless the owner of the domain allows it.
        mcp("DM_Create", Map.of(
                "target", Map.of("agent", host),
                "vx", Map.of("name", own("Writers"), "description", "Where the writers report what they stored."),
                "guard", Map.of("per_minute", 600)));
        for (var agent : AGENTS.subList(1, AGENTS.size())) {
            mcp("DM_Invite", Map.of("target", Map.of("domain", own("Writers"), "agent", own(agent))));
        }
        mcp("ZN_Create", Map.of("target", Map.of("domain", own("Writers")), "vx", Map.of("name", "review")));
        for (var bank : BANKS) {
            mcp("MB_Create", Map.of("vx", Map.of("name", own(bank)), "target", Map.of("agent", host)));
        }
    }

    /** The three write at the same time, each every third line, with one key, in contexts of their own. */
    private int write(List<String> lines) throws InterruptedException, ExecutionException {
        var writers = new ArrayList<Callable<Integer>>();
        for (var i = 0; i < AGENTS.size(); i++) {
            var turn = i;
            writers.add(() -> write(AGENTS.get(turn), turn, lines));
        }
        var said = 0;
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var writer : threads.invokeAll(writers)) {
                said += writer.get();
            }
        }
        for (var agent : AGENTS) {
            readUp(agent);
        }
        return said;
    }

    private void say(String zone, String context, String content) {
        mcp("AP_Chat", Map.of(
                "target", Map.of("domain", own("Writers"), "zone", zone, "context", context), "content", content));
    }

    private int write(String agent, int turn, List<String> lines) {
        var said = 0;
        for (var i = turn; i < lines.size(); i += AGENTS.size()) {
            var line = lines.get(i);
            var bank = BANKS.get(i % BANKS.size());
            mcp("MB_Store", Map.of(
                    "target", Map.of("bank", own(bank), "context", own(agent)),
                    "vx", Map.of("name", "line " + i, "tags", List.of("example")),
                    "content", line));
            if (i % 5 < 3) {
                var zone = ZONES.get(i % ZONES.size());
                // A longer text would stay unread until a call returns the whole of it.
                say(zone, own(agent), "Stored in %s: %s".formatted(bank, line.replaceFirst("(.{400}).*", "$1")));
                said++;
            }
        }
        return said;
    }

    /** Reads what is still waiting for the agent, in both zones. */
    private void readUp(String agent) {
        for (var zone : ZONES) {
            mcp("ZN_Read", Map.of(
                    "target", Map.of("domain", own("Writers"), "zone", zone, "context", own(agent)),
                    "page", Map.of("limit", 200)));
        }
    }

    private int countMemories(String bank) {
        return count("MB_Read", Map.of("bank", own(bank)));
    }

    private int countMessages(String zone) {
        return count("ZN_Read", Map.of("domain", own("Writers"), "zone", zone));
    }

    /** Counts the content of all pages. */
    private int count(String command, Map<String, String> target) {
        var count = 0;
        var cursor = "";
        do {
            var page = new LinkedHashMap<String, Object>(Map.of("limit", 200));
            if (!cursor.isEmpty()) {
                page.put("cursor", cursor);
            }
            var answer = rest(command, Map.of("target", target, "page", page));
            count += answer.get("content").size();
            cursor = answer.path("next_cursor").asString("");
        } while (!cursor.isEmpty());
        return count;
    }

    private String own(String name) {
        return name + " " + run;
    }

    private static void agree(String what, int expected, int found) {
        System.out.printf("%-45s %5d, read back through REST: %d%n", what, expected, found);
        if (expected != found) {
            System.err.println("the counts differ");
            System.exit(1);
        }
    }

    private JsonNode mcp(String tool, Map<String, ?> arguments) {
        var call = Map.of(
                "jsonrpc", "2.0",
                "id", "1",
                "method", "tools/call",
                "params", Map.of("name", tool, "arguments", arguments));
        return done(tool, post("/mcp", call).at("/result/structuredContent"));
    }

    private JsonNode rest(String command, Map<String, ?> body) {
        var request = new LinkedHashMap<String, Object>(body);
        request.put("service", command);
        return done(command, post("/demo/v1/Engine/tps", request));
    }

    private static JsonNode done(String command, JsonNode envelope) {
        if (!envelope.at("/status/success").asBoolean()) {
            throw new IllegalStateException(command + ": " + envelope.at("/status/note").asString("no answer"));
        }
        return envelope;
    }

    /** Sends a request; after a 429 it waits as long as Retry-After says, and tries again. */
    private JsonNode post(String path, Object body) {
        try {
            var request = HttpRequest.newBuilder(URI.create(url + path))
                    .header("Content-Type", "application/json")
                    .header("X-API-Key", key)
                    .POST(HttpRequest.BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body)))
                    .build();
            while (true) {
                var answer = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
                if (answer.statusCode() != 429) {
                    return JSON.readTree(answer.body());
                }
                Thread.sleep(Duration.ofSeconds(answer.headers().firstValueAsLong("Retry-After").orElse(1)));
            }
        } catch (IOException e) {
            throw new IllegalStateException("cannot reach " + url, e);
        } catch (InterruptedException e) {
            throw new IllegalStateException("stopped", e);
        }
    }

    /** The first thousand lines with something in them, of the Markdown files below the folder. */
    private static List<String> lines(Path folder) throws IOException {
        var lines = new ArrayList<String>();
        try (var files = Files.walk(folder)) {
            for (var file : files.filter(ParallelWriters::isDocument).sorted().toList()) {
                Files.readAllLines(file).stream().map(String::strip).filter(line -> line.length() > 3).forEach(lines::add);
            }
        }
        if (lines.size() < MEMORIES) {
            throw new IllegalStateException("only %d lines of Markdown below %s, %d are needed"
                    .formatted(lines.size(), folder.toAbsolutePath(), MEMORIES));
        }
        return lines.subList(0, MEMORIES);
    }

    private static boolean isDocument(Path file) {
        var path = file.toString();
        return path.endsWith(".md") && !path.contains("target") && !path.contains("node_modules");
    }
}

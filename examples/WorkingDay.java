import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A working day of three agents in one domain with two zones and two banks. They read the project's own documents: the
 * reader stores what it reads as memories and tells of it, the critic doubts, the editor decides, and a person tells them to
 * go on. Everything is said and stored over MCP; at the end the figures are read back through REST, and must agree.
 *
 * <p>Run it with {@code ./engine example <url> <key>} while the engine runs.
 */
final class WorkingDay {
    private static final int MEMORIES = 1_000;
    private static final List<String> AGENTS = List.of("Reader", "Critic", "Editor");
    private static final List<String> ZONES = List.of("main", "review");
    private static final List<String> BANKS = List.of("Facts", "Doubts");
    private static final JsonMapper JSON = new JsonMapper();

    private final HttpClient http = HttpClient.newHttpClient();
    private final String url;
    private final String key;
    /** Names of this run, so that it can be run again on the same engine. */
    private final String run = Long.toString(System.currentTimeMillis(), 36);

    private WorkingDay(String url, String key) {
        this.url = url;
        this.key = key;
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length < 2) {
            System.err.println("usage: ./engine example <url> <key> [folder with .md files]");
            System.exit(2);
        }
        var folder = Path.of(arguments.length > 2 ? arguments[2] : ".");
        new WorkingDay(arguments[0], arguments[1]).play(pieces(folder));
    }

    private void play(List<String> pieces) throws Exception {
        var began = System.nanoTime();
        setUp();
        var said = work(pieces);
        agree("memories", pieces.size(), BANKS.stream().mapToInt(this::countMemories).sum());
        agree("messages in zones", said, ZONES.stream().mapToInt(this::countMessages).sum());
        for (var agent : AGENTS) {
            var unread = rest("AP_LogOn", Map.of("target", Map.of("agent", own(agent), "context", own(agent))));
            agree("unread of " + agent + " at the end of its day", 0, unread.at("/header/unread").asInt());
        }
        System.out.printf("agreed, after %.1f s%n", (System.nanoTime() - began) / 1e9);
    }

    /** One domain, hosted by the reader, with a second zone, and two banks that all three may write to. */
    private void setUp() {
        for (var agent : AGENTS) {
            mcp("AP_Create", Map.of("vx", Map.of("name", own(agent), "description", "Works with documents.")));
            mcp("AP_LogOn", Map.of("target", Map.of("agent", own(agent), "context", own(agent))));
        }
        var host = own(AGENTS.getFirst());
        mcp("DM_Create", Map.of(
                "target", Map.of("agent", host),
                "vx", Map.of("name", own("Reading room"), "description", "Where documents are read.")));
        for (var agent : AGENTS.subList(1, AGENTS.size())) {
            mcp("DM_Invite", Map.of("target", Map.of("domain", own("Reading room"), "agent", own(agent))));
        }
        mcp("ZN_Create", Map.of("target", Map.of("domain", own("Reading room")), "vx", Map.of("name", "review")));
        for (var bank : BANKS) {
            mcp("MB_Create", Map.of("vx", Map.of("name", own(bank)), "target", Map.of("agent", host)));
        }
    }

    /** The three work at the same time, each on every third piece, under one key, in contexts of their own. */
    private int work(List<String> pieces) throws InterruptedException, ExecutionException {
        var shifts = new ArrayList<Callable<Integer>>();
        for (var i = 0; i < AGENTS.size(); i++) {
            var turn = i;
            shifts.add(() -> shift(AGENTS.get(turn), turn, pieces));
        }
        var said = 0;
        try (var office = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var shift : office.invokeAll(shifts)) {
                said += shift.get();
            }
        }
        for (var agent : AGENTS) {
            readUp(agent);
        }
        return said;
    }

    private void say(String zone, String context, String content) {
        mcp("AP_Chat", Map.of(
                "target", Map.of("domain", own("Reading room"), "zone", zone, "context", context), "content", content));
    }

    private int shift(String agent, int turn, List<String> pieces) {
        var said = 0;
        var heard = new HashMap<String, Integer>();
        for (var i = turn; i < pieces.size(); i += AGENTS.size()) {
            var piece = pieces.get(i);
            var bank = BANKS.get(i % BANKS.size());
            mcp("MB_Store", Map.of(
                    "target", Map.of("bank", own(bank), "context", own(agent)),
                    "vx", Map.of("name", "piece " + i, "tags", List.of(agent, "day")),
                    "content", piece));
            if (i % 5 < 3) {
                var zone = ZONES.get(i % ZONES.size());
                say(zone, own(agent), "Read, and kept in %s: %s".formatted(bank, piece));
                said++;
                // Agents that nobody speaks to are stopped after 30 messages in a zone.
                if (heard.merge(zone, 1, Integer::sum) % 6 == 0) {
                    say(zone, own("person"), "Thank you, go on.");
                    said++;
                }
            }
        }
        return said;
    }

    /** Reads what is still waiting for the agent, in both zones. */
    private void readUp(String agent) {
        for (var zone : ZONES) {
            mcp("ZN_Read", Map.of(
                    "target", Map.of("domain", own("Reading room"), "zone", zone, "context", own(agent)),
                    "page", Map.of("limit", 200)));
        }
    }

    private int countMemories(String bank) {
        return count("MB_Read", Map.of("bank", own(bank)));
    }

    private int countMessages(String zone) {
        return count("ZN_Read", Map.of("domain", own("Reading room"), "zone", zone));
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
            System.err.println("these do not agree");
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

    /** Waits and asks again when it is told to (429). */
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
    private static List<String> pieces(Path folder) throws IOException {
        var pieces = new ArrayList<String>();
        try (var files = Files.walk(folder)) {
            for (var file : files.filter(WorkingDay::isDocument).sorted().toList()) {
                Files.readAllLines(file).stream().map(String::strip).filter(line -> line.length() > 3).forEach(pieces::add);
            }
        }
        if (pieces.size() < MEMORIES) {
            throw new IllegalStateException("only %d lines of Markdown below %s, %d are needed"
                    .formatted(pieces.size(), folder.toAbsolutePath(), MEMORIES));
        }
        return pieces.subList(0, MEMORIES);
    }

    private static boolean isDocument(Path file) {
        var path = file.toString();
        return path.endsWith(".md") && !path.contains("target") && !path.contains("node_modules");
    }
}

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.DriverManager;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * Compares the engine with what npm offers instead, each through its official TypeScript client and with one call at a time: memories
 * are stored and searched, an agent sends another one messages, and each server is killed and counted. benchmarks/peers has the clients.
 */
final class Peers implements Bench.Benchmark {
    private static final Path PAGE = Path.of("docs", "dev", "performance.md");
    private static final String BEGIN = "<!-- peers -->\n";
    private static final String END = "<!-- /peers -->\n";
    private static final Path SOURCES = Path.of("benchmarks", "peers");
    private static final List<String> OTHERS = List.of("server-memory", "mcp-memory-keeper");

    private final List<String> memories = new ArrayList<>();
    private final List<String> calls = new ArrayList<>();
    private Path directory = Path.of("");
    private int seconds;

    @Override
    public String words() {
        return "memories and messages here and with what npm offers [--seconds 60: at most, to store] [--write 1: into docs/dev/performance.md] [--short 1: quick]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var isShort = options.number("short", 0) > 0;
        var sizes = isShort ? List.of(100, 300) : List.of(1_000, 10_000);
        var messages = isShort ? 50 : 200;
        seconds = options.number("seconds", isShort ? 10 : 60);
        directory = install();
        for (var size : sizes) {
            engine(size, size.equals(sizes.getLast()) ? messages : 0);
            for (var other : OTHERS) {
                var folder = Files.createTempDirectory(directory, other);
                memories.add(row(version(other), size, node("memories", other, size, folder.toString())));
            }
        }
        var a2a = node("a2a", "a2a", messages, "");
        calls.add(call("message, " + version("a2a") + ", until the other agent has accepted it", a2a.path("send"), megabytes(a2a), a2a));
        var echo = node("echo", "echo", messages, "");
        calls.add(call("call of a tool that returns its argument, " + version("echo"), echo.path("call"), megabytes(echo), echo));
        var table = table();
        System.out.print(table);
        if (options.number("write", 0) > 0) {
            var page = Files.readString(PAGE);
            Files.writeString(PAGE, page.substring(0, page.indexOf(BEGIN) + BEGIN.length()) + table + page.substring(page.indexOf(END)));
        }
    }

    private void engine(int size, int messages) throws Exception {
        var data = Files.createTempDirectory("bench-peers").toString();
        JsonNode stored;
        JsonNode sent = null;
        String memory;
        try (var engine = Engine.startWith(data)) {
            stored = node("memories", "engine", size, "", engine.url(), engine.key());
            if (messages > 0) {
                sent = messages(engine, messages);
            }
            memory = "%,d and %,d".formatted(engine.resident() >> 20, engine.residentPostgres() >> 20);
            engine.kill();
        }
        try (var engine = Engine.startWith(data)) {
            var found = node("survivors", "engine", stored.path("stored").asInt(), "", engine.url(), engine.key());
            check(engine, "memory", stored.path("stored").asInt());
            memories.add(row("the engine, its JVM and PostgreSQL", size, stored, memory, found.path("survived").asInt()));
            if (sent != null) {
                check(engine, "message", sent.path("sent").asInt());
                calls.add(call("message, the engine, until it is acknowledged", sent.path("send"), memory, sent));
                calls.add(call("the same, until the other agent has it", sent.path("arrival"), memory, sent));
            }
        } finally {
            new ProcessBuilder("rm", "-rf", data).start().waitFor();
        }
    }

    private JsonNode messages(Engine engine, int messages) throws Exception {
        var owner = new Callers(engine.url(), engine.key());
        return node("messages", "engine", messages, "", engine.url(), agent(owner, "Ada"), agent(owner, "Grace"));
    }

    /** Creates an agent that may be sent many messages, and returns the key of its program. */
    private static String agent(Callers owner, String name) throws Exception {
        owner.call(new Callers.Work("AP_Create", Map.of("vx", Map.of("name", name, "description", "Of the benchmark.", "access", "public"))));
        owner.call(new Callers.Work("AP_Modify", Map.of("target", Map.of("agent", name), "guard", Map.of("hops", 64, "per_minute", 600))));
        return owner.call(new Callers.Work("AK_Create", Map.of("name", name, "capabilities", List.of("*"), "agent", name)))
                .path("api_key")
                .asString();
    }

    private static void check(Engine engine, String table, int expected) throws Exception {
        try (var database = DriverManager.getConnection(engine.database());
                var rows = database.createStatement().executeQuery("SELECT count(*) FROM " + table)) {
            rows.next();
            if (rows.getInt(1) != expected) {
                throw new IllegalStateException("%d of %d rows of %s survived".formatted(rows.getInt(1), expected, table));
            }
        }
    }

    /** Installs the packages where the next run finds them: one is compiled, which takes minutes. */
    private static Path install() throws Exception {
        var directory = Files.createDirectories(Path.of(System.getProperty("java.io.tmpdir"), "engine-bench-peers"));
        for (var file : List.of("package.json", "peers.mjs", "a2a.mjs")) {
            Files.copy(SOURCES.resolve(file), directory.resolve(file), StandardCopyOption.REPLACE_EXISTING);
        }
        Files.copy(SOURCES.resolveSibling("echo.mjs"), directory.resolve("echo.mjs"), StandardCopyOption.REPLACE_EXISTING);
        var log = directory.resolve("npm.log");
        var install = new ProcessBuilder("npm", "install", "--no-audit", "--no-fund", "--silent")
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        if (install.waitFor() != 0) {
            throw new IOException("npm cannot install the other servers: " + Files.readString(log));
        }
        return directory;
    }

    /** Runs a part of peers.mjs and returns what it measured. */
    private JsonNode node(String what, String name, int size, String folder, String... more) throws Exception {
        var command = new ArrayList<>(List.of("node", "peers.mjs", what, name, Integer.toString(size), Integer.toString(seconds), folder));
        command.addAll(List.of(more));
        var process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        var output = process.inputReader().readLine();
        if (process.waitFor() != 0 || output == null) {
            throw new IllegalStateException("%s of %s failed".formatted(what, name));
        }
        System.err.printf("%s, %s, %d: %s%n", what, name, size, output);
        return Callers.JSON.readTree(output);
    }

    private String version(String name) throws IOException {
        var file = switch (name) {
            case "server-memory" -> "@modelcontextprotocol/server-memory";
            case "a2a" -> "@a2a-js/sdk";
            case "echo" -> "@modelcontextprotocol/server";
            default -> name;
        };
        var read = Callers.JSON.readTree(directory.resolve("node_modules").resolve(file).resolve("package.json").toFile());
        return "%s %s".formatted(file, read.path("version").asString());
    }

    private String row(String name, int size, JsonNode measured) {
        return row(name, size, measured, megabytes(measured), measured.path("survived").asInt());
    }

    private String row(String name, int size, JsonNode measured, String memory, int survived) {
        var searches = measured.at("/search/calls").asInt();
        var stored = measured.path("stored").asInt();
        return "| %s | %,d%s | %s | %s | %d of %d | %s | %d of %d |%n".formatted(
                name, size, stored < size ? " (%,d in %d s)".formatted(stored, seconds) : "",
                millis(measured.path("store")), millis(measured.path("search")), measured.path("found").asInt(), searches, memory, survived, searches);
    }

    private static String call(String name, JsonNode times, String memory, JsonNode measured) {
        var sent = measured.path("sent").asInt();
        var survived = measured.has("survived") ? measured.path("survived").asInt() : sent;
        return "| %s | %s | %s | %s |%n".formatted(name, millis(times), memory, sent == 0 ? "" : "%,d of %,d".formatted(survived, sent));
    }

    private static String millis(JsonNode times) {
        return times.path("calls").asInt() == 0
                ? "none in time | "
                : String.format(Locale.ROOT, "%.1f | %.1f", times.path("p50").asDouble(), times.path("p99").asDouble());
    }

    private static String megabytes(JsonNode measured) {
        return String.format(Locale.ROOT, "%,.0f", measured.path("resident").asDouble());
    }

    private String table() {
        return """

                Measured on %s with JDK %s, %d processors; milliseconds, and MB of resident memory.

                | memories in | how many | store, p50 | p99 | search, p50 | p99 | found | MB | after `kill -9` |
                |---|---|---|---|---|---|---|---|---|
                %s
                | one call after the other | p50 | p99 | MB | messages after `kill -9` |
                |---|---|---|---|---|
                %s
                """.formatted(
                        LocalDate.now(), Runtime.version().feature(), Runtime.getRuntime().availableProcessors(), String.join("", memories), String.join("", calls));
    }
}

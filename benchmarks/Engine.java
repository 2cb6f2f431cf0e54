import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** An engine in a separate process with an empty database. It has this process's class path and JVM options. */
final class Engine implements AutoCloseable {
    private static final Pattern TOTAL = Pattern.compile("(?m)^Total +\\d+ +(\\d+)$");
    private static final Pattern KEY = Pattern.compile("ek_\\w+");
    private static final String READY = "ready ";

    /** The main class. The tests set one that checks all messages. */
    private static final String PROGRAM = "io.agentworkspace.engine.app.Main";
    private static final String MAIN = System.getProperty("bench.engine", PROGRAM);

    private final Path directory;
    private final boolean isKept;
    private final Process process;
    private final Map<String, String> environment;
    private final String url;

    private Engine(Path directory, boolean isKept, Process process, Map<String, String> environment, String url) {
        this.directory = directory;
        this.environment = environment;
        this.isKept = isKept;
        this.process = process;
        this.url = url;
    }

    /** Starts an engine and returns when it is ready. Its data are deleted at the end. */
    static Engine start(String... flags) throws IOException {
        return start(Files.createTempDirectory("engine-bench"), false, flags);
    }

    /** Starts an engine on data that are kept, so that another run need not fill the database again; on new data if null. */
    static Engine startWith(@Nullable String kept) throws IOException {
        return kept == null ? start() : start(Files.createDirectories(Path.of(kept)), true);
    }

    /** Starts an engine that logs with this configuration of Logback. */
    static Engine startLogging(String logback) throws IOException {
        var directory = Files.createTempDirectory("engine-bench");
        var file = Files.writeString(directory.resolve("logback.xml"), logback);
        return start(directory, false, Map.of("JAVA_TOOL_OPTIONS", "-Dlogback.configurationFile=" + file));
    }

    /** Starts an engine with these settings. */
    static Engine startIn(Map<String, String> environment) throws IOException {
        return start(Files.createTempDirectory("engine-bench"), false, environment);
    }

    /** Starts an engine with these settings and data that are kept. */
    static Engine startOn(Path kept, Map<String, String> environment) throws IOException {
        return start(Files.createDirectories(kept), true, environment);
    }

    /** Starts an engine on this port with these settings. */
    static Engine startAt(int port, Map<String, String> environment) throws IOException {
        return start(Files.createTempDirectory("engine-bench"), false, environment, "--port", Integer.toString(port));
    }

    /** Starts an engine of another version with its own launcher. */
    static Engine startOther(Path launcher, Map<String, String> environment) throws IOException {
        return start(Files.createTempDirectory("engine-bench"), false, List.of(launcher.toString()), environment);
    }

    private static Engine start(Path directory, boolean isKept, String... flags) throws IOException {
        return start(directory, isKept, Map.of(), flags);
    }

    private static Engine start(Path directory, boolean isKept, Map<String, String> environment, String... flags) throws IOException {
        var command = new ArrayList<>(List.of(program("java")));
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> option.startsWith("-X"))
                .forEach(command::add);
        command.add(MAIN);
        return start(directory, isKept, command, environment, flags);
    }

    private static Engine start(
            Path directory, boolean isKept, List<String> program, Map<String, String> environment, String... flags)
            throws IOException {
        var command = new ArrayList<>(program);
        if (!List.of(flags).contains("--port")) {
            command.addAll(List.of("--port", "0"));
        }
        command.addAll(List.of("--rate-limit", "off", "--stranger-limit", "off", "--data-dir", directory.toString()));
        command.addAll(List.of(flags));
        var builder = new ProcessBuilder(command).redirectError(directory.resolve("engine.log").toFile());
        // Not on the command line: the runtime of the embedding model does not survive a long one.
        builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
        builder.environment().putAll(environment);
        var process = builder.start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroy)); // Also after Ctrl-C.
        var line = process.inputReader().readLine();
        while (line != null && !line.startsWith(READY)) {
            line = process.inputReader().readLine();
        }
        if (line == null) {
            throw new IOException("the engine did not start: " + Files.readString(directory.resolve("engine.log")));
        }
        return new Engine(directory, isKept, process, environment, line.substring(READY.length()));
    }

    private static String program(String name) {
        return Path.of(System.getProperty("java.home"), "bin", name).toString();
    }

    String url() {
        return url;
    }

    /** Returns a file beside the engine's data. */
    Path file(String name) {
        return directory.resolve(name);
    }

    Path log() {
        return directory.resolve("engine.log");
    }

    String key() throws IOException {
        var key = environment.get("ENGINE_BOOTSTRAP_KEY");
        return key != null
                ? key
                : Files.readString(directory.resolve("first-api-key")).strip();
    }

    /** Creates another tenant, and returns its key. */
    String tenant(String name) throws IOException {
        var classPath = System.getProperty("java.class.path");
        return output(environment, program("java"), "-cp", classPath, PROGRAM, "tenant", "create", name, "--data-dir", directory.toString())
                .lines()
                .map(KEY::matcher)
                .filter(Matcher::find)
                .map(Matcher::group)
                .findFirst()
                .orElseThrow();
    }

    /** Runs a command of the engine that needs only these settings, and returns what it printed. */
    static String command(Map<String, String> environment, String... words) throws IOException {
        var command = new ArrayList<>(List.of(program("java"), "-cp", System.getProperty("java.class.path"), PROGRAM));
        command.addAll(List.of(words));
        return output(environment, command.toArray(String[]::new));
    }

    /** Adds memories of about 40 words to the first bank of each tenant, without vectors. */
    void fillBanks(int memories) throws Exception {
        try (var database = DriverManager.getConnection(jdbcUrl(), user(), password());
                var statement = database.prepareStatement("""
                    INSERT INTO memory (tenant_id, bank_id, id, text, tags, author_id, contributors, derived_from, created_at, updated_at)
                    SELECT m.tenant_id, m.bank_id, gen_random_uuid(),
                           (SELECT string_agg('word' || floor(5000 * power(random() + 0 * place, 3)), ' ') FROM generate_series(1, 40 + 0 * n) place)
                               || ' tide turn',
                           '{}', m.author_id, m.contributors, '{}', now(), now()
                      FROM (SELECT DISTINCT ON (tenant_id) * FROM memory) m, generate_series(1, ?) n
                    """)) {
            statement.setInt(1, memories);
            statement.executeUpdate();
            database.createStatement().execute("DELETE FROM memory_vector");
        }
    }

    long pid() {
        return process.pid();
    }

    /** Returns the process id of the embedded PostgreSQL. */
    long postmaster() throws IOException {
        return Long.parseLong(Files.readAllLines(directory.resolve("postgres/postmaster.pid")).getFirst().strip());
    }

    /** Returns the address of the database that the settings name, or else of the embedded one. */
    String jdbcUrl() throws IOException {
        var url = environment.get("ENGINE_DATABASE_URL");
        if (url != null) {
            return url;
        }
        var port = Files.readAllLines(directory.resolve("postgres/postmaster.pid")).get(3).strip();
        return "jdbc:postgresql://127.0.0.1:%s/postgres".formatted(port);
    }

    /** Returns the address of the embedded database with its credentials. */
    String database() throws IOException {
        return "%s?user=%s&password=%s".formatted(jdbcUrl(), user(), password());
    }

    String user() {
        return "engine";
    }

    String password() throws IOException {
        var file = directory.resolve("postgres-password");
        return Files.notExists(file) ? "" : Files.readString(file).strip();
    }

    /** Returns the command of another Java program of the benchmarks, with the engine's options. */
    String[] java(String name, String... arguments) {
        var command = new ArrayList<>(List.of(program("java")));
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> option.startsWith("-X"))
                .forEach(command::add);
        var compiled = Engine.class.getResource(name + ".class");
        var isFile = compiled != null && compiled.getProtocol().equals("file");
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), isFile ? name : "benchmarks/" + name + ".java"));
        command.addAll(List.of(arguments));
        return command.toArray(String[]::new);
    }

    /** Returns the bytes of all reachable objects. */
    long heap() throws IOException {
        var histogram = output(program("jcmd"), Long.toString(process.pid()), "GC.class_histogram");
        var total = TOTAL.matcher(histogram);
        if (!total.find()) {
            throw new IOException("no histogram: " + histogram.lines().findFirst().orElse(""));
        }
        return Long.parseLong(total.group(1));
    }

    /** Returns how many files the process has open, sockets among them. */
    int files() throws IOException {
        return count("fd");
    }

    int threads() throws IOException {
        return count("task");
    }

    private int count(String folder) throws IOException {
        try (var entries = Files.list(Path.of("/proc", Long.toString(process.pid()), folder))) {
            return (int) entries.count();
        }
    }

    /** Returns the resident memory of the process in bytes. */
    long resident() throws IOException {
        return 1024 * Long.parseLong(output("ps", "-o", "rss=", "-p", Long.toString(process.pid())).strip());
    }

    /** Returns the memory of PostgreSQL in bytes. What its processes share is counted once. */
    long residentPostgres() throws IOException {
        var postmaster = ProcessHandle.of(postmaster()).orElseThrow();
        var sum = 0L;
        for (var process : Stream.concat(Stream.of(postmaster), postmaster.children()).toList()) {
            var lines = Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "smaps_rollup"));
            var line = lines.stream().filter(each -> each.startsWith("Pss:")).findFirst().orElse("Pss: 0 kB");
            sum += Long.parseLong(line.replaceAll("\\D", ""));
        }
        return 1024 * sum;
    }

    /** Kills the engine and all processes of its PostgreSQL, as a loss of power does. */
    void kill() throws IOException, InterruptedException {
        var postmaster = ProcessHandle.of(postmaster()).orElseThrow();
        var children = postmaster.children().toList();
        process.destroyForcibly().waitFor();
        postmaster.destroyForcibly();
        children.forEach(ProcessHandle::destroyForcibly);
    }

    /** Returns how much of the resident memory are files that the system can drop, such as the indexes of banks. */
    long residentFiles() throws IOException {
        var lines = Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "status"));
        var line = lines.stream().filter(each -> each.startsWith("RssFile:")).findFirst().orElse("RssFile: 0 kB");
        return 1024 * Long.parseLong(line.replaceAll("\\D", ""));
    }

    private static String output(String... command) throws IOException {
        return output(Map.of(), command);
    }

    private static String output(Map<String, String> environment, String... command) throws IOException {
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        var process = builder.start();
        return new String(process.getInputStream().readAllBytes());
    }

    @Override
    public void close() throws IOException, InterruptedException {
        process.destroy();
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
        if (isKept) {
            return;
        }
        try (var files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder()).forEach(Engine::delete);
        }
    }

    private static void delete(Path file) {
        try {
            Files.delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

package io.agentworkspace.engine.testing;

import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.app.Main;
import io.agentworkspace.engine.wire.Wire;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** The engine as a separate process. Its embedded database is in a directory that outlives it. */
public final class EngineProcess implements AutoCloseable {
    /** The last line of the histogram of all objects that a collection leaves, in bytes. */
    private static final Pattern TOTAL = Pattern.compile("\nTotal +\\d+ +(\\d+)\n");

    private final Process process;
    private final Path dataDir;
    private final String url;

    private EngineProcess(Process process, Path dataDir) throws IOException {
        this.process = process;
        this.dataDir = dataDir;
        this.url = lineAfterTheKey(process).substring("ready ".length());
    }

    /** Starts a replica on the database that all tests share. Its messages are validated. */
    public static EngineProcess replica(Path dataDir) {
        return replica(dataDir, Map.of());
    }

    /** Starts such a replica with additional settings. */
    public static EngineProcess replica(Path dataDir, Map<String, String> settings) {
        var environment = new HashMap<>(Wire.reportingHere());
        environment.putAll(settings);
        environment.put("ENGINE_DATABASE_URL", TestDatabase.url());
        environment.put("ENGINE_SECRETS_KEY", TestDatabase.SECRETS_KEY);
        return start(WatchedEngine.class, dataDir, environment);
    }

    /** Returns when it is ready. */
    public static EngineProcess start(Path dataDir, String... flags) {
        return start(dataDir, Map.of(), flags);
    }

    /** Starts an engine with additional settings. Without them, it has no model: that is loaded in each process. */
    public static EngineProcess start(Path dataDir, Map<String, String> environment, String... flags) {
        return start(Main.class, dataDir, environment, flags);
    }

    private static EngineProcess start(Class<?> main, Path dataDir, Map<String, String> environment, String... more) {
        if (!environment.containsKey("ENGINE_DATABASE_URL")) {
            PreparedDatabase.into(dataDir);
        }
        try {
            // Into a file: an unread pipe would fill up and block the engine.
            var log = Redirect.appendTo(dataDir.resolve("engine.log").toFile());
            var flags = new ArrayList<>(
                    List.of("--rate-limit", "off", "--stranger-limit", "off", "--data-dir", dataDir.toString()));
            flags.addAll(List.of(more));
            var process = engine(main, flags.toArray(String[]::new)).redirectError(log);
            process.environment()
                    .putAll(Map.of("ENGINE_PORT", "0", "ENGINE_DRAIN_SECONDS", "0", "ENGINE_EMBEDDING", "off"));
            process.environment().putAll(environment);
            return new EngineProcess(process.start(), dataDir);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static Process spawn(String... flags) throws IOException {
        return spawn(Map.of(), flags);
    }

    public static Process spawn(Map<String, String> environment, String... flags) throws IOException {
        var builder = engine(Main.class, flags);
        builder.environment().putAll(environment);
        return builder.start();
    }

    private static ProcessBuilder engine(Class<?> main, String... flags) {
        // Background jobs of a shell ignore SIGINT, as would the processes of tests that run in one.
        var command = new ArrayList<>(List.of("env", "--default-signal=INT"));
        command.addAll(StartUpCache.java());
        command.add(main.getName());
        command.addAll(List.of(flags));
        var builder = new ProcessBuilder(command);
        builder.environment().put("CLASSPATH", StartUpCache.jars());
        return builder;
    }

    /** Returns the line after the frame with the key, which is shown at the first start only. Warnings may precede it. */
    public static String lineAfterTheKey(Process engine) throws IOException {
        var line = engine.inputReader().readLine();
        while (line != null && !line.startsWith("ready ")) {
            line = engine.inputReader().readLine();
        }
        if (line == null) {
            throw new IOException("the engine ended without a ready line");
        }
        return line;
    }

    public String url() {
        return url;
    }

    /** Returns the key that the first start wrote into the data directory. */
    public String key() throws IOException {
        return Files.readString(dataDir.resolve("first-api-key")).strip();
    }

    /** Returns the process id of the engine's database. */
    public long postmaster() throws IOException {
        return Long.parseLong(Files.readAllLines(dataDir.resolve("postgres/postmaster.pid"))
                .getFirst()
                .strip());
    }

    /** Returns how much of its heap is in use after a full collection, in MiB. */
    public long heapUsed() {
        var total = TOTAL.matcher(diagnose("GC.class_histogram"));
        if (!total.find()) {
            throw new AssertionError("the engine has ended");
        }
        return Long.parseLong(total.group(1)) >> 20;
    }

    private String diagnose(String command) {
        var jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        try {
            return new ProcessBuilder(
                            jcmd,
                            "-J-XX:TieredStopAtLevel=1",
                            "-J-XX:+UseSerialGC",
                            Long.toString(process.pid()),
                            command)
                    .start()
                    .inputReader()
                    .readAllAsString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Kills the process without finishing its work. */
    public void kill() {
        signal("KILL", process.pid());
        await();
    }

    /** Asks the process to stop, and returns its exit code. */
    public int stop() {
        signal("TERM", process.pid());
        return await();
    }

    public static void signal(String signal, long pid) {
        try {
            new ProcessBuilder("kill", "-" + signal, Long.toString(pid)).start().waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private int await() {
        try {
            if (!process.waitFor(HangLimit.TIME.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError("the engine has not ended");
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        if (process.isAlive()) {
            stop();
        }
    }
}

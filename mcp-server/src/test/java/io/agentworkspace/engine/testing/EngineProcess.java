package io.agentworkspace.engine.testing;

import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.app.Main;
import io.agentworkspace.engine.db.embedded.UnpackedOnce;
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

/** The engine as a process of its own, with its embedded database in a directory that outlives it. */
public final class EngineProcess implements AutoCloseable {
    private final Process process;
    private final Path dataDir;
    private final String url;

    private EngineProcess(Process process, Path dataDir) throws IOException {
        this.process = process;
        this.dataDir = dataDir;
        this.url = lineAfterTheKey(process).substring("ready ".length());
    }

    /** Returns when it is ready. */
    public static EngineProcess start(Path dataDir) {
        return start(Main.class, dataDir, Map.of());
    }

    /** A replica on the database that all tests share, whose messages are checked. */
    public static EngineProcess replica(Path dataDir) {
        var environment = new HashMap<>(Wire.reportingHere());
        environment.put("ENGINE_DATABASE_URL", TestDatabase.url());
        environment.put("ENGINE_SECRETS_KEY", TestDatabase.SECRETS_KEY);
        return start(WatchedEngine.class, dataDir, environment);
    }

    /** With settings of its own. */
    public static EngineProcess start(Path dataDir, Map<String, String> environment) {
        return start(Main.class, dataDir, environment);
    }

    private static EngineProcess start(Class<?> main, Path dataDir, Map<String, String> environment) {
        UnpackedOnce.into(dataDir);
        try {
            // Into a file: a pipe that nobody reads is soon full, and then the engine stands still.
            var log = Redirect.appendTo(dataDir.resolve("engine.log").toFile());
            var process = engine(
                            main,
                            "--port",
                            "0",
                            "--rate-limit",
                            "off",
                            "--stranger-limit",
                            "off",
                            "--data-dir",
                            dataDir.toString())
                    .redirectError(log);
            process.environment().putAll(environment);
            return new EngineProcess(process.start(), dataDir);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static Process spawn(String... flags) throws IOException {
        return engine(Main.class, flags).start();
    }

    private static ProcessBuilder engine(Class<?> main, String... flags) {
        // A shell's background jobs ignore SIGINT, and so would what is started by tests that run in one.
        var command = new ArrayList<>(List.of(
                "env",
                "--default-signal=INT",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(flags));
        return new ProcessBuilder(command);
    }

    /** The frame with the key is shown at the first start only, and warnings may come before it. */
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

    /** The key that the first start left in the data directory. */
    public String key() throws IOException {
        return Files.readString(dataDir.resolve("first-api-key")).strip();
    }

    /** The process of the database that serves this engine. */
    public long postmaster() throws IOException {
        return Long.parseLong(Files.readAllLines(dataDir.resolve("postgres/postmaster.pid"))
                .getFirst()
                .strip());
    }

    /** Nothing that it has in hand is finished. */
    public void kill() {
        signal("KILL", process.pid());
        await();
    }

    /** Asks it to stop, and returns its exit code. */
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

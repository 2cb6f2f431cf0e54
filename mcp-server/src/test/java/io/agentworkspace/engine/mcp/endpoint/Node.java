package io.agentworkspace.engine.mcp.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.agentworkspace.engine.model.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Third-party JavaScript programs, and the Node.js that runs them, as {@code npm ci} installed them. */
public final class Node {
    private static final Path HOME = Path.of("src/test/node").toAbsolutePath();
    private static final Path MODULES = HOME.resolve("node_modules");

    /** Where Node.js keeps what it has compiled, for the next start of the same program. */
    public static final Map<String, String> COMPILED = Map.of(
            "NODE_COMPILE_CACHE",
            Path.of("target", "node-compiled").toAbsolutePath().toString());

    private Node() {}

    /** Skips the test if they are missing; in CI they are required. */
    public static void require() {
        var installed = Files.isDirectory(MODULES);
        assertThat(installed || System.getenv("CI") == null)
                .as("run npm ci in mcp-server/src/test/node first")
                .isTrue();
        assumeTrue(installed, "npm ci in mcp-server/src/test/node installs the referee and the clients");
    }

    /** Returns the path of one of our scripts. */
    public static String script(String name) {
        return HOME.resolve(name).toString();
    }

    /**
     * Returns a file or folder of an installed coding agent: of the version that the tests use, or of the newest one, as
     * {@code ./engine bench clients --newest} installed it.
     */
    public static Path client(String name) {
        return Path.of(System.getProperty("clients.modules", MODULES.toString()))
                .resolve(name);
    }

    /** Returns a file or folder of an installed package. */
    public static Path module(String name) {
        return MODULES.resolve(name);
    }

    /** Returns the version of an installed package. */
    public static String version(String name) {
        try {
            return Json.read(Files.readAllBytes(module(name).resolve("package.json")))
                    .path("version")
                    .asString("");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A program that runs until it is ended, and whose further output can be read. */
    public record Started(Process process, int port) {}

    /** Starts a program that listens on a port, and prints it first. */
    public static Started start(String script, Map<String, String> environment) {
        try {
            var errors = Files.createTempFile("node", ".errors");
            var builder =
                    new ProcessBuilder(module(".bin/node").toString(), script(script)).redirectError(errors.toFile());
            builder.environment().putAll(COMPILED);
            builder.environment().putAll(environment);
            var process = builder.start();
            var line = process.inputReader().readLine();
            assertThat(line)
                    .as("the port that %s prints; its errors are: %s", script, Files.readString(errors))
                    .isNotNull()
                    .matches("(listening )?\\d+");
            Files.delete(errors);
            return new Started(process, Integer.parseInt(line.replace("listening ", "")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the date on which a version of a package was published, as the registry reports it. */
    static String published(String name, String version) {
        var folder = HOME.toFile();
        try {
            var npm = new ProcessBuilder("npm", "view", name, "time", "--json")
                    .directory(folder)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            var times = Json.read(npm.getInputStream().readAllBytes());
            return times.get(version).asString().substring(0, "2026-07-28".length());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The exit code and output of a program. */
    public record Ended(int code, String output, String errors) {}

    /** @param environment variables in addition to the common ones */
    public static Ended run(Map<String, String> environment, List<String> arguments) {
        try {
            var folder = Files.createTempDirectory("node");
            var output = folder.resolve("output");
            var errors = folder.resolve("errors");
            var command = new ArrayList<>(List.of(module(".bin/node").toString()));
            command.addAll(arguments);
            var builder =
                    new ProcessBuilder(command).redirectOutput(output.toFile()).redirectError(errors.toFile());
            builder.environment().putAll(COMPILED);
            builder.environment().putAll(environment);
            var ended = new Ended(code(builder.start()), Files.readString(output), Files.readString(errors));
            Files.delete(output);
            Files.delete(errors);
            Files.delete(folder);
            return ended;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int code(Process process) {
        try {
            if (!process.waitFor(45, TimeUnit.MINUTES)) {
                process.destroyForcibly();
                throw new AssertionError("it did not come to an end: " + process.info());
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}

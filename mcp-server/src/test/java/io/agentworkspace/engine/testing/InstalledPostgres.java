package io.agentworkspace.engine.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.agentworkspace.engine.kernel.db.embedded.LoopbackPort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A server of the PostgreSQL that this machine's packages have (Debian: {@code postgresql}). As root it runs as {@code postgres}. */
public final class InstalledPostgres implements AutoCloseable {
    private final Path folder;
    private final Path programs;
    private final int port = LoopbackPort.free();

    private InstalledPostgres(Path folder, Path programs) {
        this.folder = folder;
        this.programs = programs;
    }

    /** Skips the test if none is installed; in CI it is required. */
    public static InstalledPostgres start() {
        var installed = Path.of("/usr/lib/postgresql");
        assertThat(Files.isDirectory(installed) || System.getenv("CI") == null)
                .as("install postgresql first")
                .isTrue();
        assumeTrue(Files.isDirectory(installed), "postgresql is not installed");
        try (var versions = Files.list(installed)) {
            var folder = Files.createTempDirectory("installed-postgres");
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
            var server = new InstalledPostgres(
                    folder, versions.max(Path::compareTo).orElseThrow().resolve("bin"));
            server.run("initdb", "-D", server.data(), "-U", "engine", "--auth=trust", "-E", "UTF8", "--no-locale");
            var settings =
                    "-p %d -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off -c log_line_prefix=%%e:"
                            .formatted(server.port);
            server.run(
                    "pg_ctl",
                    "-D",
                    server.data(),
                    "-w",
                    "-l",
                    folder.resolve("log").toString(),
                    "-o",
                    settings,
                    "start");
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the statements that it refused because of how they are written, each with its SQLSTATE. */
    public List<String> refused() {
        try {
            return Files.readAllLines(folder.resolve("log")).stream()
                    .filter(line -> line.startsWith("42"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String data() {
        return folder.resolve("data").toString();
    }

    public String url() {
        return "jdbc:postgresql://127.0.0.1:%d/postgres?user=engine&password=p".formatted(port);
    }

    private void run(String program, String... arguments) {
        var command = new ArrayList<>(
                System.getProperty("user.name").equals("root")
                        ? List.of("runuser", "-u", "postgres", "--")
                        : List.of());
        command.addAll(Stream.concat(Stream.of(programs.resolve(program).toString()), Stream.of(arguments))
                .toList());
        try {
            var output = folder.resolve(program + ".out");
            var process = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            assertThat(process.waitFor()).as(Files.readString(output)).isZero();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        run("pg_ctl", "-D", data(), "-m", "immediate", "stop");
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

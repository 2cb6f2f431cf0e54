package io.agentworkspace.engine.testing;

import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.kernel.db.embedded.LoopbackPort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/** A real PgBouncer in front of the tests' PostgreSQL, with the settings of its package apart from the mode. */
public final class PgBouncer implements AutoCloseable {
    private final Path folder;
    private final int port;
    private final Process process;

    private PgBouncer(Path folder, int port, Process process) {
        this.folder = folder;
        this.port = port;
        this.process = process;
    }

    /** Skips the test if PgBouncer is not installed. */
    public static PgBouncer start(String mode) {
        return start(mode, LoopbackPort.free());
    }

    /**
     * Starts it on a port, such as that of one that was closed.
     *
     * @param more lines of its configuration
     */
    public static PgBouncer start(String mode, int port, String... more) {
        return run(configuration(mode, port, "") + String.join("\n", more), port);
    }

    /** Starts one that pools transactions and runs this query on each new connection to the database. */
    public static PgBouncer ofTransactions(String query) {
        var port = LoopbackPort.free();
        return run(configuration("transaction", port, " connect_query='%s'".formatted(query)), port);
    }

    private static PgBouncer run(String configuration, int port) {
        var program = Programs.require("pgbouncer");
        try {
            var folder = Files.createTempDirectory("pgbouncer");
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
            var file = Files.writeString(folder.resolve("pgbouncer.ini"), configuration);
            var command = new ArrayList<>(List.of(program.toString(), "--quiet"));
            if (System.getProperty("user.name").equals("root")) {
                command.addAll(List.of("--user", "nobody"));
            }
            command.add(file.toString());
            var log = folder.resolve("log").toFile();
            var process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log)
                    .start();
            var bouncer = new PgBouncer(folder, port, process);
            await().until(bouncer::isListening);
            return bouncer;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String configuration(String mode, int port, String query) {
        var postgres = TestDatabase.postgres();
        var address = URI.create(postgres.jdbcUrl().substring("jdbc:".length()));
        return """
                [databases]
                * = host=%s port=%d user=%s password=%s%s
                [pgbouncer]
                listen_addr = 127.0.0.1
                listen_port = %d
                unix_socket_dir =
                auth_type = any
                pool_mode = %s
                """.formatted(
                        address.getHost(), address.getPort(), postgres.user(), postgres.password(), query, port, mode);
    }

    private boolean isListening() {
        if (!process.isAlive()) {
            throw new IllegalStateException("PgBouncer has ended; its log is in " + folder);
        }
        try (var _ = new Socket("127.0.0.1", port)) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    public int port() {
        return port;
    }

    /** Returns the URL of the tests' database through it. */
    public String url() {
        var direct = URI.create(TestDatabase.postgres().jdbcUrl().substring("jdbc:".length()));
        return TestDatabase.url().replace(":" + direct.getPort() + "/", ":" + port + "/");
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

package io.agentworkspace.engine.kernel.db.embedded;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One running PostgreSQL server, from its start to its end. */
final class Postmaster {
    /** Settings for a small server that shares its machine with the engine. Durability is PostgreSQL's default: on. */
    private static final List<String> TUNING = List.of(
            "shared_buffers=128MB",
            "max_connections=100",
            "max_wal_size=512MB",
            "jit=off",
            "timezone=UTC",
            "log_timezone=UTC",
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            // The engine reports failed statements. PostgreSQL's messages about them may quote rows, which do not
            // belong in a log.
            "log_min_messages=log",
            "log_min_error_statement=panic",
            "log_checkpoints=off");

    private final Process process;
    private final Path cluster;
    private final ServerLog log;
    private final Thread logging;

    private Postmaster(Process process, Path cluster, ServerLog log) {
        this.process = process;
        this.cluster = cluster;
        this.log = log;
        this.logging = log.follow(process.getInputStream());
    }

    /**
     * Starts the server. It ends with the calling thread, so call this from a thread that lives as long as the server
     * should.
     */
    static Postmaster launch(UnprivilegedCommand command, Path program, Path cluster, int port, ServerLog log) {
        var arguments = new ArrayList<>(List.of("-D", cluster.toString(), "-p", Integer.toString(port)));
        for (String setting : TUNING) {
            arguments.add("-c");
            arguments.add(setting);
        }
        try {
            Process process =
                    PostgresProgram.prepare(command.command(program, arguments)).start();
            return new Postmaster(process, cluster, log);
        } catch (IOException e) {
            throw new PostgresFailure("cannot start PostgreSQL: " + e, e);
        }
    }

    /**
     * Waits until the server accepts connections, however long a recovery takes. Fails with the reason if the server
     * ends.
     */
    void awaitReady() throws InterruptedException {
        while (!PidFile.find(cluster)
                .filter(file -> file.pid() == pid() && file.ready())
                .isPresent()) {
            if (process.waitFor(10, TimeUnit.MILLISECONDS)) {
                logging.join(Duration.ofSeconds(1));
                throw new PostgresFailure(
                        "PostgreSQL did not start: " + log.lastFailure() + " (its log: " + log.file() + ")");
            }
        }
    }

    long pid() {
        return process.pid();
    }

    int awaitEnd() throws InterruptedException {
        return process.waitFor();
    }

    /** Ends open sessions and writes all data. After 10 seconds, the rest is left to the next start's recovery. */
    void stop() {
        try {
            PostgresProgram.signal("INT", pid());
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                PostgresProgram.signal("QUIT", pid());
                if (!process.waitFor(2, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

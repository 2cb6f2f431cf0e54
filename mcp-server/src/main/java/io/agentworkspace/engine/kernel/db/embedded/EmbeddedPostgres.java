package io.agentworkspace.engine.kernel.db.embedded;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The engine's own PostgreSQL server, on the loopback address, with its data in {@code <data directory>/postgres}. It
 * is a full server with durability on. It ends with the engine's process; if it ends earlier, it is restarted on the
 * same port.
 */
public final class EmbeddedPostgres implements AutoCloseable {
    private final DirectoryLock lock;
    private final ServerKeeper keeping;
    private final Cluster cluster;
    private final int port;

    private EmbeddedPostgres(DirectoryLock lock, ServerKeeper keeping, Cluster cluster, int port) {
        this.lock = lock;
        this.keeping = keeping;
        this.cluster = cluster;
        this.port = port;
    }

    /**
     * Starts the server, and returns when it accepts connections. The first start in a directory unpacks the programs
     * and creates the database. A later start recovers from whatever the previous one left, even a running server.
     *
     * @throws PostgresFailure if it cannot start, or another engine uses the directory
     */
    public static EmbeddedPostgres start(Path dataDir) {
        DataDirectory directory = DataDirectory.open(dataDir);
        DirectoryLock lock = DirectoryLock.take(directory);
        try {
            UnprivilegedCommand command = UnprivilegedCommand.choose(directory);
            Binaries binaries = Binaries.in(directory);
            Cluster cluster = Cluster.in(directory, binaries, command);
            ServerLog log = new ServerLog(directory.log());
            Path program = binaries.program("postgres");
            ServerKeeper keeping = new ServerKeeper(
                    () -> OrphanedServers.clear(cluster.path()),
                    port -> Postmaster.launch(command, program, cluster.path(), port, log));
            return new EmbeddedPostgres(lock, keeping, cluster, keeping.start());
        } catch (RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    /**
     * How to connect to a server.
     *
     * @param jdbcUrl without credentials
     */
    public record ConnectionDetails(String jdbcUrl, String user, String password) {
        static ConnectionDetails of(int port, String password) {
            return new ConnectionDetails("jdbc:postgresql://127.0.0.1:" + port + "/postgres", Cluster.USER, password);
        }
    }

    /** Returns how to connect, which stays the same across restarts of the server until it is closed. */
    public ConnectionDetails access() {
        return ConnectionDetails.of(port, cluster.password());
    }

    /** Returns what identifies the database's files. It is another for a copy of them, such as a backup that was put back. */
    public String files() {
        return cluster.files();
    }

    public String jdbcUrl() {
        return access().jdbcUrl();
    }

    public String user() {
        return access().user();
    }

    public String password() {
        return cluster.password();
    }

    /** Returns the server that another engine is running in this directory, if any. */
    public static Optional<ConnectionDetails> running(Path dataDir) {
        return Files.isDirectory(dataDir) ? running(DataDirectory.open(dataDir)) : Optional.empty();
    }

    private static Optional<ConnectionDetails> running(DataDirectory directory) {
        return PidFile.find(directory.cluster())
                .filter(file -> file.ready() && ProcessHandle.of(file.pid()).isPresent())
                .map(file -> ConnectionDetails.of(file.port(), Cluster.readPassword(directory)));
    }

    /** Stops the server cleanly and releases the data directory. Close all connections to it first. */
    @Override
    public void close() {
        keeping.stop();
        lock.close();
    }
}

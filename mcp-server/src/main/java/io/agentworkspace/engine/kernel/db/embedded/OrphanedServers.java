package io.agentworkspace.engine.kernel.db.embedded;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes what an earlier server left running on a cluster: a server whose engine was killed, or the sessions of a
 * server that was killed. This is safe only with the data directory's lock, since then none of them is in use.
 */
final class OrphanedServers {
    private static final Logger log = LoggerFactory.getLogger(OrphanedServers.class);

    private OrphanedServers() {}

    /** Returns when no process uses the cluster any longer, as far as this system can tell. */
    static void clear(Path cluster) {
        var said = PidFile.find(cluster);
        said.flatMap(file -> ProcessHandle.of(file.pid())).ifPresent(process -> {
            if (serves(process, cluster)) {
                log.info("stopping the PostgreSQL that an earlier engine left running, process {}", process.pid());
                stop(process, cluster);
            } else {
                forget(cluster);
            }
        });
        within(10, () -> {
            List<ProcessHandle> sessions = sessions(cluster);
            sessions.forEach(ProcessHandle::destroyForcibly);
            return sessions.isEmpty();
        });
        if (said.isEmpty()) {
            forget(cluster); // No server runs here any longer, and PostgreSQL refuses a file that names no process.
        }
    }

    /**
     * Returns whether the process serves the cluster, by its command line. An ended process has none, even if its
     * parent has not reaped it.
     */
    private static boolean serves(ProcessHandle process, Path cluster) {
        String command = process.info().commandLine().orElse("");
        return command.contains("postgres") && command.contains(cluster.toString());
    }

    private static void stop(ProcessHandle server, Path cluster) {
        PostgresProgram.signal("INT", server.pid());
        if (!within(30, () -> !serves(server, cluster))) {
            PostgresProgram.signal("QUIT", server.pid());
            if (!within(10, () -> !serves(server, cluster))) {
                server.destroyForcibly();
            }
        }
    }

    /**
     * Removes the pid file of a server that has ended. PostgreSQL would refuse to start if another process has that
     * pid, or if a full disk or a crash truncated the file.
     */
    private static void forget(Path cluster) {
        try {
            Files.deleteIfExists(PidFile.in(cluster));
        } catch (IOException e) {
            throw new PostgresFailure("cannot delete the stale file " + PidFile.in(cluster) + ": " + e, e);
        }
    }

    /**
     * Returns PostgreSQL's processes with the cluster as working directory; none where the system has no
     * {@code /proc}.
     */
    private static List<ProcessHandle> sessions(Path cluster) {
        var found = new ArrayList<ProcessHandle>();
        Path proc = Path.of("/proc");
        if (!Files.isDirectory(proc)) {
            return found;
        }
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(proc, "[0-9]*")) {
            for (Path process : processes) {
                if (worksOn(process, cluster)) {
                    ProcessHandle.of(Long.parseLong(process.getFileName().toString()))
                            .ifPresent(found::add);
                }
            }
        } catch (IOException e) {
            log.debug("cannot look for a PostgreSQL left running: {}", e.toString());
        }
        return found;
    }

    private static boolean worksOn(Path process, Path cluster) {
        try {
            return Files.readSymbolicLink(process.resolve("cwd")).equals(cluster)
                    && Files.readSymbolicLink(process.resolve("exe"))
                            .getFileName()
                            .toString()
                            .startsWith("postgres");
        } catch (IOException e) {
            return false; // The process has ended in the meantime, or may not be inspected.
        }
    }

    private static boolean within(int seconds, BooleanSupplier done) {
        long end = System.nanoTime() + Duration.ofSeconds(seconds).toNanos();
        while (!done.getAsBoolean()) {
            if (System.nanoTime() > end) {
                return false;
            }
            try {
                Thread.sleep(10);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new PostgresFailure("interrupted while waiting for an earlier PostgreSQL to end", e);
            }
        }
        return true;
    }
}

package io.agentworkspace.engine.kernel.db.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * A running server's data in its cluster's {@code postmaster.pid}: line 1 the process, line 4 the port, line 8 the
 * state.
 */
record PidFile(long pid, int port, boolean ready) {

    /**
     * Reads the file. The result is empty if there is none, or if it names no server: it is being written right now,
     * or was truncated.
     */
    static Optional<PidFile> find(Path cluster) {
        try {
            List<String> lines = Files.readAllLines(in(cluster));
            boolean ready = lines.size() > 7 && lines.get(7).strip().equals("ready");
            var port = lines.size() > 3 ? Integer.parseInt(lines.get(3).strip()) : 0;
            var pid = Long.parseLong(lines.getFirst().strip());
            return pid > 0 ? Optional.of(new PidFile(pid, port, ready)) : Optional.empty();
        } catch (IOException | NumberFormatException | NoSuchElementException e) {
            return Optional.empty();
        }
    }

    static Path in(Path cluster) {
        return cluster.resolve("postmaster.pid");
    }
}

package io.agentworkspace.engine.postgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;

/** What a running server says of itself in its cluster's {@code postmaster.pid}: line 1 its process, line 8 its state. */
record PidFile(long pid, boolean ready) {

    /** Empty where there is none, or one that is being written right now. */
    static Optional<PidFile> find(Path cluster) {
        try {
            List<String> lines = Files.readAllLines(in(cluster));
            boolean ready = lines.size() > 7 && lines.get(7).strip().equals("ready");
            return Optional.of(new PidFile(Long.parseLong(lines.getFirst().strip()), ready));
        } catch (IOException | NumberFormatException | NoSuchElementException e) {
            return Optional.empty();
        }
    }

    static Path in(Path cluster) {
        return cluster.resolve("postmaster.pid");
    }
}

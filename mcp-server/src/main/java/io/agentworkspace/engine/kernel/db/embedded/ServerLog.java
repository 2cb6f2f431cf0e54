package io.agentworkspace.engine.kernel.db.embedded;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** PostgreSQL's own log: a file of limited size and the previous one. */
final class ServerLog {
    private static final Logger log = LoggerFactory.getLogger(ServerLog.class);
    private static final long LARGEST = 4L << 20;

    private final Path file;
    private boolean isPrivate;
    private volatile String lastFailure = "it ended without a word";

    ServerLog(Path file) {
        this.file = file;
    }

    Path file() {
        return file;
    }

    /** Returns the last reason that the server logged for ending. */
    String lastFailure() {
        return lastFailure;
    }

    /** Copies a server's output until it ends. */
    Thread follow(InputStream output) {
        return Thread.ofPlatform().daemon().name("postgres-log").start(() -> {
            try (var lines = new BufferedReader(new InputStreamReader(output, StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    note(line);
                }
            } catch (IOException e) {
                log.debug("PostgreSQL's output ended: {}", e.toString());
            }
        });
    }

    private void note(String line) {
        int fatal = line.indexOf("FATAL:");
        if (fatal >= 0) {
            lastFailure = line.substring(fatal + "FATAL:".length()).strip();
        }
        append(line + "\n");
    }

    /** Writes a line. A full disk must not stop the reading, since a server whose output nobody reads would block. */
    private synchronized void append(String line) {
        try {
            if (Files.exists(file) && Files.size(file) > LARGEST) {
                Files.move(file, file.resolveSibling(file.getFileName() + ".1"), StandardCopyOption.REPLACE_EXISTING);
            }
            if (!isPrivate || !Files.exists(file)) {
                FileModes.keepPrivate(file);
                isPrivate = true;
            }
            Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            log.debug("A line of PostgreSQL's log is lost: {}", e.toString());
        }
    }
}

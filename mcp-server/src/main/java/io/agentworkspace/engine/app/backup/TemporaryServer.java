package io.agentworkspace.engine.app.backup;

import io.agentworkspace.engine.kernel.db.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A server that holds a copy of a database for a while. It is deleted with its folder, also if a signal ends the process. */
final class TemporaryServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TemporaryServer.class);

    private final Path folder;
    private final Thread atExit = new Thread(this::end, "end");
    private @Nullable EmbeddedPostgres postgres;
    private boolean isEnded;

    TemporaryServer(Path folder) {
        this.folder = folder;
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /** A signal that comes now waits until the server runs. */
    synchronized EmbeddedPostgres start() {
        if (isEnded) {
            throw new BackupFailure("stopped before the backup was verified");
        }
        var started = EmbeddedPostgres.start(folder);
        postgres = started;
        return started;
    }

    private synchronized void end() {
        if (isEnded) {
            return;
        }
        isEnded = true;
        if (postgres != null) {
            postgres.close();
        }
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            LOG.warn("{} has a copy of the database, and cannot be deleted: delete it: {}", folder, e.toString());
        }
    }

    @Override
    public void close() {
        end();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // The process is ending.
        }
    }
}

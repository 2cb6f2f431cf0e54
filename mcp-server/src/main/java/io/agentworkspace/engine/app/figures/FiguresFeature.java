package io.agentworkspace.engine.app.figures;

import io.agentworkspace.engine.kernel.changes.CallerChanges;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.kernel.metrics.Metrics;
import io.agentworkspace.engine.model.problem.DatabaseState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Those of the {@link Figures} that nothing else counts: they are measured when somebody scrapes. */
public final class FiguresFeature {
    private FiguresFeature() {}

    /** @param directory the data directory */
    public static Feature of(Db db, CallerChanges watch, Path directory) {
        return new Feature().metrics(metrics -> register(metrics, db, watch, directory));
    }

    private static void register(Metrics metrics, Db db, CallerChanges watch, Path directory) {
        var states =
                metrics.gauges("engine_db_state", "1 for the state that the database is in, 0 for others.", "state");
        var latest = new LatestState(db);
        for (var state : DatabaseState.values()) {
            states.with(state.word(), () -> latest.read() == state ? 1 : 0);
        }
        metrics.gauge(
                "engine_db_notifications",
                "1 if notifications of the database arrive, else 0.",
                () -> watch.isCurrent() ? 1 : 0);
        metrics.gauge(
                "engine_db_commit_seconds",
                "How long a commit takes now, with the disk and a synchronous standby; that up to now if it takes 2 or longer.",
                new CommitQueries(db)::seconds);
        metrics.gauge(
                "engine_data_dir_free_bytes", "Free space on the disk of the data directory.", () -> free(directory));
    }

    /** The database's state, which is asked for once in a scrape: a database that hangs takes two seconds each time. */
    private static final class LatestState {
        private static final long VALID_NANOS = 1_000_000_000L;

        private final Db db;
        private @Nullable DatabaseState state;
        private long readAt;

        LatestState(Db db) {
            this.db = db;
        }

        synchronized DatabaseState read() {
            var known = state;
            if (known == null || System.nanoTime() - readAt > VALID_NANOS) {
                known = db.state();
                state = known;
                readAt = System.nanoTime();
            }
            return known;
        }
    }

    /** With another database nothing may have created the directory yet: the disk is that of the one above. */
    private static double free(Path directory) {
        var existing = directory;
        while (existing != null && !Files.exists(existing)) {
            existing = existing.getParent();
        }
        try {
            return existing == null ? Double.NaN : Files.getFileStore(existing).getUsableSpace();
        } catch (IOException e) {
            return Double.NaN; // It was removed a moment ago.
        }
    }
}

package io.agentworkspace.engine.app.figures;

import io.agentworkspace.engine.kernel.db.DatabaseFailure;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlFailure;
import io.agentworkspace.engine.model.problem.Problem;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Measures how long a commit takes, with the disk and a synchronous standby, once for all who ask at the same time. No tenant is concerned. */
final class CommitQueries {
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    /** It writes to the log and to no table: its commit waits as that of any write. */
    private static final String WRITE = "SELECT CAST(pg_logical_emit_message(true, 'engine', '') AS text) AS position";

    private final Db db;
    private @Nullable CompletableFuture<Double> measuring;

    CommitQueries(Db db) {
        this.db = db;
    }

    /** Returns the time in seconds: 2 if it takes longer, NaN without a database that takes writes. */
    double seconds() {
        return current()
                .copy()
                .completeOnTimeout((double) PATIENCE.toSeconds(), PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }

    private synchronized CompletableFuture<Double> current() {
        if (measuring == null || measuring.isDone()) {
            measuring = CompletableFuture.supplyAsync(
                    this::measure, Thread.ofPlatform().daemon().name("commit")::start);
        }
        return measuring;
    }

    private double measure() {
        try {
            var written = db.transaction(() -> {
                db.sql(WRITE).one(row -> row.text("position"));
                return System.nanoTime();
            });
            return (System.nanoTime() - written) / 1e9;
        } catch (Problem | SqlFailure | DatabaseFailure e) {
            return Double.NaN;
        }
    }
}

package io.agentworkspace.engine.app.figures;

import io.agentworkspace.engine.kernel.db.DatabaseFailure;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlFailure;
import io.agentworkspace.engine.model.problem.Problem;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Measures how long a commit takes, with the disk and a synchronous standby, once for all who ask at the same time. No tenant is concerned. */
final class CommitQueries {
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    /** It writes to the log and to no table: its commit waits as that of any write. */
    private static final String WRITE = "SELECT CAST(pg_logical_emit_message(true, 'engine', '') AS text) AS position";

    private final Db db;
    private @Nullable CompletableFuture<Double> measuring;

    /** When the latest measurement got its connection, by {@link System#nanoTime}; 0 if it waits for one. */
    private volatile long begunAt;

    CommitQueries(Db db) {
        this.db = db;
    }

    /**
     * Returns the time in seconds; that up to now if it takes long. NaN without a database that takes writes, or if no
     * connection was free: that is no fault of the database.
     */
    double seconds() {
        try {
            return current().copy().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            var begun = begunAt;
            return begun == 0 ? Double.NaN : (System.nanoTime() - begun) / 1e9;
        } catch (ExecutionException e) {
            return Double.NaN;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Double.NaN;
        }
    }

    private synchronized CompletableFuture<Double> current() {
        if (measuring == null || measuring.isDone()) {
            begunAt = 0;
            measuring = CompletableFuture.supplyAsync(
                    this::measure, Thread.ofPlatform().daemon().name("commit")::start);
        }
        return measuring;
    }

    private double measure() {
        try {
            var written = db.transaction(() -> {
                begunAt = System.nanoTime();
                db.sql(WRITE).one(row -> row.text("position"));
                return System.nanoTime();
            });
            return (System.nanoTime() - written) / 1e9;
        } catch (Problem | SqlFailure | DatabaseFailure e) {
            return Double.NaN;
        }
    }
}

package io.agentworkspace.engine.kernel.db;

import io.agentworkspace.engine.model.problem.DatabaseState;
import io.agentworkspace.engine.model.problem.Problem;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Queries the state of the database, once for all concurrent callers. No caller waits longer than two seconds. */
final class DatabaseProbe {
    /** Shorter than the time that supervisors wait, such as the one in the Dockerfile. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Db db;
    private final RefusalLog refusals;
    private @Nullable CompletableFuture<DatabaseState> probe;

    DatabaseProbe(Db db, RefusalLog refusals) {
        this.db = db;
        this.refusals = refusals;
    }

    DatabaseState state() {
        return current()
                .copy()
                .completeOnTimeout(DatabaseState.UNREACHABLE, PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }

    private synchronized CompletableFuture<DatabaseState> current() {
        if (probe == null || probe.isDone()) {
            probe = CompletableFuture.supplyAsync(
                    this::query, Thread.ofPlatform().daemon().name("probe")::start);
        }
        return probe;
    }

    private DatabaseState query() {
        try {
            if (db.withConnection(DatabaseProbe::isReadOnly) || refusals.lately(Outage.READ_ONLY)) {
                return DatabaseState.READ_ONLY;
            }
            return refusals.lately(Outage.FULL) ? DatabaseState.FULL : DatabaseState.REACHABLE;
        } catch (Problem | SqlFailure | DatabaseFailure e) {
            return DatabaseState.UNREACHABLE;
        }
    }

    private static boolean isReadOnly(Connection connection) throws SQLException {
        // The pool resets it. A query that nobody waits for any longer must not block the next one.
        connection.setNetworkTimeout(Runnable::run, (int) PATIENCE.toMillis());
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery("SELECT current_setting('transaction_read_only') = 'on'")) {
            return rows.next() && rows.getBoolean(1);
        }
    }
}

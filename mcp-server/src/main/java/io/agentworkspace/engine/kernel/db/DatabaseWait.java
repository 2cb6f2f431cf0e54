package io.agentworkspace.engine.kernel.db;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Waits at the start for a database that is not there yet, as after a reboot of both machines. */
final class DatabaseWait {
    private static final Logger LOG = LoggerFactory.getLogger(DatabaseWait.class);
    private static final Duration RETRY = Duration.ofMillis(500);

    /** Classes of SQLSTATE: no connection; starting, or stopped; no connection left. */
    private static final Set<String> PASSING = Set.of("08", "57", "53");

    private DatabaseWait() {}

    /** @throws DatabaseFailure if it cannot be reached in this time, or refuses the login */
    static void until(DataSource database, Duration longest) {
        var end = System.nanoTime() + longest.toNanos();
        for (var attempt = 1; ; attempt++) {
            try (var _ = database.getConnection()) {
                return;
            } catch (SQLException e) {
                var passes = PASSING.stream().anyMatch(SqlState.of(e).code()::startsWith);
                if (!passes || System.nanoTime() >= end) {
                    throw DatabaseFailure.of("gives no connection", e);
                }
                if (attempt == 1) {
                    LOG.warn("waiting up to {} s for the database: {}", longest.toSeconds(), e.getMessage());
                }
            }
            pause();
        }
    }

    private static void pause() {
        try {
            Thread.sleep(RETRY);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DatabaseFailure("the wait for the database was interrupted", e);
        }
    }
}

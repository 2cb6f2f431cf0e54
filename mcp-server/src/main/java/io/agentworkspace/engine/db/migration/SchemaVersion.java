package io.agentworkspace.engine.db.migration;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * The version of a database's schema.
 *
 * @param version 0 if the database has none yet
 * @param newest the version that this engine creates
 * @param rows how many rows the database has, as PostgreSQL estimates it
 */
public record SchemaVersion(int version, int newest, long rows) {
    /** The commit whose schema is the oldest that can be upgraded. */
    public static final String OLDEST_COMMIT = "9742f53a";

    /** Measured with 200,000 memories and as many messages: 5 s for the steps, and 0.1 ms for each row. */
    private static final Duration STEPS = Duration.ofSeconds(5);

    private static final long ROWS_IN_A_SECOND = 10_000;

    private static final String ROWS = """
            SELECT coalesce(sum(reltuples) FILTER (WHERE reltuples > 0), 0)::bigint AS rows
              FROM pg_class
             WHERE relkind = 'r' AND relnamespace = to_regnamespace(current_schema()::text)
            """;

    private static final String IS_NEW = "SELECT to_regclass('flyway_schema_history') IS NULL AS is_new";

    public static SchemaVersion of(Connection connection) throws SQLException {
        try (var statement = connection.createStatement()) {
            try (var row = statement.executeQuery(IS_NEW)) {
                row.next();
                if (row.getBoolean("is_new")) {
                    return new SchemaVersion(0, Migrations.NEWEST, 0);
                }
            }
            int version;
            try (var row = statement.executeQuery(Migrations.VERSION)) {
                row.next();
                version = row.getInt("version");
            }
            try (var row = statement.executeQuery(ROWS)) {
                row.next();
                return new SchemaVersion(version, Migrations.NEWEST, row.getLong("rows"));
            }
        }
    }

    /** Returns about how long an upgrade takes from the oldest version, in which calls wait. Later versions take less. */
    public Duration longestUpgrade() {
        return STEPS.plusSeconds(rows / ROWS_IN_A_SECOND);
    }

    public boolean isTooOld() {
        return version > 0 && version < Migrations.OLDEST;
    }
}

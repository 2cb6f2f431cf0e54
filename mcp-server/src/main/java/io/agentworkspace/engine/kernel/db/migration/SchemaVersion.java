package io.agentworkspace.engine.kernel.db.migration;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * The version of a database's schema.
 *
 * @param version 0 if the database has none yet
 * @param newest the version that this engine creates
 * @param isBeforeFirstRelease whether it was not created from this {@link Baseline}
 */
public record SchemaVersion(int version, int newest, boolean isBeforeFirstRelease) {
    private static final String IS_NEW = "SELECT to_regclass('flyway_schema_history') IS NULL AS is_new";

    /** No row counts where no migration has succeeded yet. */
    private static final String VERSION = """
            SELECT coalesce(max(CAST(version AS integer)), 0) AS version,
                   count(version) > 0 AND NOT coalesce(bool_or(version = '1' AND checksum = ?), false) AS is_other
              FROM flyway_schema_history WHERE success
            """;

    public boolean isCurrent() {
        return version == newest && !isBeforeFirstRelease;
    }

    public static SchemaVersion of(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                var row = statement.executeQuery(IS_NEW)) {
            row.next();
            if (row.getBoolean("is_new")) {
                return new SchemaVersion(0, Migrations.NEWEST, false);
            }
        }
        try (var statement = connection.prepareStatement(VERSION)) {
            statement.setInt(1, Baseline.CHECKSUM);
            try (var row = statement.executeQuery()) {
                row.next();
                return new SchemaVersion(row.getInt("version"), Migrations.NEWEST, row.getBoolean("is_other"));
            }
        }
    }
}

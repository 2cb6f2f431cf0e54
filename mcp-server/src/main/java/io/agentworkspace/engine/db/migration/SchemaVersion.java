package io.agentworkspace.engine.db.migration;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * The version of a database's schema.
 *
 * @param version 0 if the database has none yet
 * @param newest the version that this engine creates
 */
public record SchemaVersion(int version, int newest) {
    /** The commit whose schema is the oldest that can be upgraded. */
    public static final String OLDEST_COMMIT = "9742f53a";

    private static final String IS_NEW = "SELECT to_regclass('flyway_schema_history') IS NULL AS is_new";

    public static SchemaVersion of(Connection connection) throws SQLException {
        try (var statement = connection.createStatement()) {
            try (var row = statement.executeQuery(IS_NEW)) {
                row.next();
                if (row.getBoolean("is_new")) {
                    return new SchemaVersion(0, Migrations.NEWEST);
                }
            }
            try (var row = statement.executeQuery(Migrations.VERSION)) {
                row.next();
                return new SchemaVersion(row.getInt("version"), Migrations.NEWEST);
            }
        }
    }

    public boolean isTooOld() {
        return version > 0 && version < Migrations.OLDEST;
    }
}

package io.agentworkspace.engine.kernel.db.migration;

import io.agentworkspace.engine.kernel.db.DatabaseFailure;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlFailure;
import java.sql.SQLException;
import java.sql.Statement;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings the schema up to date: {@link Baseline}, then the migrations that the database lacks. Replicas that start together wait for each other. */
public final class Migrations {
    private static final Logger LOG = LoggerFactory.getLogger(Migrations.class);

    /** The version of the last migration. */
    static final int NEWEST = 1;

    private static final String UPGRADING = "cannot be upgraded to the current schema";

    private static final String STATE = """
            SELECT current_setting('server_encoding') AS encoding, to_regclass('flyway_schema_history') IS NULL AS is_new
            """;

    private Migrations() {}

    /** @throws DatabaseFailure if it fails; the message is one line for the operator */
    public static void run(Db db) {
        run(db, () -> {});
    }

    /** @param onStart runs before a migration that takes place, or is awaited */
    public static void run(Db db, Runnable onStart) {
        var schema = check(db);
        if (schema.version() < NEWEST) {
            onStart.run();
            if (schema.version() == 0) {
                LOG.info("creating the schema, or waiting for another engine that does");
            } else {
                LOG.info(
                        "upgrading the schema from version {} to {}, or waiting for another engine that does",
                        schema.version(),
                        NEWEST);
            }
            migrate(db);
        }
        try {
            db.awaitConnection();
        } catch (SqlFailure e) {
            throw DatabaseFailure.of("gives no connection", e);
        }
    }

    private static void migrate(Db db) {
        try {
            flyway(db).migrate();
        } catch (FlywayException e) {
            throw DatabaseFailure.of(UPGRADING, e);
        }
    }

    static Flyway flyway(Db db) {
        return Flyway.configure()
                .dataSource(db.withoutLimits())
                .callbacks(new LiftedLimits())
                .locations("classpath:db/migration")
                .javaMigrations(new Baseline())
                .ignoreMigrationPatterns("*:future") // A newer engine may have been here.
                .lockRetryCount(-1) // Waits for another replica without a limit.
                .load();
    }

    /**
     * Returns the version of the schema.
     *
     * @throws DatabaseFailure if no schema can be created in the database, or if it has one from before the first release
     */
    private static SchemaVersion check(Db db) {
        try (var connection = db.withoutLimits().getConnection()) {
            try (var statement = connection.createStatement()) {
                checkEncoding(statement);
            }
            var schema = SchemaVersion.of(connection);
            if (schema.isBeforeFirstRelease()) {
                throw new DatabaseFailure(
                        "the database has a schema from before the first release (version %d), which is not upgraded; use a new database or data folder"
                                .formatted(schema.version()));
            }
            return schema;
        } catch (SQLException e) {
            throw DatabaseFailure.of(UPGRADING, e);
        }
    }

    private static void checkEncoding(Statement statement) throws SQLException {
        try (var row = statement.executeQuery(STATE)) {
            row.next();
            if (row.getBoolean("is_new") && !row.getString("encoding").equals("UTF8")) {
                throw new DatabaseFailure(
                        "the database has the encoding %s; create it with ENCODING 'UTF8' TEMPLATE template0"
                                .formatted(row.getString("encoding")));
            }
        }
    }
}

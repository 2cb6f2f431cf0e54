package io.agentworkspace.engine.db.migration;

import io.agentworkspace.engine.db.DatabaseFailure;
import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.db.SqlFailure;
import io.agentworkspace.engine.db.TableStatistics;
import java.sql.SQLException;
import java.sql.Statement;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the schema up to date: {@link Baseline} in an empty database, the migrations after {@link #OLDEST} in others. Replicas
 * that start together wait for each other.
 */
public final class Migrations {
    private static final Logger LOG = LoggerFactory.getLogger(Migrations.class);

    /** The version of the last migration, and so of the baseline. */
    static final int NEWEST = 215;

    /** The oldest version that can be upgraded: that of {@link SchemaVersion#OLDEST_COMMIT}. */
    static final int OLDEST = 54;

    private static final String IS_CURRENT =
            "SELECT bool_and(success) AND max(CAST(version AS integer)) >= " + NEWEST + " FROM flyway_schema_history";

    private static final String UPGRADING = "cannot be upgraded to the current schema";

    private static final String STATE = """
            SELECT current_setting('server_encoding') AS encoding, to_regclass('flyway_schema_history') IS NULL AS is_new
            """;

    /** Null where no migration has succeeded yet. */
    static final String VERSION =
            "SELECT max(CAST(version AS integer)) AS version FROM flyway_schema_history WHERE success";

    private Migrations() {}

    /** @throws DatabaseFailure if it fails; the message is one line for the operator */
    public static void run(Db db) {
        run(db, () -> {});
    }

    /** @param onStart runs before a migration that takes place, or is awaited */
    public static void run(Db db, Runnable onStart) {
        if (!isCurrent(db)) {
            onStart.run();
            announce(db);
            migrate(db);
        }
        try {
            db.awaitConnection();
        } catch (SqlFailure e) {
            throw DatabaseFailure.of("gives no connection", e);
        }
    }

    /** Logs how long the upgrade takes, before it starts. */
    private static void announce(Db db) {
        try (var connection = db.withoutLimits().getConnection()) {
            var schema = SchemaVersion.of(connection);
            if (schema.version() == 0) {
                LOG.info("creating the schema, or waiting for another engine that does");
            } else {
                LOG.info(
                        "upgrading the schema from version {} to {}, or waiting for another engine that does: about {} rows, so it takes up to about {} s, in which calls wait",
                        schema.version(),
                        NEWEST,
                        schema.rows(),
                        schema.longestUpgrade().toSeconds());
            }
        } catch (SQLException e) {
            LOG.info("upgrading the schema, or waiting for another engine that does");
        }
    }

    /** Returns whether the schema is current. Flyway takes 0.4 s to find this out. */
    private static boolean isCurrent(Db db) {
        try (var connection = db.withoutLimits().getConnection();
                var statement = connection.createStatement();
                var row = statement.executeQuery(IS_CURRENT)) {
            return row.next() && row.getBoolean(1);
        } catch (SQLException e) {
            return false; // The database is new, or Flyway will say what is wrong with it.
        }
    }

    private static void migrate(Db db) {
        check(db);
        try {
            flyway(db).migrate();
        } catch (FlywayException e) {
            throw DatabaseFailure.of(UPGRADING, e);
        }
    }

    static Flyway flyway(Db db) {
        return Flyway.configure()
                .dataSource(db.withoutLimits())
                .callbacks(new LiftedLimits(), new TableStatistics.BeforeMigrations())
                .locations("classpath:db/migration")
                .javaMigrations(new Baseline(), new NameKeys())
                .ignoreMigrationPatterns("*:future", "*:missing") // The migrations up to OLDEST are missing.
                .lockRetryCount(-1) // Waits for another replica without a limit.
                .load();
    }

    /** @throws DatabaseFailure if no schema can be created in the database, or if its schema is too old */
    private static void check(Db db) {
        try (var connection = db.withoutLimits().getConnection();
                var statement = connection.createStatement()) {
            if (isNew(statement)) {
                return;
            }
            try (var row = statement.executeQuery(VERSION)) {
                row.next();
                var version = row.getInt("version");
                if (!row.wasNull() && version < OLDEST) {
                    throw new DatabaseFailure(
                            "the database has version %d of the schema; start the engine of commit %s once, then this one"
                                    .formatted(version, SchemaVersion.OLDEST_COMMIT));
                }
            }
        } catch (SQLException e) {
            throw DatabaseFailure.of(UPGRADING, e);
        }
    }

    private static boolean isNew(Statement statement) throws SQLException {
        try (var row = statement.executeQuery(STATE)) {
            row.next();
            if (!row.getBoolean("is_new")) {
                return false;
            }
            if (!row.getString("encoding").equals("UTF8")) {
                throw new DatabaseFailure(
                        "the database has the encoding %s; create it with ENCODING 'UTF8' TEMPLATE template0"
                                .formatted(row.getString("encoding")));
            }
            return true;
        }
    }
}

package io.agentworkspace.engine.db.migration;

import io.agentworkspace.engine.db.DatabaseFailure;
import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.db.SqlFailure;
import io.agentworkspace.engine.db.TableStatistics;
import java.sql.SQLException;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings the schema up to date. Replicas that start together wait for each other. */
public final class Migrations {
    private static final Logger LOG = LoggerFactory.getLogger(Migrations.class);

    /** How many migrations there are: files, and {@link NameKeys}. */
    static final int NUMBER = 59;

    private static final String IS_CURRENT =
            "SELECT bool_and(success) AND count(DISTINCT version) >= " + NUMBER + " FROM flyway_schema_history";

    private static final String UPGRADING = "cannot be upgraded to the current schema";

    /** Returns the encoding of a new database, and no row for others. */
    private static final String ENCODING =
            "SELECT current_setting('server_encoding') WHERE to_regclass('flyway_schema_history') IS NULL";

    private Migrations() {}

    /** @throws DatabaseFailure if it fails; the message is one line for the operator */
    public static void run(Db db) {
        run(db, () -> {});
    }

    /** @param begun runs before a migration that takes place, or is awaited */
    public static void run(Db db, Runnable begun) {
        if (!isCurrent(db)) {
            begun.run();
            LOG.info("upgrading the schema, or waiting for another engine that does");
            migrate(db);
        }
        try {
            db.awaitConnection();
        } catch (SqlFailure e) {
            throw DatabaseFailure.of("gives no connection", e);
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
        try (var connection = db.withoutLimits().getConnection();
                var statement = connection.createStatement();
                var row = statement.executeQuery(ENCODING)) {
            if (row.next() && !row.getString(1).equals("UTF8")) {
                throw new DatabaseFailure(
                        "the database has the encoding %s; create it with ENCODING 'UTF8' TEMPLATE template0"
                                .formatted(row.getString(1)));
            }
        } catch (SQLException e) {
            throw DatabaseFailure.of(UPGRADING, e);
        }
        try {
            Flyway.configure()
                    .dataSource(db.withoutLimits())
                    .callbacks(new TableStatistics.BeforeMigrations())
                    .initSql(Db.WITHOUT_LIMITS)
                    .locations("classpath:db/migration")
                    .javaMigrations(new NameKeys())
                    .lockRetryCount(-1) // Waits for another replica without a limit.
                    .load()
                    .migrate();
        } catch (FlywayException e) {
            throw DatabaseFailure.of(UPGRADING, e);
        }
    }
}

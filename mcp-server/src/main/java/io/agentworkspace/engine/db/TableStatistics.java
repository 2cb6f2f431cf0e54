package io.agentworkspace.engine.db;

import java.sql.Connection;
import java.sql.SQLException;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.callback.BaseCallback;
import org.flywaydb.core.api.callback.Context;
import org.flywaydb.core.api.callback.Event;

/**
 * PostgreSQL's statistics of tables that have grown. Autovacuum collects them after a minute at the earliest, and keeps
 * the plans that were made for empty tables until then. New statistics also replace the plans of prepared statements.
 */
public final class TableStatistics {
    /** A table has grown if it has more than twice the pages that it had when its statistics were collected. */
    private static final String COLLECT = """
            DO $$
            DECLARE
                one record;
            BEGIN
                FOR one IN
                    SELECT CAST(c.oid AS regclass) AS name
                      FROM pg_class c
                     WHERE c.relkind = 'r' AND c.relnamespace = CAST(current_schema() AS regnamespace)
                       AND pg_relation_size(c.oid) > 2 * c.relpages * CAST(current_setting('block_size') AS bigint)
                LOOP
                    EXECUTE format('ANALYZE (SKIP_LOCKED) %s', one.name);
                END LOOP;
            END $$
            """;

    private static final String LIMITS = "SELECT " + Db.LIMITS;

    private final Db db;

    public TableStatistics(Db db) {
        this.db = db;
    }

    /** Collects the statistics of tables that have grown. */
    public void collect() {
        db.bulk(() -> {
            db.limited(db.sql(LIMITS)).one(_ -> true);
            return db.withConnection(TableStatistics::collect);
        });
    }

    private static boolean collect(Connection connection) throws SQLException {
        try (var statement = connection.createStatement()) {
            return statement.execute(COLLECT);
        }
    }

    /** Collects them before each migration: it may join what was loaded, or what the migration before it wrote. */
    static final class BeforeMigrations extends BaseCallback {
        @Override
        public boolean supports(Event event, Context context) {
            return event == Event.BEFORE_EACH_MIGRATE;
        }

        @Override
        public void handle(Event event, Context context) {
            try {
                collect(context.getConnection());
            } catch (SQLException e) {
                throw new FlywayException("the statistics of tables cannot be collected", e);
            }
        }
    }
}

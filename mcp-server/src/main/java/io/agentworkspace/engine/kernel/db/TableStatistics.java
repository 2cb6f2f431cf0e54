package io.agentworkspace.engine.kernel.db;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL's statistics of tables that have grown. Autovacuum collects them after a minute at the earliest, and keeps
 * the plans that were made for empty tables until then. New statistics also replace the plans of prepared statements.
 */
public final class TableStatistics {
    /**
     * A table has grown if it has more than twice the pages that it had when its statistics were collected. Those of
     * a table of another role cannot be collected.
     */
    private static final String GROWN = """
            SELECT CAST(CAST(c.oid AS regclass) AS text) AS name
              FROM pg_class c
             WHERE c.relkind = 'r' AND c.relnamespace = CAST(current_schema() AS regnamespace)
               AND pg_has_role(c.relowner, 'USAGE')
               AND pg_relation_size(c.oid) > 2 * c.relpages * CAST(current_setting('block_size') AS bigint)
            """;

    /** It waits for no lock, also not for one of an index. */
    private static final String LIMITS =
            "SELECT set_config('statement_timeout', :statement_limit, true), set_config('lock_timeout', '100', true)";

    private final Db db;

    public TableStatistics(Db db) {
        this.db = db;
    }

    /**
     * Collects the statistics of tables that have grown, each in a transaction of its own, so that none stays locked
     * while the next one is read, and a failure does not stop the others.
     */
    public void collect() {
        @Nullable RuntimeException failure = null;
        for (var table : grown()) {
            try {
                collect(table);
            } catch (RuntimeException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Returns the names of tables that have grown, quoted where that is necessary. */
    List<String> grown() {
        return db.withConnection(TableStatistics::grown);
    }

    private void collect(String table) {
        db.bulk(() -> {
            db.limited(db.sql(LIMITS)).one(_ -> true);
            return db.withConnection(connection -> collect(connection, table));
        });
    }

    private static List<String> grown(Connection connection) throws SQLException {
        var names = new ArrayList<String>();
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery(GROWN)) {
            while (rows.next()) {
                names.add(rows.getString("name"));
            }
        }
        return names;
    }

    private static boolean collect(Connection connection, String table) throws SQLException {
        try (var statement = connection.createStatement()) {
            return statement.execute("ANALYZE (SKIP_LOCKED) " + table);
        }
    }
}

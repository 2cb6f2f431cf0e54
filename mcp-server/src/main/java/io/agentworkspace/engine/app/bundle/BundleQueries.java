package io.agentworkspace.engine.app.bundle;

import io.agentworkspace.engine.kernel.db.DatabaseFailure;
import io.agentworkspace.engine.kernel.db.migration.SchemaVersion;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Asks a database for its sizes and its work: no row of a table, no text of a statement. No tenant is concerned.
 *
 * @param user null: the URL contains the credentials
 */
public record BundleQueries(
        String url, @Nullable String user, @Nullable String password) {
    private static final String SERVER = """
            SELECT version() AS server, pg_size_pretty(pg_database_size(current_database())) AS size,
                   now() - pg_postmaster_start_time() AS up, (SELECT max(age(datfrozenxid)) FROM pg_database) AS oldest_transactions
            """;

    private static final String SETTINGS = """
            SELECT name, setting, unit
              FROM pg_settings
             WHERE name IN ('max_connections', 'shared_buffers', 'work_mem', 'effective_cache_size', 'max_wal_size', 'wal_level',
                            'synchronous_commit', 'fsync', 'archive_mode', 'autovacuum', 'jit', 'random_page_cost',
                            'default_transaction_read_only', 'server_encoding', 'lc_collate', 'TimeZone')
             ORDER BY name
            """;

    private static final String TABLES = """
            SELECT relname, reltuples::bigint AS rows, pg_total_relation_size(oid) AS bytes
              FROM pg_class
             WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'm')
             ORDER BY bytes DESC, relname
             LIMIT 100
            """;

    private static final String SESSIONS = """
            SELECT coalesce(backend_type, '') AS kind, coalesce(state, '') AS state, coalesce(wait_event_type, '') AS waits_for,
                   coalesce(wait_event, '') AS event, count(*) AS sessions, max(now() - state_change) AS longest
              FROM pg_stat_activity
             GROUP BY 1, 2, 3, 4
             ORDER BY 1, 2, 3, 4
            """;

    private static final String REPLICATION = """
            SELECT state, sync_state, pg_wal_lsn_diff(sent_lsn, replay_lsn) AS bytes_behind, replay_lag FROM pg_stat_replication
            """;

    /** @throws DatabaseFailure if the database cannot be used */
    public String read() {
        var source = new PGSimpleDataSource();
        source.setUrl(url);
        source.setConnectTimeout(5);
        source.setSocketTimeout(10);
        if (user != null) {
            source.setUser(user);
            source.setPassword(password);
        }
        try (var connection = source.getConnection()) {
            var schema = SchemaVersion.of(connection);
            return "schema version %d, the newest that this engine knows is %d%n"
                            .formatted(schema.version(), schema.newest())
                    + table(connection, "server", SERVER)
                    + table(connection, "settings", SETTINGS)
                    + table(connection, "sessions", SESSIONS)
                    + table(connection, "standbys", REPLICATION)
                    + table(connection, "tables, with estimated rows", TABLES);
        } catch (SQLException e) {
            throw DatabaseFailure.of("cannot be used", e);
        }
    }

    private static String table(Connection connection, String title, String query) throws SQLException {
        var text = new StringBuilder("\n" + title + "\n");
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery(query)) {
            var columns = rows.getMetaData();
            while (rows.next()) {
                for (var i = 1; i <= columns.getColumnCount(); i++) {
                    text.append("  ")
                            .append(columns.getColumnLabel(i))
                            .append(' ')
                            .append(rows.getString(i));
                }
                text.append('\n');
            }
        }
        return text.toString();
    }
}

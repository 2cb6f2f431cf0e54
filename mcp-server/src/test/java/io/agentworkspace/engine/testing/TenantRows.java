package io.agentworkspace.engine.testing;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Returns all rows of one tenant, read directly from the database. */
public final class TenantRows {
    private TenantRows() {}

    /** Returns the rows of each table that has a tenant_id as text, without what is written in the background. */
    public static Map<String, List<String>> of(long tenant) {
        try (var connection = DriverManager.getConnection(TestDatabase.url())) {
            var rows = new TreeMap<String, List<String>>();
            for (var table : texts(connection, """
                    SELECT c.table_name
                      FROM information_schema.columns c
                      JOIN information_schema.tables t USING (table_schema, table_name)
                     WHERE c.table_schema = 'public' AND c.column_name = 'tenant_id' AND t.table_type = 'BASE TABLE'
                       AND c.table_name NOT IN ('key_seen', 'key_usage', 'audit', 'usage', 'usage_delta', 'quota_told', 'handshake',
                                                'bank_search', 'agent_usage')
                    """)) {
                rows.put(table, texts(connection, tenant, table));
            }
            rows.remove("event_feed"); // It changes when the outbox numbers events, as do the events' rows.
            return rows;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    public static int count(long tenant, String table) {
        return all(tenant, table).size();
    }

    public static List<String> all(long tenant, String table) {
        try (var connection = DriverManager.getConnection(TestDatabase.url())) {
            return texts(connection, tenant, table);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<String> texts(Connection connection, long tenant, String table) throws SQLException {
        return texts(
                connection,
                "SELECT (to_jsonb(t) - '%s'::text[])::text FROM %s t WHERE tenant_id = %d ORDER BY 1"
                        .formatted(table.equals("event") ? "{seq}" : "{used_at}", table, tenant));
    }

    private static List<String> texts(Connection connection, String query) throws SQLException {
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery(query)) {
            var texts = new ArrayList<String>();
            while (rows.next()) {
                texts.add(rows.getString(1));
            }
            return texts;
        }
    }
}

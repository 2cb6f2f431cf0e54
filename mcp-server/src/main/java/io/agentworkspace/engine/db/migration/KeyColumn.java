package io.agentworkspace.engine.db.migration;

import io.agentworkspace.engine.db.SqlTemplate;
import java.util.List;

/** The statements for a column with keys of names, also of what was deleted. */
record KeyColumn(String stored, String change) {
    /** Keys of visible ASCII characters with single blanks between them stay the same. */
    private static final String STORED = """
            SELECT DISTINCT tenant_id, {column} AS key FROM {table} WHERE {column} COLLATE "C" !~ '^[!-~]+( [!-~]+)*$'
            """;

    private static final String CHANGE = """
            UPDATE {table} t SET {column} = c.new
              FROM name_key_change c WHERE c.tenant_id = t.tenant_id AND c.old = t.{column}
            """;

    static final List<KeyColumn> ALL = List.of(
            KeyColumn.of("tenant", "name_key"),
            KeyColumn.of("app_user", "name_key"),
            KeyColumn.of("agent", "name_key"),
            KeyColumn.of("domain", "name_key"),
            KeyColumn.of("zone", "name_key"),
            KeyColumn.of("bank", "name_key"),
            KeyColumn.of("memory", "name_key"),
            KeyColumn.of("memory_revision", "name_key"),
            KeyColumn.of("rule", "name_key"),
            KeyColumn.of("document", "name_key"),
            KeyColumn.of("document_version", "name_key"),
            KeyColumn.of("document_memory", "name_key"),
            KeyColumn.of("audit", "user_key"),
            KeyColumn.of("audit", "target_key"));

    static KeyColumn of(String table, String column) {
        return new KeyColumn(
                SqlTemplate.of(STORED)
                        .with("table", table)
                        .with("column", column)
                        .sql(),
                SqlTemplate.of(CHANGE)
                        .with("table", table)
                        .with("column", column)
                        .sql());
    }
}

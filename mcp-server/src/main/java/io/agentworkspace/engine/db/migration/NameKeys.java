package io.agentworkspace.engine.db.migration;

import io.agentworkspace.engine.model.problem.Name;
import java.sql.Connection;
import java.sql.SQLException;
import org.flywaydb.core.api.MigrationVersion;
import org.flywaydb.core.api.migration.Context;
import org.flywaydb.core.api.migration.JavaMigration;
import org.jspecify.annotations.Nullable;

/**
 * Migration 62: computes the keys of stored names again, as {@link Name#key} does since then. SQL cannot do this. Before,
 * {@link SameNames} renames what would have the key of something older.
 */
final class NameKeys implements JavaMigration {
    private static final int PORTION = 1_000;

    /** No other engine adds a name meanwhile. */
    private static final String LOCK = """
            LOCK TABLE tenant, app_user, agent, domain, zone, bank, memory, rule, document, document_version, document_memory
              IN SHARE ROW EXCLUSIVE MODE
            """;

    /** The keys that change. */
    private static final String CHANGES = """
            CREATE TEMPORARY TABLE name_key_change (
                tenant_id bigint NOT NULL, old text COLLATE "C" NOT NULL, new text COLLATE "C" NOT NULL,
                PRIMARY KEY (tenant_id, old)) ON COMMIT DROP
            """;

    private static final String ADD_CHANGE =
            "INSERT INTO name_key_change (tenant_id, old, new) VALUES (?, ?, ?) ON CONFLICT DO NOTHING";

    private static final String ANALYZE = "ANALYZE name_key_change";

    @Override
    public MigrationVersion getVersion() {
        return MigrationVersion.fromVersion("62");
    }

    @Override
    public String getDescription() {
        return "name keys";
    }

    @Override
    public @Nullable Integer getChecksum() {
        return null;
    }

    @Override
    public boolean canExecuteInTransaction() {
        return true;
    }

    @Override
    public void migrate(Context context) throws SQLException {
        var connection = context.getConnection();
        run(connection, LOCK);
        run(connection, CHANGES);
        var changes = 0;
        for (var column : KeyColumn.ALL) {
            changes += collect(connection, column);
        }
        if (changes == 0) {
            return;
        }
        run(connection, ANALYZE);
        new SameNames(connection).rename();
        for (var column : KeyColumn.ALL) {
            run(connection, column.change());
        }
    }

    /** Returns how many keys of the column change. */
    private static int collect(Connection connection, KeyColumn column) throws SQLException {
        var changes = 0;
        try (var stored = connection.prepareStatement(column.stored());
                var add = connection.prepareStatement(ADD_CHANGE)) {
            stored.setFetchSize(PORTION);
            try (var rows = stored.executeQuery()) {
                while (rows.next()) {
                    var old = rows.getString("key");
                    var key = Name.key(old);
                    if (!key.equals(old)) {
                        add.setLong(1, rows.getLong("tenant_id"));
                        add.setString(2, old);
                        add.setString(3, key);
                        add.addBatch();
                        changes++;
                        if (changes % PORTION == 0) {
                            add.executeBatch();
                        }
                    }
                }
            }
            add.executeBatch();
        }
        return changes;
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}

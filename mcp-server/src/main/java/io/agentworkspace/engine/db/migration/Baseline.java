package io.agentworkspace.engine.db.migration;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import org.flywaydb.core.api.MigrationVersion;
import org.flywaydb.core.api.migration.Context;
import org.flywaydb.core.api.migration.baseline.BaselineJavaMigration;

/**
 * The schema of a new database: a file for each feature, in {@code db/baseline}. Flyway runs it instead of all migrations, and
 * only in an empty database. A change of the schema is made here, and as a migration for the databases that exist.
 */
final class Baseline extends BaselineJavaMigration {
    /** In this order: tables reference those of earlier files. */
    static final List<String> FILES = List.of(
            "01_tenants",
            "02_agents",
            "03_keys",
            "04_sign_in",
            "05_messages",
            "06_domains",
            "07_banks",
            "08_documents",
            "09_webhooks",
            "10_mcp",
            "11_governance",
            "12_upstreams");

    /** The superclass reads version and description from the name of the class. */
    @Override
    protected void init() {}

    @Override
    public MigrationVersion getVersion() {
        return MigrationVersion.fromVersion(Integer.toString(Migrations.NEWEST));
    }

    @Override
    public String getDescription() {
        return "baseline";
    }

    @Override
    public void migrate(Context context) throws SQLException, IOException {
        try (var statement = context.getConnection().createStatement()) {
            for (var file : FILES) {
                statement.execute(sql(file));
            }
        }
    }

    private static String sql(String file) throws IOException {
        try (InputStream in = Baseline.class.getResourceAsStream("/db/baseline/" + file + ".sql")) {
            return new String(Objects.requireNonNull(in, file).readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}

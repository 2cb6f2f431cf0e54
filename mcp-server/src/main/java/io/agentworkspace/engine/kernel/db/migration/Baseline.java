package io.agentworkspace.engine.kernel.db.migration;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.zip.CRC32;
import org.flywaydb.core.api.MigrationVersion;
import org.flywaydb.core.api.migration.Context;
import org.flywaydb.core.api.migration.JavaMigration;

/** Version 1 of the schema, that of the release 0.1.0: a file for each feature, in {@code db/baseline}. */
final class Baseline implements JavaMigration {
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

    /** That of all files. A database that was created from others is not upgraded. */
    static final int CHECKSUM = checksum();

    private static int checksum() {
        var sum = new CRC32();
        FILES.forEach(file -> sum.update(sql(file).replace("\r\n", "\n").getBytes(StandardCharsets.UTF_8)));
        return (int) sum.getValue();
    }

    @Override
    public MigrationVersion getVersion() {
        return MigrationVersion.fromVersion("1");
    }

    @Override
    public String getDescription() {
        return "baseline";
    }

    @Override
    public Integer getChecksum() {
        return CHECKSUM;
    }

    @Override
    public boolean canExecuteInTransaction() {
        return true;
    }

    @Override
    public void migrate(Context context) throws SQLException {
        try (var statement = context.getConnection().createStatement()) {
            for (var file : FILES) {
                statement.execute(sql(file));
            }
        }
    }

    private static String sql(String file) {
        try (InputStream in = Baseline.class.getResourceAsStream("/db/baseline/" + file + ".sql")) {
            return new String(Objects.requireNonNull(in, file).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

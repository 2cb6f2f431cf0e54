package io.agentworkspace.engine.kernel.db.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.kernel.db.DatabaseFailure;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationVersion;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.flywaydb.core.api.migration.Context;
import org.flywaydb.core.api.migration.JavaMigration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The baseline and the migrations. */
class MigrationsTest {
    private static final Pattern FILE = Pattern.compile("V(\\d+)__[a-z0-9_]+\\.sql");

    /** Two branches may take the same number. Git merges them, and no database can be upgraded any more. */
    @Test
    void eachHasANumberOfItsOwnAndTheNewestIsKnown() {
        var files = Repository.files("mcp-server/src/main/resources/db/migration", ".sql").stream()
                .map(file -> file.getFileName().toString())
                .toList();
        assertThat(files).allMatch(FILE.asMatchPredicate());
        var numbers = Stream.concat(
                        Stream.of(1),
                        files.stream()
                                .map(file -> FILE.matcher(file).replaceFirst("$1"))
                                .map(Integer::valueOf))
                .toList();
        assertThat(numbers).doesNotHaveDuplicates();
        assertThat(Collections.max(numbers)).isEqualTo(Migrations.NEWEST);
    }

    /** A later release adds a migration: it runs in a new database and in one that has data, and this version still starts there. */
    @Test
    void aMigrationCanBeAdded(@TempDir Path folder) throws IOException {
        Files.writeString(
                folder.resolve("V2__colours.sql"), "ALTER TABLE tenant ADD COLUMN colour text NOT NULL DEFAULT 'red'");
        try (var fresh = TestDatabase.empty("from_baseline");
                var old = TestDatabase.empty("from_release")) {
            Migrations.run(old);
            old.sql("INSERT INTO tenant (name, name_key, created_at) VALUES ('Acme', 'acme', now())")
                    .run();
            for (var db : List.of(fresh, old)) {
                later(db, folder).migrate();
                later(db, folder).validate();
                Migrations.run(db);
                assertThat(versions(db)).containsExactly(1, 2);
            }
            assertThat(old.sql("SELECT colour FROM tenant").one(row -> row.text("colour")))
                    .hasValue("red");
            old.sql("DELETE FROM tenant").run();
            assertThat(new SchemaCatalog(fresh).objects())
                    .hasSizeGreaterThan(1_000)
                    .containsExactlyElementsOf(new SchemaCatalog(old).objects());
        }
    }

    private static Flyway later(Db db, Path folder) {
        return new FluentConfiguration()
                .configuration(Migrations.flyway(db).getConfiguration())
                .locations("classpath:db/migration", "filesystem:" + folder)
                .load();
    }

    private static List<Integer> versions(Db db) {
        return db.sql("SELECT CAST(version AS integer) AS version FROM flyway_schema_history ORDER BY installed_rank")
                .list(row -> Math.toIntExact(row.number("version")));
    }

    /** An administrator may have set limits for all connections to a database. */
    @Test
    void migrationsHaveNoLimitOfTime() {
        try (var db = TestDatabase.empty("limited")) {
            db.sql("ALTER DATABASE limited SET statement_timeout = '1h'").run();
            db.sql("ALTER DATABASE limited SET lock_timeout = '1h'").run();
            var configuration = new FluentConfiguration()
                    .configuration(Migrations.flyway(db).getConfiguration());
            var last = new LimitsOfMigrations();
            configuration
                    .javaMigrations(Stream.concat(Stream.of(configuration.getJavaMigrations()), Stream.of(last))
                            .toArray(JavaMigration[]::new))
                    .load()
                    .migrate();
            assertThat(last.limits).isEqualTo("0 0");
        }
    }

    /** A migration that reads the limits which its own statements have. */
    private static final class LimitsOfMigrations implements JavaMigration {
        private String limits = "";

        @Override
        public MigrationVersion getVersion() {
            return MigrationVersion.fromVersion("9999");
        }

        @Override
        public String getDescription() {
            return "limits";
        }

        @Override
        public Integer getChecksum() {
            return 0;
        }

        @Override
        public boolean canExecuteInTransaction() {
            return true;
        }

        @Override
        public void migrate(Context context) throws SQLException {
            try (var statement = context.getConnection().createStatement();
                    var rows = statement.executeQuery(
                            "SELECT current_setting('statement_timeout') || ' ' || current_setting('lock_timeout')")) {
                rows.next();
                limits = rows.getString(1);
            }
        }
    }

    /** One replica creates the schema, the others wait for it. */
    @Test
    void replicasMayStartTogetherOnANewDatabase() throws Exception {
        try (var one = TestDatabase.empty("started_together");
                var other = TestDatabase.connect(
                        TestDatabase.url("started_together").replaceFirst("\\?.*", ""), 2);
                var replicas = Executors.newVirtualThreadPerTaskExecutor()) {
            var starts =
                    List.of(replicas.submit(() -> Migrations.run(one)), replicas.submit(() -> Migrations.run(other)));
            for (var start : starts) {
                start.get();
            }
            assertThat(versions(one)).containsOnlyOnce(Migrations.NEWEST);
        }
    }

    /** Version 1 may be of an earlier baseline, and 215 is from before there was one. */
    @ParameterizedTest
    @ValueSource(ints = {1, 215})
    void aDatabaseFromBeforeTheFirstReleaseIsRefusedAndStaysAsItIs(int version) {
        try (var db = TestDatabase.empty("older")) {
            Migrations.run(db);
            db.sql("UPDATE flyway_schema_history SET version = :version, checksum = checksum - 1")
                    .set("version", String.valueOf(version))
                    .run();
            var before = new SchemaCatalog(db).objects();
            assertThatThrownBy(() -> Migrations.run(db))
                    .isInstanceOf(DatabaseFailure.class)
                    .hasMessage(
                            "the database has a schema from before the first release (version %d), which is not upgraded; use a new database or data folder"
                                    .formatted(version));
            assertThat(new SchemaCatalog(db).objects()).isEqualTo(before);
            assertThat(versions(db)).containsExactly(version);
        }
    }

    /** Flyway has created its table, and the process ended before the schema was there. */
    @Test
    void aStartAfterAnInterruptedOneGoesOn() {
        try (var db = TestDatabase.empty("interrupted")) {
            Migrations.run(db);
            db.sql("CREATE SCHEMA aside").run();
            db.sql("ALTER TABLE flyway_schema_history SET SCHEMA aside").run();
            db.sql("DROP SCHEMA public CASCADE").run();
            db.sql("DELETE FROM aside.flyway_schema_history").run();
            db.sql("ALTER SCHEMA aside RENAME TO public").run();
            Migrations.run(db);
            assertThat(versions(db)).containsExactly(Migrations.NEWEST);
        }
    }

    /** Names are compared byte by byte, in Unicode. */
    @Test
    void aNewDatabaseHasUnicode() {
        TestDatabase.db()
                .sql("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' LOCALE_PROVIDER libc TEMPLATE template0")
                .run();
        try (var db = TestDatabase.connect(TestDatabase.url("latin"), 1)) {
            assertThatThrownBy(() -> Migrations.run(db))
                    .isInstanceOf(DatabaseFailure.class)
                    .hasMessage(
                            "the database has the encoding LATIN1; create it with ENCODING 'UTF8' TEMPLATE template0");
        }
    }
}

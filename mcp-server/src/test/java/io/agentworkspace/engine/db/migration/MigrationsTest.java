package io.agentworkspace.engine.db.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.db.DatabaseFailure;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestDatabase;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The files of the migrations. */
class MigrationsTest {
    private static final Pattern FILE = Pattern.compile("V(\\d+)__[a-z0-9_]+\\.sql");

    /** Two branches may take the same number. Git merges them, and no database can be upgraded any more. */
    @Test
    void eachHasANumberOfItsOwn() {
        var files = Repository.files("mcp-server/src/main/resources/db/migration", ".sql").stream()
                .map(file -> file.getFileName().toString())
                .toList();
        assertThat(files).isNotEmpty().allMatch(FILE.asMatchPredicate());
        assertThat(files.stream().map(file -> FILE.matcher(file).replaceFirst("$1")))
                .doesNotContain(new NameKeys().getVersion().getVersion())
                .doesNotHaveDuplicates();
    }

    /** A start compares it with the database to find out whether there is anything to do. */
    @Test
    void theirNumberIsKnown() {
        assertThat(Repository.files("mcp-server/src/main/resources/db/migration", ".sql"))
                .hasSize(Migrations.NUMBER - 1); // NameKeys is the other one.
    }

    /** Names are compared byte by byte, in Unicode. */
    @Test
    void aNewDatabaseHasUnicode() {
        TestDatabase.db()
                .sql("CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
                .run();
        try (var db = TestDatabase.connect(TestDatabase.url("latin"), 1)) {
            assertThatThrownBy(() -> Migrations.run(db))
                    .isInstanceOf(DatabaseFailure.class)
                    .hasMessage(
                            "the database has the encoding LATIN1; create it with ENCODING 'UTF8' TEMPLATE template0");
        }
    }
}

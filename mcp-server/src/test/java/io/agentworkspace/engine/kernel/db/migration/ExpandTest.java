package io.agentworkspace.engine.kernel.db.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.testing.Repository;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Migrations only add (expand). So the former version goes on working while replicas are upgraded one after the other. What it does not use any
 * more is removed a version later (contract): that migration says so in a line of its own.
 */
class ExpandTest {
    /** The line that marks a migration whose removals the former version does not notice. */
    private static final Pattern CONTRACT = Pattern.compile("(?m)^-- Contract: unused since version \\d+\\.$");

    private static final Pattern BREAKS = Pattern.compile(
            "(?is)\\bDROP\\s+(TABLE|COLUMN|VIEW|FUNCTION|TYPE|SCHEMA)\\b|\\bRENAME\\b|\\bSET\\s+NOT\\s+NULL\\b"
                    + "|\\bALTER\\s+COLUMN\\s+\\w+\\s+(SET\\s+DATA\\s+)?TYPE\\b|\\bDROP\\s+DEFAULT\\b"
                    + "|\\bADD\\s+(COLUMN\\s+)?(?!CONSTRAINT)\\w+\\s+\\w+(\\[])?\\s+NOT\\s+NULL(?!\\s+(DEFAULT|GENERATED))");

    private static boolean breaksTheFormerVersion(String sql) {
        return BREAKS.matcher(sql.replaceAll("(?m)--.*$", "")).find()
                && !CONTRACT.matcher(sql).find();
    }

    @Test
    void theFormerVersionWorksOnTheNewSchema() {
        assertThat(Repository.files("mcp-server/src/main/resources/db/migration", ".sql").stream()
                        .filter(file -> breaksTheFormerVersion(Repository.text(file))))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DROP TABLE a;",
                "ALTER TABLE a DROP COLUMN b;",
                "ALTER TABLE a RENAME COLUMN b TO c;",
                "ALTER TABLE a ALTER COLUMN b SET NOT NULL;",
                "ALTER TABLE a ALTER COLUMN b TYPE bigint;",
                "ALTER TABLE a ADD COLUMN b text NOT NULL;",
                "ALTER TABLE a\n  ADD b text[] NOT NULL;"
            })
    void whatTheFormerVersionWouldNoticeIsFound(String sql) {
        assertThat(breaksTheFormerVersion(sql)).isTrue();
        assertThat(breaksTheFormerVersion("-- Contract: unused since version 2.\n" + sql))
                .isFalse();
    }

    @Test
    void whatItDoesNotNoticeIsAllowed() {
        for (var sql : List.of(
                "CREATE TABLE a (b text NOT NULL);",
                "ALTER TABLE a ADD COLUMN b text;",
                "ALTER TABLE a ADD COLUMN b text NOT NULL DEFAULT '';",
                "DROP INDEX a_b;")) {
            assertThat(breaksTheFormerVersion(sql)).as(sql).isFalse();
        }
    }
}

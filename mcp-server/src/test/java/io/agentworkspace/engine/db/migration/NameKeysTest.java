package io.agentworkspace.engine.db.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.testing.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What happens to existing names when more spellings become one name (migration 62). */
class NameKeysTest {
    private static final String NAME = "name_keys";

    /** The keys are those of the time: lower case in NFC. */
    private static final List<String> ROWS = List.of(
            """
            INSERT INTO tenant (tenant_id, name, name_key, plan, created_at)
            VALUES (1, 'Weiẞ', 'weiß', 'free', now()), (2, 'weiss', 'weiss', 'free', now() + interval '1 hour')
            """,
            """
            INSERT INTO app_user (tenant_id, id, name, name_key, role, created_at, removed_at)
            VALUES (1, 10, 'ann  lee', 'ann  lee', 'owner', now(), NULL),
                   (1, 11, 'ann lee', 'ann lee', 'member', now() - interval '1 hour', NULL),
                   (1, 12, 'Ann   Lee', 'ann   lee', 'member', now() - interval '2 hours', now()),
                   (2, 10, 'ann  lee', 'ann  lee', 'owner', now(), NULL)
            """,
            """
            INSERT INTO agent (tenant_id, id, name, name_key, description, access, owner_id, created_at, updated_at, destroyed_at)
            VALUES (1, 20, 'GRUẞ', 'gruß', 'd', 'private', 10, now(), now(), NULL),
                   (1, 21, 'Gruß', 'gruss', 'd', 'private', 10, now() + interval '1 hour', now(), NULL),
                   (1, 22, 'gruß-2', 'gruss-2', 'd', 'private', 10, now(), now(), NULL),
                   (1, 23, 'ｋａｉ', 'ｋａｉ', 'd', 'private', 10, now(), now(), now()),
                   (1, 24, 'kai', 'kai', 'd', 'private', 10, now(), now(), NULL),
                   (1, 25, 'Ａda', 'ａda', 'd', 'private', 10, now(), now(), NULL),
                   (1, 26, 'ada', 'ada', 'd', 'private', 10, now() + interval '1 hour', now(), NULL),
                   (1, 27, 'a  da', 'a  da', 'd', 'private', 10, now(), now(), NULL),
                   (1, 28, 'a   da', 'a   da', 'd', 'private', 10, now() + interval '1 hour', now(), NULL),
                   (1, 29, repeat('x', 60) || '  yy', repeat('x', 60) || '  yy', 'd', 'private', 10, now(), now(), NULL),
                   (1, 30, repeat('x', 60) || ' yy', repeat('x', 60) || ' yy', 'd', 'private', 10, now() - interval '1 hour', now(),
                    NULL),
                   (2, 20, 'a  da', 'a  da', 'd', 'private', 10, now(), now(), NULL)
            """,
            """
            INSERT INTO bank (tenant_id, id, name, name_key, access, owner_id, created_at, updated_at)
            VALUES (1, 40, 'Box', 'box', 'private', 10, now(), now()), (1, 41, 'Ｂag', 'ｂag', 'private', 10, now(), now())
            """,
            """
            INSERT INTO memory (tenant_id, bank_id, id, name, name_key, text, tags, author_id, contributors, derived_from, created_at,
                                updated_at)
            SELECT 1, bank, gen_random_uuid(), name, name, 't', '{}', 10, '{}', '{}', now() + n * interval '1 minute', now()
              FROM (VALUES (40, 'plan/a  b.md', 1), (40, 'plan/a b.md', 2), (41, 'plan/a b.md', 3), (41, NULL, 4)) m (bank, name, n)
            """,
            "UPDATE memory SET revision = 2 WHERE tenant_id = 1 AND name_key = 'plan/a  b.md'",
            """
            WITH g AS (SELECT gen_random_uuid() AS upload, d.*
                         FROM (VALUES ('ｒeport.md', 1, 1), ('ｒeport.md', 2, 4), ('Report.md', 1, 2), ('report.md', 2, 3))
                              d (name, version, n)),
                 u AS (INSERT INTO document_upload (tenant_id, id, created_at) SELECT 1, upload, now() FROM g RETURNING id)
            INSERT INTO document (tenant_id, id, name, name_key, version, upload_id, size, sha256, owner_id, created_at, queued_at)
            SELECT 1, gen_random_uuid(), name, lower(name), version, upload, 1, name || version, 10,
                   now() + n * interval '1 minute', now()
              FROM g JOIN u ON u.id = g.upload
            """,
            """
            INSERT INTO document_version (tenant_id, name_key, last) VALUES (1, 'ｒeport.md', 2), (1, 'report.md', 2), (1, 'ｇone', 7)
            """,
            """
            INSERT INTO audit (tenant_id, at, row_id, user_name, user_key, credential, tool, target_kind, target, target_key, result,
                               request_id)
            VALUES (1, now(), gen_random_uuid(), 'ann  lee', 'ann  lee', 'c', 'AP_Read', 'agent', 'GRUẞ', 'gruß', 'done', 'r')
            """);

    private Db db;

    @BeforeEach
    void asItWasBefore() {
        db = TestDatabase.version54(NAME);
        db.transaction(() -> {
            ROWS.forEach(sql -> db.sql(sql).quiet().run());
            return true;
        });
        Migrations.run(db);
    }

    @AfterEach
    void close() {
        db.close();
        TestDatabase.db().sql("DROP DATABASE %s WITH (FORCE)".formatted(NAME)).run();
    }

    private List<String> texts(String select) {
        return db.sql(select).list(row -> row.text("v"));
    }

    @Test
    void theYoungerOfTwoWithOneNameGetsANumber() {
        assertThat(texts("SELECT name || '|' || name_key AS v FROM tenant ORDER BY tenant_id"))
                .containsExactly("Weiẞ|weiss", "weiss-2|weiss-2");
        assertThat(
                        texts(
                                "SELECT tenant_id || '|' || id || '|' || name || '|' || name_key AS v FROM app_user ORDER BY tenant_id, id"))
                .containsExactly(
                        "1|10|ann  lee-2|ann lee-2",
                        "1|11|ann lee|ann lee",
                        "1|12|Ann   Lee|ann lee",
                        "2|10|ann  lee|ann lee");
        assertThat(texts("SELECT tenant_id || '|' || name || '|' || name_key AS v FROM agent ORDER BY tenant_id, id"))
                .containsExactly(
                        "1|GRUẞ|gruss",
                        "1|Gruß-3|gruss-3",
                        "1|gruß-2|gruss-2",
                        "1|ｋａｉ|kai",
                        "1|kai|kai",
                        "1|Ａda|ada",
                        "1|ada-2|ada-2",
                        "1|a  da|a da",
                        "1|a   da-2|a da-2",
                        "1|%1$s-2|%1$s-2".formatted("x".repeat(60)),
                        "1|%1$s yy|%1$s yy".formatted("x".repeat(60)),
                        "2|a  da|a da");
        assertThat(texts("SELECT name_key AS v FROM bank ORDER BY id")).containsExactly("box", "bag");
        assertThat(
                        texts(
                                "SELECT bank_id || '|' || name || '|' || name_key AS v FROM memory WHERE name IS NOT NULL ORDER BY created_at"))
                .containsExactly(
                        "40|plan/a  b.md|plan/a b.md", "40|plan/a b-2.md|plan/a b-2.md", "41|plan/a b.md|plan/a b.md");
        assertThat(texts("SELECT name || '|' || name_key AS v FROM memory_revision"))
                .containsExactly("plan/a  b.md|plan/a b.md");
        assertThat(texts("SELECT user_key || '|' || target_key AS v FROM audit"))
                .containsExactly("ann lee|gruss");
    }

    @Test
    void aDocumentIsRenamedWithAllItsVersions() {
        assertThat(texts("SELECT name || '|' || name_key || '|' || version AS v FROM document ORDER BY created_at"))
                .containsExactly(
                        "ｒeport.md|report.md|1",
                        "report-2.md|report-2.md|1",
                        "report-2.md|report-2.md|2",
                        "ｒeport.md|report.md|2");
        assertThat(texts("SELECT name_key || '|' || last AS v FROM document_version ORDER BY name_key"))
                .containsExactly("gone|7", "report-2.md|2", "report.md|2");
    }
}

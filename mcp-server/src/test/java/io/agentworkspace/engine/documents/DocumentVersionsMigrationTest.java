package io.agentworkspace.engine.documents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.app.App;
import io.agentworkspace.engine.credentials.ApiKey;
import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.db.migration.Migrations;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What happens to existing documents when the engine begins to store the last version of each name (V41). */
@Tag("slow")
class DocumentVersionsMigrationTest {
    private static final String NAME = "document_versions";

    private static final String PEOPLE = """
            INSERT INTO tenant (tenant_id, name, name_key, plan, created_at)
            VALUES (1, 'one', 'one', 'free', now()), (2, 'two', 'two', 'free', now());
            INSERT INTO app_user (tenant_id, id, name, name_key, role, created_at)
            VALUES (1, 10, 'ann', 'ann', 'owner', now()), (2, 10, 'eve', 'eve', 'owner', now());
            INSERT INTO bank (tenant_id, id, name, name_key, access, owner_id, created_at, updated_at, deleted_at)
            VALUES (1, 20, 'Box', 'box', 'private', 10, now(), now(), NULL),
                   (1, 21, 'Old', 'old', 'private', 10, now(), now(), now()),
                   (2, 20, 'Box', 'box', 'private', 10, now(), now(), NULL)
            """;

    /** Each document has a file, whose content is its id. */
    private static final String DOCUMENTS = """
            CREATE TEMPORARY TABLE given AS
            SELECT gen_random_uuid() AS id, gen_random_uuid() AS upload, g.*
              FROM (VALUES (1, 'Guide.md', 1, 'rejected'), (1, 'Guide.md', 2, 'accepted'), (1, 'GUIDE.md', 3, 'queued'),
                           (1, 'taken.md', 1, 'validating'), (1, 'no.md', 4, 'rejected'), (1, 'less.md', 2, 'accepted'),
                           (2, 'Guide.md', 7, 'accepted')) g (tenant, name, version, state);
            INSERT INTO document_upload (tenant_id, id, created_at) SELECT tenant, upload, now() FROM given;
            INSERT INTO document_chunk (tenant_id, upload_id, n, bytes)
            SELECT tenant, upload, 0, convert_to(id::text, 'UTF8') FROM given;
            INSERT INTO document (tenant_id, id, name, name_key, version, upload_id, size, sha256, owner_id, state, characters,
                                  created_at, validated_at, queued_at, attempts, claim, lease_until, begun_at)
            SELECT tenant, id, name, lower(name), version, upload, 36, encode(sha256(convert_to(id::text, 'UTF8')), 'hex'), 10, state,
                   CASE WHEN state = 'accepted' THEN 36 END, now(),
                   CASE WHEN state IN ('accepted', 'rejected') THEN now() END, now(),
                   CASE WHEN state = 'queued' THEN 0 ELSE 1 END,
                   CASE WHEN state = 'validating' THEN gen_random_uuid() END,
                   CASE WHEN state = 'validating' THEN now() - interval '1 minute' END,
                   CASE WHEN state <> 'queued' THEN now() END
              FROM given;
            INSERT INTO document_part (tenant_id, document_id, n, characters, blocks)
            SELECT tenant, id, 0, 36, format('[{"kind":"paragraph","level":0,"text":"%s"}]', id)
              FROM given WHERE state = 'accepted'
            """;

    /** The documents of some memories are deleted: all of them, or only the newest version. */
    private static final String MEMORIES = """
            CREATE TEMPORARY TABLE loaded AS
            SELECT gen_random_uuid() AS id, g.*
              FROM (VALUES (1, 20, 'guide.md', 2, false), (1, 20, 'gone.md', 5, false), (1, 21, 'gone.md', 6, false),
                           (1, 20, 'trashed.md', 3, true), (1, 20, 'less.md', 8, false),
                           (2, 20, 'gone.md', 9, false)) g (tenant, bank, name, version, trashed);
            INSERT INTO memory (tenant_id, bank_id, id, text, tags, author_id, contributors, derived_from, created_at, updated_at,
                                deleted_at)
            SELECT tenant, bank, id, name, '{}', 10, '{}', '{}', now(), now(), CASE WHEN trashed THEN now() END FROM loaded;
            INSERT INTO document_memory (tenant_id, bank_id, memory_id, name_key, document_id, version, n, digest)
            SELECT l.tenant, l.bank, l.id, l.name, COALESCE(g.id, gen_random_uuid()), l.version, 1, 'd'
              FROM loaded l LEFT JOIN given g ON g.tenant = l.tenant AND lower(g.name) = l.name AND g.version = l.version
            """;

    private static final String BEFORE = """
            SELECT jsonb_build_object('documents', (SELECT jsonb_agg(to_jsonb(d) - 'declared_charset' ORDER BY d.tenant_id, d.id) FROM document d),
                                      'parts', (SELECT jsonb_agg(p ORDER BY p.document_id) FROM document_part p),
                                      'memories', (SELECT jsonb_agg(m ORDER BY m.memory_id) FROM document_memory m))::text
            """;

    private final ApiKey key = ApiKey.generate(new SecureRandom());
    private Db db;

    @BeforeEach
    void asItWasBefore() {
        db = TestDatabase.empty(NAME);
        Flyway.configure()
                .dataSource(db.withoutLimits())
                .locations("classpath:db/migration")
                .target("40")
                .load()
                .migrate();
        db.transaction(() -> {
            for (var script : List.of(PEOPLE, DOCUMENTS, MEMORIES)) {
                for (var statement : script.split(";\n")) {
                    db.sql(statement).run();
                }
            }
            return true;
        });
        db.sql("""
                INSERT INTO api_key (tenant_id, id, secret_hash, user_id, name, capabilities, created_at)
                VALUES (1, :id, :hash, 10, 'k', '{*}', now())
                """).set("id", key.id()).set("hash", key.secretHash()).run();
    }

    @AfterEach
    void close() {
        db.close();
        TestDatabase.db().sql("DROP DATABASE %s WITH (FORCE)".formatted(NAME)).run();
    }

    private String text(String select) {
        return db.sql("SELECT (%s) AS text".formatted(select))
                .one(row -> row.text("text"))
                .orElseThrow();
    }

    @Test
    void theLastVersionIsThatOfDocumentsAndOfWhatWasLoaded() {
        var before = text(BEFORE);
        Migrations.run(db);
        assertThat(db.sql("SELECT tenant_id || ' ' || name_key || ' ' || last AS v FROM document_version ORDER BY 1")
                        .list(row -> row.text("v")))
                .containsExactly(
                        "1 gone.md 6",
                        "1 guide.md 3",
                        "1 less.md 8",
                        "1 no.md 4",
                        "1 taken.md 1",
                        "1 trashed.md 3",
                        "2 gone.md 9",
                        "2 guide.md 7");
        assertThat(text(BEFORE)).as("nothing else changes").isEqualTo(before);
    }

    /** The engine goes on with what it finds: the queue takes what waits, and no number is given twice. */
    @Test
    void theEngineGoesOn() throws Exception {
        try (var app = TestServer.start(Map.of("ENGINE_DATABASE_URL", TestDatabase.url(NAME)))) {
            for (var next : Map.of(
                            "guide.MD", 4, "taken.md", 2, "no.md", 5, "less.md", 9, "Gone.md", 7, "trashed.md", 4)
                    .entrySet()) {
                var submitted = call(app, "DC_Submit", "{'name':'%s','text':'new %1$s'}".formatted(next.getKey()));
                assertThat(submitted.number("/document/version"))
                        .as(next.getKey())
                        .isEqualTo(next.getValue().longValue());
            }
            await().until(() -> text("SELECT count(*)::text FROM document WHERE tenant_id = 1 AND state = 'accepted'")
                    .equals("10"));
            assertThat(call(app, "DC_Read", "{'id':'guide.md','version':2,'part':'text'}")
                            .text("/text"))
                    .hasSize(36);
            var old = call(app, "DC_Delete", "{'id':'guide.md','dry_run':true}");
            assertThat(old.number("/memories")).isEqualTo(1);
            assertThat(call(app, "MB_Load", "{'target':{'bank':'Box'},'vx':{'name':'guide.md'}}")
                            .number("/document/removed"))
                    .isEqualTo(1);
        }
    }

    private Reply call(App app, String tool, String arguments) {
        return ClientApi.REST
                .call(
                        app.baseUrl(),
                        key.reveal(),
                        tool,
                        Json.readObject(arguments.replace('\'', '"').getBytes(java.nio.charset.StandardCharsets.UTF_8)))
                .ok();
    }
}

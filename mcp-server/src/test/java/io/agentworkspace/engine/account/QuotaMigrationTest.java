package io.agentworkspace.engine.account;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.db.migration.Migrations;
import io.agentworkspace.engine.testing.TestDatabase;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;

/** The migration to quotas counts what already exists. */
class QuotaMigrationTest {
    private static final String WORKSPACE = """
            WITH t AS (INSERT INTO tenant (name, name_key, plan, created_at)
                       SELECT n, n, 'free', now() FROM unnest(ARRAY['a', 'b']) n RETURNING tenant_id),
                 u AS (INSERT INTO app_user (tenant_id, name, name_key, role, created_at)
                       SELECT tenant_id, 'ann', 'ann', 'owner', now() FROM t RETURNING tenant_id, id),
                 a AS (INSERT INTO agent (tenant_id, name, name_key, description, access, owner_id, created_at, updated_at,
                                          destroyed_at)
                       SELECT tenant_id, 'a' || i, 'a' || i, 'd', 'private', id, now(), now(), CASE WHEN i = 1 THEN now() END
                         FROM u, generate_series(1, 4) i),
                 d AS (INSERT INTO domain (tenant_id, name, name_key, description, access, owner_id, created_at, updated_at)
                       SELECT tenant_id, 'd', 'd', 'd', 'private', id, now(), now() FROM u),
                 b AS (INSERT INTO bank (tenant_id, name, name_key, access, owner_id, created_at, updated_at, deleted_at)
                       SELECT tenant_id, 'b' || i, 'b' || i, 'private', id, now(), now(), CASE WHEN i = 1 THEN now() END
                         FROM u, generate_series(1, 2) i RETURNING tenant_id, id),
                 m AS (INSERT INTO memory (tenant_id, bank_id, id, text, tags, author_id, contributors, derived_from,
                                           created_at, updated_at)
                       SELECT tenant_id, id, gen_random_uuid(), 't', '{}', 1, '{}', '{}', now(), now()
                         FROM b, generate_series(1, 5))
            INSERT INTO webhook_endpoint (tenant_id, id, url, events, created_at, updated_at, deleted_at, secret)
            SELECT tenant_id, gen_random_uuid(), 'https://example.com/', '{*}', now(), now(),
                   CASE WHEN i = 1 THEN now() END, 's'
              FROM u, generate_series(1, 2) i
            """;

    @Test
    void whatThereIsIsCounted() {
        TestDatabase.db().sql("CREATE DATABASE before_quotas").run();
        var postgres = TestDatabase.postgres();
        var url = postgres.jdbcUrl().replaceFirst("/[^/]*$", "/before_quotas");
        try (var db = TestDatabase.connect(url, 2)) {
            Flyway.configure()
                    .dataSource(db.withoutLimits())
                    .locations("classpath:db/migration")
                    .target("13")
                    .load()
                    .migrate();
            db.sql(WORKSPACE).run();
            Migrations.run(db);
            PlanLimits.publish(db);
            var counts = db.sql("SELECT scope || ' ' || count AS n FROM usage_now ORDER BY tenant_id, scope")
                    .list(row -> row.text("n"));
            var each = java.util.List.of("agents 3", "banks 2", "domains 1", "memories 10", "webhook_endpoints 1");
            assertThat(counts).hasSize(10);
            assertThat(counts.subList(0, 5)).isEqualTo(each);
            assertThat(counts.subList(5, 10)).isEqualTo(each);
        }
    }
}

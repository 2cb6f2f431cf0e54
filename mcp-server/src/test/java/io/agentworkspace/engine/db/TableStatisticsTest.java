package io.agentworkspace.engine.db;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.testing.TestDatabase;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;

/** What PostgreSQL knows of tables that were filled a moment ago, before autovacuum has looked at them. */
class TableStatisticsTest {
    private static void load(Db db, int from, int count) {
        db.sql("""
                INSERT INTO tenant (tenant_id, name, name_key, plan, created_at)
                SELECT 90000000 + n, 'small ' || n, 'small ' || n, 'unlimited', now()
                  FROM generate_series(:from, :last) n
                """).set("from", from).set("last", from + count - 1).run();
    }

    private static long rows(Db db) {
        return db.sql("SELECT CAST(reltuples AS bigint) AS rows FROM pg_class WHERE relname = 'tenant'")
                .one(row -> row.number("rows"))
                .orElseThrow();
    }

    @Test
    void theyFollowTheGrowthOfATable() {
        try (var db = TestDatabase.fresh("grown")) {
            var statistics = new TableStatistics(db);
            load(db, 0, 2_000);
            statistics.collect();
            assertThat(rows(db)).isEqualTo(2_000);
            load(db, 2_000, 100);
            statistics.collect();
            assertThat(rows(db)).isEqualTo(2_000);
            load(db, 2_100, 7_900);
            statistics.collect();
            assertThat(rows(db)).isEqualTo(10_000);
        }
    }

    @Test
    void aMigrationHasThoseOfRowsThatWereJustLoaded() {
        try (var db = TestDatabase.empty("loaded")) {
            Flyway.configure()
                    .dataSource(db.withoutLimits())
                    .locations("classpath:db/migration")
                    .target("53")
                    .load()
                    .migrate();
            load(db, 0, 2_000);
            Migrations.run(db);
            assertThat(rows(db)).isEqualTo(2_000);
        }
    }
}

package io.agentworkspace.engine.kernel.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.testing.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What PostgreSQL knows of tables that were filled a moment ago, before autovacuum has looked at them. */
class TableStatisticsTest {
    private static void load(Db db, int from, int count) {
        db.sql("""
                INSERT INTO tenant (tenant_id, name, name_key, created_at)
                SELECT 90000000 + n, 'small ' || n, 'small ' || n, now()
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

    /** The statistics of a table whose index fails cannot be collected; those of other tables can. */
    @Test
    void oneThatFailsUndoesNoOther() {
        try (var db = TestDatabase.fresh("failing")) {
            db.sql(
                            "CREATE FUNCTION spoilt(n integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN n; END'")
                    .run();
            for (var table : List.of("aa_spoilt", "zz_spoilt")) {
                db.sql("CREATE TABLE %s AS SELECT n FROM generate_series(1, 2000) n".formatted(table))
                        .run();
                db.sql("CREATE INDEX ON %s (spoilt(n))".formatted(table)).run();
            }
            db.sql("CREATE OR REPLACE FUNCTION spoilt(n integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE"
                            + " AS 'BEGIN RETURN 1 / 0; END'")
                    .run();
            db.sql("UPDATE pg_class SET relpages = 0 WHERE relname LIKE '__!_spoilt' ESCAPE '!'")
                    .run();
            load(db, 0, 2_000);
            var statistics = new TableStatistics(db);
            assertThat(statistics.grown()).contains("aa_spoilt", "zz_spoilt", "tenant");
            assertThatThrownBy(statistics::collect).isInstanceOf(SqlFailure.class);
            assertThat(rows(db)).isEqualTo(2_000);
            assertThat(statistics.grown()).contains("aa_spoilt", "zz_spoilt").doesNotContain("tenant");
        }
    }

    @Test
    void tablesOfAnotherRoleAreLeftAlone() {
        try (var db = TestDatabase.fresh("foreign_table")) {
            load(db, 0, 2_000);
            db.sql("CREATE ROLE no_owner LOGIN PASSWORD 'no-owner'").run();
            db.sql("CREATE TABLE own AS SELECT n FROM generate_series(1, 2000) n")
                    .run();
            db.sql("ALTER TABLE own OWNER TO no_owner").run();
            try (var theirs =
                    new Db(TestDatabase.url("foreign_table").replaceFirst("\\?.*", ""), "no_owner", "no-owner", 1)) {
                assertThat(new TableStatistics(theirs).grown()).containsExactly("own");
            }
        }
    }
}

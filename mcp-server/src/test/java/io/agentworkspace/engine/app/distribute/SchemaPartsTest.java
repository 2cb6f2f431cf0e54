package io.agentworkspace.engine.app.distribute;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.app.distribute.Cluster.Place;
import io.agentworkspace.engine.app.distribute.Cluster.Table;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.testing.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Which tables of the real schema are distributed, and what is dropped for it and made again. */
class SchemaPartsTest {
    private static Db db;

    @BeforeAll
    static void open() {
        db = TestDatabase.fresh("distribute_parts");
    }

    @AfterAll
    static void close() {
        db.close();
    }

    private static List<String> found(String sql) {
        return db.sql(sql).list(row -> row.text("found"));
    }

    private static ClusterQueries queries() {
        return ClusterQueries.begin(TestDatabase.url("distribute_parts"), null, null);
    }

    private static List<String> names(Cluster cluster, Place wanted) {
        return cluster.tables().stream()
                .filter(table -> table.wanted() == wanted)
                .map(Table::name)
                .toList();
    }

    @Test
    void eachTableOfTenantsIsDistributedAndNoneOfTheDirectory() {
        try (var queries = queries()) {
            var cluster = queries.read();
            assertThat(names(cluster, Place.COPIED)).containsExactly("plan_limit", "tenant");
            assertThat(names(cluster, Place.DISTRIBUTED)).containsExactlyInAnyOrderElementsOf(found("""
                    SELECT table_name AS found
                      FROM information_schema.columns
                     WHERE table_schema = 'public' AND column_name = 'tenant_id' AND table_name NOT IN ('tenant', 'directory')
                       AND table_name NOT IN (SELECT table_name FROM information_schema.views WHERE table_schema = 'public')
                    """));
            assertThat(Distribution.moves(cluster))
                    .extracting(move -> String.join(" beside ", move.values()))
                    .startsWith("plan_limit", "tenant", "access_version beside none", "agent beside access_version");
        }
    }

    @Test
    void unloggedTablesAreKnown() {
        assertThat(found("SELECT relname AS found FROM pg_class WHERE relpersistence = 'u' AND relkind = 'r'"))
                .containsExactlyInAnyOrderElementsOf(SchemaParts.UNLOGGED);
    }

    /** What Citus loses is lost here by other means: views are dropped, and comments of tables. */
    @Test
    void everythingIsMadeAgain() {
        try (var queries = queries()) {
            var cluster = queries.read();
            var moved = cluster.missing().stream().map(Table::name).toList();
            var parts = SchemaParts.ofUndone(queries, moved);
            assertThat(parts.before())
                    .filteredOn(sql -> sql.contains("DROP CONSTRAINT"))
                    .doesNotHaveDuplicates()
                    .hasSameSizeAs(found("SELECT conname AS found FROM pg_constraint WHERE contype = 'f'"));
            assertThat(parts.before())
                    .filteredOn(sql -> sql.startsWith("DROP VIEW"))
                    .hasSize(2);
            parts.before().forEach(queries::run);
            assertThat(SchemaParts.ofUndone(queries, moved).before())
                    .allSatisfy(sql -> assertThat(sql).endsWith("DISABLE TRIGGER USER"));
            parts.after().forEach(queries::run);
            assertThat(SchemaParts.ofUndone(queries, moved)).isEqualTo(parts);
        }
    }
}

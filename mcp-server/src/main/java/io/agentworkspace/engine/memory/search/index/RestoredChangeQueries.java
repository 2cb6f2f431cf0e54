package io.agentworkspace.engine.memory.search.index;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import java.util.List;

/** Changes from the backup of another database server, whose transaction numbers were higher. They would always look new. */
final class RestoredChangeQueries {
    private static final int PORTION = 1_000;

    /** A table, and what gives its rows a new number. */
    private record Renumbered(String find, String change) {}

    private static final List<Renumbered> TABLES = List.of(
            table(
                    "memory",
                    "",
                    "UPDATE memory SET revision = revision"), // Its trigger sets the number, as that of vectors does.
            table("memory_vector", "AND vectors IS NOT NULL", "UPDATE memory_vector SET vectors = vectors"),
            table("memory_gone", "", "DELETE FROM memory_gone"));

    private static Renumbered table(String table, String condition, String change) {
        return new Renumbered(
                SqlTemplate.of("""
                SELECT CAST(ctid AS text) AS place
                  FROM {table}
                 WHERE tenant_id = :tenant AND bank_id = :bank AND change > pg_current_xact_id() {condition}
                 ORDER BY change
                 LIMIT :portion
                   FOR NO KEY UPDATE
                """)
                        .with("table", table)
                        .with("condition", condition)
                        .sql(),
                SqlTemplate.of(
                                "{change} WHERE tenant_id = :tenant AND ctid = ANY (CAST(CAST(:places AS text[]) AS tid[]))")
                        .with("change", change)
                        .sql());
    }

    private RestoredChangeQueries() {}

    /** Gives them new numbers. Each portion has a transaction of its own, so that a large bank exceeds no time limit. */
    static void renumber(Db db, long tenant, long bank) {
        for (var table : TABLES) {
            while (db.transaction(() -> renumberSome(db, tenant, bank, table)) > 0) {}
        }
    }

    /** On a cluster, only a query asks the server that has the rows for its transaction; a change would ask the coordinator. */
    private static int renumberSome(Db db, long tenant, long bank, Renumbered table) {
        var places = db.sql(table.find())
                .set("tenant", tenant)
                .set("bank", bank)
                .set("portion", PORTION)
                .list(row -> row.text("place"));
        return places.isEmpty()
                ? 0
                : db.sql(table.change())
                        .set("tenant", tenant)
                        .set("places", places)
                        .quiet()
                        .run();
    }
}

package io.agentworkspace.engine.memory.search.index;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import java.util.List;

/** Changes from the backup of another database server, whose transaction numbers were higher. They would always look new. */
final class RestoredChangeQueries {
    private static final int PORTION = 1_000;

    private static final List<String> STATEMENTS = List.of(
            statement("UPDATE memory SET revision = revision", "memory", ""), // Its trigger sets the number.
            statement(
                    "UPDATE memory_vector SET change = pg_current_xact_id()",
                    "memory_vector",
                    "AND vectors IS NOT NULL"),
            statement("DELETE FROM memory_gone", "memory_gone", ""));

    private static String statement(String change, String table, String condition) {
        return SqlTemplate.of("""
                {change}
                 WHERE tenant_id = :tenant
                   AND ctid = ANY(ARRAY(SELECT ctid
                                          FROM {table}
                                         WHERE tenant_id = :tenant AND bank_id = :bank AND change > pg_current_xact_id() {condition}
                                         ORDER BY change
                                         LIMIT :portion))
                """)
                .with("change", change)
                .with("table", table)
                .with("condition", condition)
                .sql();
    }

    private RestoredChangeQueries() {}

    /** Gives them new numbers. Each portion has a transaction of its own, so that a large bank exceeds no time limit. */
    static void renumber(Db db, long tenant, long bank) {
        for (var statement : STATEMENTS) {
            int renumbered;
            do {
                renumbered = db.sql(statement)
                        .set("tenant", tenant)
                        .set("bank", bank)
                        .set("portion", PORTION)
                        .run();
            } while (renumbered > 0); // A row that something else changes meanwhile is left to the next portion.
        }
    }
}

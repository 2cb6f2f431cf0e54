package io.agentworkspace.engine.memory.search.contradictions;

import io.agentworkspace.engine.kernel.access.MemoryVisibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.tool.Call;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the newest current memories of a bank, up to limits. */
final class ContradictionQueries {
    private static final int MOST = 5_000;

    /** So many are looked at, however many of them are no longer current. */
    private static final int WALKED = 20_000;

    private static final int BYTES = 1 << 20;
    private static final int CHARACTERS = 4_000;

    private static final String NEWEST = SqlTemplate.of("""
        SELECT m.id, m.name, m.text, m.updated_at
          FROM (SELECT m.*, sum(octet_length(m.text)) OVER (ORDER BY m.created_at DESC, m.id DESC) AS bytes
                  FROM (SELECT m.id, m.name, left(m.text, :characters) AS text, m.created_at, m.updated_at
                          FROM bank b
                          CROSS JOIN LATERAL (SELECT x.*
                                                FROM memory x
                                               WHERE x.tenant_id = :tenant AND x.bank_id = b.id AND x.deleted_at IS NULL
                                               ORDER BY x.created_at DESC, x.id DESC
                                               LIMIT :walked) m
                         WHERE b.tenant_id = :tenant AND b.id = :bank AND {current}
                         ORDER BY m.created_at DESC, m.id DESC
                         LIMIT :most) m) m
         WHERE m.bytes <= :bytes
         ORDER BY m.created_at DESC, m.id DESC
        """)
            .with("current", MemoryVisibility.current("m", "b"))
            .sql();

    private final Db db;

    ContradictionQueries(Db db) {
        this.db = db;
    }

    /** A memory whose claims are compared. */
    record Compared(String id, @Nullable String name, String text, Instant updatedAt) {}

    /** @param bank one that the caller may read */
    List<Compared> newest(Call call, long bank) {
        return db.sql(call, NEWEST)
                .set("bank", bank)
                .set("walked", WALKED)
                .set("most", MOST)
                .set("bytes", BYTES)
                .set("characters", CHARACTERS)
                .list(row -> row.as(Compared.class));
    }
}

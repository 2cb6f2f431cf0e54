package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.kernel.access.MemoryVisibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.memory.search.SearchQueries.MemoryId;
import io.agentworkspace.engine.model.tool.Call;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the turns directly before and after turns of a conversation, in the same session, that readers may see. */
final class NeighbourQueries {
    private static final String NEIGHBOURS = SqlTemplate.of("""
        SELECT CAST(h.memory_id AS text) AS of, x.n < h.n AS is_before, CAST(m.id AS text) AS id,
               m.source ->> 'speaker' AS speaker, CAST(m.source ->> 'time' AS timestamptz) AS time, left(m.text, :most) AS text
          FROM unnest(CAST(:banks AS bigint[]), CAST(:ids AS uuid[])) c (bank_id, id)
          JOIN bank b ON b.tenant_id = :tenant AND b.id = c.bank_id AND b.deleted_at IS NULL
          JOIN document_memory h ON h.tenant_id = :tenant AND h.bank_id = b.id AND h.memory_id = c.id
          JOIN memory t ON t.tenant_id = :tenant AND t.bank_id = h.bank_id AND t.id = h.memory_id
          JOIN document_memory x ON x.tenant_id = :tenant AND x.name_key = h.name_key AND x.bank_id = h.bank_id
                                AND x.n IN (h.n - 1, h.n + 1)
          JOIN memory m ON m.tenant_id = :tenant AND m.bank_id = x.bank_id AND m.id = x.memory_id
         WHERE m.source ->> 'speaker' IS NOT NULL
           AND m.source ->> 'session' IS NOT DISTINCT FROM t.source ->> 'session'
           AND (CAST(:authors AS bigint[]) IS NULL OR m.author_id = ANY(CAST(:authors AS bigint[])))
           AND (CAST(:since AS timestamptz) IS NULL OR m.updated_at >= :since)
           AND (CAST(:until AS timestamptz) IS NULL OR m.updated_at <= :until)
           AND {current}
         ORDER BY x.n
        """)
            .with("current", MemoryVisibility.current("m", "b", ":now"))
            .sql();

    private final Db db;

    NeighbourQueries(Db db) {
        this.db = db;
    }

    /**
     * A neighbour of a turn.
     *
     * @param of the id of the memory that has the turn
     */
    record Neighbour(
            String of,
            boolean isBefore,
            String id,
            String speaker,
            @Nullable Instant time,
            String text) {}

    /** @param most characters of each text */
    List<Neighbour> of(Call call, Surroundings.Bounds bounds, List<MemoryId> turns, int most) {
        return db.sql(call, NEIGHBOURS)
                .set("most", most)
                .set("authors", bounds.authors())
                .set("since", bounds.since())
                .set("until", bounds.until())
                .set("banks", turns.stream().map(MemoryId::bank).toList())
                .set("ids", turns.stream().map(MemoryId::id).toList())
                .list(row -> row.as(Neighbour.class));
    }
}

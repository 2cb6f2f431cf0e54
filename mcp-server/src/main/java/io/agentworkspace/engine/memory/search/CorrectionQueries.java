package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.kernel.access.MemoryVisibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.memory.search.SearchQueries.MemoryId;
import io.agentworkspace.engine.model.tool.Call;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads what memories superseded. */
final class CorrectionQueries {
    private static final int MOST = 50;
    private static final int CHARACTERS = 8_000;

    /**
     * The readable texts that some memories of a bank superseded, the latest first, where that counts for another memory of that bank:
     * the one who superseded them wrote it, or has the permission to write now. So nobody lowers the memory of another who could not
     * supersede it himself. An administrator counts as any other user. Who superseded is the writer of the current revision if that
     * one did it, else the author: an editor who corrects a spelling does not lend his permissions to what the author superseded.
     */
    private static final String REPLACED = SqlTemplate.of("""
        SELECT o.superseded_by AS superseder, left(o.text, :characters) AS text
          FROM bank b
          JOIN memory s ON s.tenant_id = :tenant AND s.bank_id = b.id AND s.id = :stale
          JOIN memory n ON n.tenant_id = :tenant AND n.bank_id = b.id AND n.id = ANY(CAST(:superseders AS uuid[]))
          JOIN memory o ON o.tenant_id = :tenant AND o.bank_id = n.bank_id AND o.superseded_by = n.id
          CROSS JOIN LATERAL (SELECT CASE WHEN o.superseded_at = n.updated_at THEN COALESCE(n.editor_id, n.author_id)
                                          ELSE n.author_id END AS id) writer
         WHERE b.tenant_id = :tenant AND b.id = :bank AND {readable}
           AND (CAST(:as_of AS timestamptz) IS NULL
                OR COALESCE(o.superseded_at, o.updated_at) <= CAST(:as_of AS timestamptz))
           AND (s.author_id = writer.id OR b.owner_id = writer.id
                OR EXISTS (SELECT 1
                             FROM bank_grant g
                            WHERE g.tenant_id = :tenant AND g.bank_id = b.id AND writer.id IN (g.agent_id, g.owner_id)
                              AND g.permission IN ('write', 'manage'))
                OR EXISTS (SELECT 1
                             FROM agent a
                            WHERE a.tenant_id = :tenant AND a.id = writer.id AND a.owner_id = b.owner_id
                              AND a.destroyed_at IS NULL
                              AND NOT EXISTS (SELECT 1
                                                FROM bank_grant g
                                               WHERE g.tenant_id = :tenant AND g.bank_id = b.id AND g.agent_id = a.id)))
         ORDER BY o.superseded_at DESC NULLS LAST, o.id
         LIMIT :most
        """)
            .with("readable", MemoryVisibility.readable("o", "b"))
            .sql();

    private final Db db;

    CorrectionQueries(Db db) {
        this.db = db;
    }

    /** A text that is no longer right, and the memory that superseded it. */
    record ReplacedText(UUID superseder, String text) {}

    /** @param stale the memory that may repeat one of the texts */
    List<ReplacedText> replaced(Call call, MemoryId stale, List<UUID> superseders, @Nullable Instant asOf) {
        return db.sql(call, REPLACED)
                .set("bank", stale.bank())
                .set("stale", stale.id())
                .set("superseders", superseders)
                .set("as_of", asOf)
                .set("characters", CHARACTERS)
                .set("most", MOST)
                .list(row -> row.as(ReplacedText.class));
    }
}

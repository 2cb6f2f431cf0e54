package io.agentworkspace.engine.memory.search;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.agentworkspace.engine.kernel.access.MemoryVisibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.memory.banks.MemoryRow;
import io.agentworkspace.engine.memory.banks.RevisionStore;
import io.agentworkspace.engine.model.bank.Memory;
import io.agentworkspace.engine.model.tool.Call;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads the memories that indexes found, as far as the caller may see them. */
final class SearchQueries {
    private static final String VISIBLE_NOW = selecting("memory m", ":now");

    private static final String VISIBLE_THEN = selecting(RevisionStore.PAST, ":as_of");

    /** Each candidate is found by its key: for a list of keys, PostgreSQL can prefer to read another index of the whole bank. */
    private static String selecting(String memories, String at) {
        return SqlTemplate.of("""
                SELECT b.id AS bank_id, m.id, m.updated_at, m.pinned, memory.*
                  FROM bank b CROSS JOIN LATERAL (
                      SELECT m.*, CAST(NULL AS uuid) AS superseder
                        FROM unnest(CAST(:banks AS bigint[]), CAST(:ids AS uuid[])) c (bank_id, id)
                       CROSS JOIN LATERAL (SELECT *
                                             FROM {memories}
                                            WHERE m.tenant_id = :tenant AND m.bank_id = b.id AND m.id = c.id
                                           OFFSET 0) m
                       WHERE c.bank_id = b.id AND {current}
                      OFFSET 0) m
                  LEFT JOIN LATERAL (SELECT {memory} FROM (VALUES (1)) one (row) {join_writers}) memory
                         ON m.id = ANY(CAST(:on_page AS uuid[]))
                 WHERE b.tenant_id = :tenant AND b.id = ANY(CAST(:banks AS bigint[])) AND b.deleted_at IS NULL
                """)
                .with("memory", MemoryRow.columns("memory_", "b.name", "m.text"))
                .with("join_writers", MemoryRow.WRITERS)
                .with("memories", memories)
                .with("current", MemoryVisibility.current("m", "b", at))
                .sql();
    }

    private final Db db;

    SearchQueries(Db db) {
        this.db = db;
    }

    /** The bank and id of a memory. */
    record MemoryId(long bank, UUID id) {}

    /**
     * A memory that was found and that the caller may see.
     *
     * @param memory its content, if it was read
     */
    record Match(
            @JsonUnwrapped MemoryId place,
            Instant updatedAt,
            boolean isPinned,
            @Nullable Memory memory) {}

    /**
     * Returns those candidates that a search may show, now or at a time, in no order.
     *
     * @param page the candidates of which the content is read, too
     */
    List<Match> visible(Call call, List<MemoryId> candidates, List<MemoryId> page, @Nullable Instant asOf) {
        return db.sql(call, asOf == null ? VISIBLE_NOW : VISIBLE_THEN)
                .set("as_of", asOf)
                .set("banks", candidates.stream().map(MemoryId::bank).toList())
                .set("ids", candidates.stream().map(MemoryId::id).toList())
                .set("on_page", page.stream().map(MemoryId::id).toList())
                .list(row -> row.as(Match.class));
    }
}

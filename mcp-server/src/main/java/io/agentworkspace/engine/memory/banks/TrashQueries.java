package io.agentworkspace.engine.memory.banks;

import io.agentworkspace.engine.kernel.access.BankPermissionRow;
import io.agentworkspace.engine.kernel.access.MemoryVisibility;
import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.kernel.page.Cursor;
import io.agentworkspace.engine.kernel.page.ListPosition;
import io.agentworkspace.engine.kernel.page.ListSlice;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Lists the memories of a bank that are in the trash: all of them for those who may restore all, else one's own. */
final class TrashQueries {
    /** How much of a text is shown, in characters. */
    private static final int MOST_CHARACTERS = 500;

    private static final String TRASHED = SqlTemplate.of("""
            SELECT b.id AS bank_id, CAST(m.id AS text) AS id, m.name, left(m.text, {length}) AS text, author.name AS author,
                   m.created_at, m.deleted_at, m.deleted_at + CAST({kept} AS interval) AS kept_until
              FROM s, bank b JOIN app_user o ON o.tenant_id = :tenant AND o.id = b.owner_id, {permit}
                   CROSS JOIN LATERAL (
                       SELECT m.*
                         FROM memory m
                        WHERE m.tenant_id = :tenant AND m.bank_id = b.id AND m.deleted_at > :kept
                          AND (CAST(:before AS timestamptz) IS NULL
                               OR (m.deleted_at, m.id) < (CAST(:before AS timestamptz), CAST(:before_id AS uuid)))
                          AND (permit.permission = 'manage'
                               OR (b.censored_at IS NULL AND NOT m.contributors && {censored}
                                   AND (permit.permission = 'write' OR m.author_id IN (:user, :self)
                                        OR EXISTS (SELECT 1 FROM agent a
                                                    WHERE a.tenant_id = :tenant AND a.id = m.author_id
                                                      AND a.owner_id = :user))))
                        ORDER BY m.deleted_at DESC, m.id DESC
                        LIMIT :limit + 1) m
                   CROSS JOIN LATERAL (SELECT x.name FROM party x
                                        WHERE x.tenant_id = :tenant AND x.id = m.author_id OFFSET 0) author
             WHERE b.tenant_id = :tenant AND b.name_key = :key AND permit.permission <> 'none' AND {visible_bank}
             ORDER BY m.deleted_at DESC, m.id DESC
            """)
            .with("length", MOST_CHARACTERS)
            .with("kept", "'%s'".formatted(TrashStore.KEPT))
            .with("permit", BankPermissionRow.PERMIT)
            .with("censored", MemoryVisibility.censored("b"))
            .with("visible_bank", Visibility.bank("b"))
            .sql();

    private static final String READ = String.join(";\n", MemoryQueries.READ_BANK, BankPermissionRow.SUBJECT + TRASHED);

    private final Db db;
    private final BankStore banks;

    public TrashQueries(Db db, BankStore banks) {
        this.db = db;
        this.banks = banks;
    }

    /** A memory in the trash. */
    record TrashedMemory(
            @Doc("Its id: MB_Restore and MB_Destroy take it as memory.")
            String id,

            @Doc("The name that it had, if any.") @Nullable String name,

            @Doc("The beginning of its text, at most 500 characters.")
            String text,

            @Doc("The agent, or the user, who stored it first.")
            String author,

            @Doc("When it was first stored.") Instant createdAt,
            @Doc("When it was deleted.") Instant deletedAt,
            @Doc("Until then it can be restored.") Instant keptUntil) {}

    private record Found(long bank, TrashedMemory memory, String cursor) {}

    /** Returns the memories in the trash, the last deleted first, in one round trip. */
    ListSlice<TrashedMemory> read(Call call, Name bank, @Nullable Page page) {
        var limit = Page.limit(page);
        var keys = Page.after(page, 3);
        var before = ListPosition.of(keys);
        return db.sql(call, READ)
                .set("key", bank.key())
                .set("kept", call.now().minus(TrashStore.KEPT))
                .set("before", before.at())
                .set("before_id", before.id())
                .set("limit", limit)
                .all(results -> found(call, results, limit, keys))
                .orElseThrow(() -> banks.missing(call, bank));
    }

    private static Optional<ListSlice<TrashedMemory>> found(
            Call call, Statement.Results results, int limit, List<String> keys) throws SQLException {
        var bank = MemoryQueries.readBank(call, results);
        if (bank.isEmpty()) {
            return Optional.empty();
        }
        Cursor.requireSame(keys, bank.get().id());
        var all = results.list(TrashQueries::found).stream()
                // Another bank may have got the name between the two statements.
                .filter(each -> each.bank() == bank.get().id())
                .toList();
        var page = all.stream().limit(limit).toList();
        var memories = call.budget().fit(page.stream().map(Found::memory).toList());
        var cursor = memories.isEmpty() || memories.size() == all.size()
                ? null
                : page.get(memories.size() - 1).cursor();
        return Optional.of(new ListSlice<>(memories, cursor));
    }

    private static Found found(Row row) throws SQLException {
        var memory = row.as(TrashedMemory.class);
        return new Found(
                row.number("bank_id"),
                memory,
                Cursor.of(row.text("bank_id"), memory.deletedAt().toString(), memory.id()));
    }
}

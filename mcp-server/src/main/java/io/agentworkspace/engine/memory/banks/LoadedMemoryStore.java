package io.agentworkspace.engine.memory.banks;

import io.agentworkspace.engine.kernel.access.BankPermissionRow;
import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.memory.documents.LoadedMemories;
import io.agentworkspace.engine.model.access.Permission;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.change.ChangeTopic;
import io.agentworkspace.engine.model.plan.Scope;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Family;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/** The memories that were loaded from documents, in whichever bank they are. */
public final class LoadedMemoryStore implements LoadedMemories {
    private static final String HIDDEN =
            "some of its memories are in banks that you may not see, or that are in the trash: an admin can delete them with the document, or send memories=keep";

    /** Banks in the trash belong to their owners, and to the admins. */
    private static final String BANKS = BankPermissionRow.SUBJECT
            + SqlTemplate.of("""
            SELECT {permission}, l.memories, {visible_bank} AS visible,
                   b.deleted_at IS NOT NULL AND (:admin OR b.owner_id = :user) AS own_trash
              FROM s,
                   (SELECT x.bank_id, count(*) AS memories
                      FROM document_memory x
                     WHERE x.tenant_id = :tenant AND x.document_id = ANY (CAST(:documents AS uuid[]))
                     GROUP BY x.bank_id) l
                   JOIN bank b ON b.tenant_id = :tenant AND b.id = l.bank_id
                   JOIN app_user o ON o.tenant_id = :tenant AND o.id = b.owner_id, {permit}
             ORDER BY b.name_key, b.id
            """)
                    .with("permission", BankPermissionRow.COLUMNS)
                    .with("visible_bank", Visibility.bank("b"))
                    .with("permit", BankPermissionRow.PERMIT)
                    .sql();

    private static final String DELETE = """
            DELETE FROM memory m
             USING document_memory x
             WHERE x.tenant_id = :tenant AND x.document_id = ANY (CAST(:documents AS uuid[]))
               AND m.tenant_id = :tenant AND m.bank_id = x.bank_id AND m.id = x.memory_id
            RETURNING m.bank_id
            """;

    private static final String RENAME =
            "UPDATE document_memory x SET name_key = :key WHERE x.tenant_id = :tenant AND x.name_key = :former";

    private final Db db;

    public LoadedMemoryStore(Db db) {
        this.db = db;
    }

    @Override
    public List<InBank> banks(Call call, List<UUID> documents) {
        var self = call.context().self();
        var mayRead = call.caller().mayRead(Family.BANK);
        var obstacle = call.caller().obstacleToChange(Family.BANK, "deleting memories");
        var found = db.sql(call, BANKS)
                .set("self", self == null ? null : (Long) self.id())
                .set("documents", documents)
                .list(row -> {
                    var permission = BankPermissionRow.read(row);
                    var isSeen = row.flag("visible") && mayRead;
                    var isOwn = row.flag("own_trash");
                    var refusal = obstacle.or(() -> isSeen
                            ? permission.missing(Permission.WRITE)
                            : Optional.of(HIDDEN).filter(_ -> !isOwn));
                    return new InBank(isSeen ? permission.bank() : null, row.number("memories"), refusal.orElse(null));
                });
        var banks = new ArrayList<>(
                found.stream().filter(bank -> bank.name() != null).toList());
        var hidden = found.stream().filter(bank -> bank.name() == null).toList();
        if (!hidden.isEmpty()) {
            var refusal = hidden.stream()
                    .map(InBank::refusal)
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(null);
            banks.add(
                    new InBank(null, hidden.stream().mapToLong(InBank::memories).sum(), refusal));
        }
        return List.copyOf(banks);
    }

    @Override
    public void rename(Call call, String formerKey, String key) {
        db.sql(call, RENAME).set("former", formerKey).set("key", key).run();
    }

    @Override
    public long delete(Call call, List<UUID> documents) {
        var banks = db.sql(call, DELETE).set("documents", documents).list(row -> row.number("bank_id"));
        call.ended(Scope.MEMORIES, banks.size());
        call.changed(banks.stream()
                .distinct()
                .map(bank -> Change.numbered(ChangeTopic.BANK, bank))
                .toList());
        return banks.size();
    }
}

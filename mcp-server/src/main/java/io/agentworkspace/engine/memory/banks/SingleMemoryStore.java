package io.agentworkspace.engine.memory.banks;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.agentworkspace.engine.kernel.access.MemoryVisibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.model.access.Permission;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.plan.Scope;
import io.agentworkspace.engine.model.problem.MemoryName;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Deletes, destroys and restores one memory of a bank, which its id or its name selects, or several by their ids. */
final class SingleMemoryStore {
    static final Pattern ID = Pattern.compile("\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}");

    /** A hidden memory is found only by those who manage the bank. Of several in the trash the last one is meant. */
    private static final String FIND = find("""
            (m.id = CAST(:id AS uuid) OR m.name_key = :key)
             ORDER BY m.id = CAST(:id AS uuid) DESC NULLS LAST, m.deleted_at DESC NULLS FIRST, m.id
            """);

    private static final String FIND_ALL = find("m.id = ANY (CAST(:ids AS uuid[])) ORDER BY m.id");

    private static final TrashStore.Several SEVERAL = TrashStore.several("id = ANY (CAST(:ids AS uuid[]))");

    private static String find(String which) {
        return SqlTemplate.of("""
            SELECT m.id, m.name, m.name_key AS key, m.deleted_at IS NOT NULL AS trashed,
                   m.author_id = :author OR m.author_id = :acting_user
                   OR EXISTS (SELECT 1 FROM agent a
                               WHERE a.tenant_id = :tenant AND a.id = m.author_id AND a.owner_id = :acting_user) AS own,
                   NOT m.contributors && {censored} AND b.censored_at IS NULL AS shown
              FROM bank b JOIN memory m ON m.tenant_id = :tenant AND m.bank_id = b.id
             WHERE b.tenant_id = :tenant AND b.id = :bank AND (m.deleted_at IS NULL OR m.deleted_at > :kept)
               AND {which}
               FOR UPDATE OF m
            """)
                .with("censored", MemoryVisibility.censored("b"))
                .with("which", which)
                .sql();
    }

    private final Db db;

    public SingleMemoryStore(Db db) {
        this.db = db;
    }

    /** A locked memory. */
    record Single(UUID id, @Nullable String name, @Nullable String key, boolean isTrashed, boolean isOwn) {}

    /** Moves the memory to the trash. Returns whether it was not there before. */
    boolean delete(Call call, BankStore.LockedBank bank, MemoryName memory) {
        var single = found(call, memory, first(call, bank, memory, false).or(() -> first(call, bank, memory, true)));
        bank.permission().require(single.isOwn() ? Permission.APPEND : Permission.WRITE);
        return !single.isTrashed() && update(call, bank, single, "removed", """
                UPDATE memory SET deleted_at = :now WHERE tenant_id = :tenant AND bank_id = :bank AND id = :id
                """);
    }

    /** Deletes the memory permanently, also from the trash. */
    void destroy(Call call, BankStore.LockedBank bank, MemoryName memory) {
        var single = found(call, memory, first(call, bank, memory, false).or(() -> first(call, bank, memory, true)));
        if (!single.isOwn()) {
            bank.permission().require(Permission.MANAGE);
        }
        var isGone = update(call, bank, single, "removed", """
                DELETE FROM memory WHERE tenant_id = :tenant AND bank_id = :bank AND id = :id
                """);
        call.ended(Scope.MEMORIES, isGone ? 1 : 0);
    }

    /**
     * Takes the memory that was deleted last out of the trash.
     *
     * @return its id; empty if it was not in the trash
     * @throws Problem {@code conflict} if another memory has its name
     */
    Optional<UUID> restore(Call call, BankStore.LockedBank bank, MemoryName memory) {
        var trashed = first(call, bank, memory, true);
        var live = first(call, bank, memory, false);
        var single = found(call, memory, trashed.or(() -> live));
        bank.permission().require(single.isOwn() ? Permission.APPEND : Permission.WRITE);
        if (!single.isTrashed()) {
            return Optional.empty();
        }
        if (single.name() != null && isTaken(call, bank, single)) {
            throw Problem.conflict(
                    "another memory now has the name '%s': rename or delete it first".formatted(single.name()));
        }
        update(call, bank, single, "updated", """
                UPDATE memory SET deleted_at = NULL WHERE tenant_id = :tenant AND bank_id = :bank AND id = :id
                """);
        return Optional.of(single.id());
    }

    /** Moves these memories to the trash, all or none. Returns how many were not there before. */
    long deleteAll(Call call, BankStore.LockedBank bank, List<UUID> ids) {
        check(call, bank, ids);
        var deleted = MemoryStore.changed(call, bank, "removed", several(call, bank, ids, SEVERAL.delete()));
        call.details(audited("deleted", deleted, ids));
        return deleted;
    }

    /**
     * Takes these memories out of the trash, all or none. Returns how many were there.
     *
     * @throws Problem {@code conflict} if other memories have their names
     */
    long restoreAll(Call call, BankStore.LockedBank bank, List<UUID> ids) {
        check(call, bank, ids);
        var restored = SEVERAL.restore(call, bank, statement -> several(call, bank, ids, statement));
        call.details(audited("restored", restored, ids));
        return restored;
    }

    /** Returns what the audit says of several memories: how many have changed, and the ids that were sent. */
    private static String audited(String done, long changed, List<UUID> ids) {
        return "%s %,d memories, of: %s".formatted(done, changed, String.join(", ", texts(ids)));
    }

    /** Locks the memories, and refuses those that do not exist or that the caller may not delete. */
    private void check(Call call, BankStore.LockedBank bank, List<UUID> ids) {
        var found = matching(bank, finding(call, bank, FIND_ALL).set("ids", texts(ids)));
        var known = found.stream().map(Single::id).collect(Collectors.toSet());
        for (var id : ids) {
            if (!known.contains(id)) {
                throw Problem.notFound("memory", id.toString(), List.of());
            }
        }
        if (!found.stream().allMatch(Single::isOwn)) {
            bank.permission().require(Permission.WRITE);
        }
    }

    private Statement several(Call call, BankStore.LockedBank bank, List<UUID> ids, String statement) {
        return db.sql(call, statement)
                .set("bank", bank.id())
                .set("ids", texts(ids))
                .set("kept", call.now().minus(TrashStore.KEPT));
    }

    private static List<String> texts(List<UUID> ids) {
        return ids.stream().map(UUID::toString).toList();
    }

    /** Returns the id of a memory outside the trash. */
    UUID live(Call call, BankStore.LockedBank bank, MemoryName memory) {
        return found(call, memory, first(call, bank, memory, false)).id();
    }

    /** Returns the memory, which the audit then names. */
    private static Single found(Call call, MemoryName memory, Optional<Single> single) {
        var found = single.orElseThrow(() -> missing(memory));
        call.item(found.id());
        return found;
    }

    private boolean isTaken(Call call, BankStore.LockedBank bank, Single single) {
        return db.sql(call, """
                SELECT 1 FROM memory
                 WHERE tenant_id = :tenant AND bank_id = :bank AND name_key = :key AND deleted_at IS NULL
                """)
                .set("bank", bank.id())
                .set("key", single.key())
                .one(_ -> true)
                .isPresent();
    }

    private Optional<Single> first(Call call, BankStore.LockedBank bank, MemoryName memory, boolean isTrashed) {
        var finding = finding(call, bank, FIND)
                .set("id", ID.matcher(memory.text()).matches() ? memory.text() : null)
                .set("key", memory.key());
        return matching(bank, finding).stream()
                .filter(single -> single.isTrashed() == isTrashed)
                .findFirst();
    }

    private Statement finding(Call call, BankStore.LockedBank bank, String statement) {
        var self = call.context().self();
        return db.sql(call, statement)
                .set("bank", bank.id())
                .set("acting_user", call.context().user().id())
                .set("author", self == null ? call.context().user().id() : self.id())
                .set("kept", call.now().minus(TrashStore.KEPT));
    }

    private static List<Single> matching(BankStore.LockedBank bank, Statement finding) {
        var isManager = bank.permission().level() == Permission.MANAGE;
        record Found(@JsonUnwrapped Single single, boolean isShown) {}
        return finding.list(row -> row.as(Found.class)).stream()
                .filter(found -> found.isShown() || isManager)
                .map(Found::single)
                .toList();
    }

    private boolean update(Call call, BankStore.LockedBank bank, Single single, String action, String statement) {
        call.changed(Change.memories(bank.id(), action, List.of(single.id())));
        return db.sql(call, statement)
                        .set("bank", bank.id())
                        .set("id", single.id())
                        .run()
                == 1;
    }

    private static Problem missing(MemoryName memory) {
        return Problem.notFound("memory", memory.text(), List.of());
    }
}

package io.agentworkspace.engine.memory.banks;

import io.agentworkspace.engine.kernel.access.MemoryVisibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.access.Permission;
import io.agentworkspace.engine.model.bank.Memory;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.problem.MemoryName;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context.Ref;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Restores single memories: from the trash, or to the text of an earlier revision. */
public final class RevisionStore {
    /** The memories as they were at {@code :as_of}. Memories that are now censored or in the trash are not shown. */
    public static final String PAST = """
            (SELECT n.tenant_id, n.bank_id, n.id, n.author_id, n.created_at, n.deleted_at,
                    CASE WHEN n.superseded_at <= :as_of THEN n.superseded_by END AS superseded_by,
                    (CASE WHEN n.updated_at <= :as_of THEN n.revision ELSE r.revision END) AS revision,
                    CASE WHEN n.updated_at <= :as_of THEN n.name ELSE r.name END AS name,
                    CASE WHEN n.updated_at <= :as_of THEN n.name_key ELSE r.name_key END AS name_key,
                    CASE WHEN n.updated_at <= :as_of THEN n.text ELSE r.text END AS text,
                    CASE WHEN n.updated_at <= :as_of THEN n.tags ELSE r.tags END AS tags,
                    CASE WHEN n.updated_at <= :as_of THEN n.editor_id ELSE r.editor_id END AS editor_id,
                    CASE WHEN n.updated_at <= :as_of THEN n.contributors ELSE r.contributors END AS contributors,
                    CASE WHEN n.updated_at <= :as_of THEN n.derived_from ELSE r.derived_from END AS derived_from,
                    CASE WHEN n.updated_at <= :as_of THEN n.source ELSE r.source END AS source,
                    CASE WHEN n.updated_at <= :as_of THEN n.supersedes ELSE r.supersedes END AS supersedes,
                    CASE WHEN n.updated_at <= :as_of THEN n.reason ELSE r.reason END AS reason,
                    CASE WHEN n.updated_at <= :as_of THEN n.expires_at ELSE r.expires_at END AS expires_at,
                    CASE WHEN n.updated_at <= :as_of THEN n.pinned ELSE r.pinned END AS pinned,
                    CASE WHEN n.updated_at <= :as_of THEN n.updated_at ELSE r.stored_at END AS updated_at
               FROM memory n
               LEFT JOIN LATERAL (SELECT r.*
                                    FROM memory_revision r
                                   WHERE r.tenant_id = :tenant AND r.bank_id = n.bank_id AND r.memory_id = n.id
                                     AND r.stored_at <= :as_of
                                   ORDER BY r.revision DESC
                                   LIMIT 1) r ON n.updated_at > :as_of
              WHERE n.tenant_id = :tenant AND n.bank_id = b.id AND n.created_at <= :as_of
                AND (n.updated_at <= :as_of OR r.revision IS NOT NULL)) m
            """;

    private static final String NOT_HIDDEN =
            "b.censored_at IS NULL AND NOT m.contributors && " + MemoryVisibility.censored("b");

    private static final String FIND_TRASHED =
            SqlTemplate.of("""
            SELECT m.id, m.author_id
              FROM bank b JOIN memory m ON m.tenant_id = :tenant AND m.bank_id = b.id
             WHERE b.tenant_id = :tenant AND b.id = :bank AND m.name_key = :key AND m.deleted_at > :kept AND {not_hidden}
             ORDER BY m.deleted_at DESC, m.id
             LIMIT 1
               FOR UPDATE OF m
            """).with("not_hidden", NOT_HIDDEN).sql();

    /**
     * An earlier revision may be visible although the newest one is hidden. Restoring it undoes
     * the change of a censored agent.
     */
    private static final String FIND_REVISION =
            SqlTemplate.of("""
            SELECT head.id, head.author_id
              FROM bank b
              JOIN memory head ON head.tenant_id = :tenant AND head.bank_id = b.id
              JOIN memory_revision m
                ON m.tenant_id = :tenant AND m.bank_id = head.bank_id AND m.memory_id = head.id
             WHERE b.tenant_id = :tenant AND b.id = :bank AND head.name_key = :key AND head.deleted_at IS NULL
               AND m.revision = :revision AND m.replaced_at > :kept AND {not_hidden}
               FOR UPDATE OF head
            """).with("not_hidden", NOT_HIDDEN).sql();

    private static final String TAKE_BACK = """
            UPDATE memory m
               SET text = r.text, tags = r.tags, derived_from = r.derived_from, source = r.source, pinned = r.pinned,
                   contributors = ARRAY(SELECT unnest(r.contributors) UNION SELECT CAST(:author AS bigint)),
                   editor_id = NULLIF(CAST(:author AS bigint), m.author_id),
                   expires_at = CASE WHEN r.expires_at > :now THEN r.expires_at END,
                   superseded_by = NULL, superseded_at = NULL, revision = m.revision + 1, updated_at = :now
              FROM memory_revision r
             WHERE m.tenant_id = :tenant AND m.bank_id = :bank AND m.id = :id
               AND r.tenant_id = :tenant AND r.bank_id = m.bank_id AND r.memory_id = m.id AND r.revision = :revision
            """;

    private final Db db;
    private final MemoryStore memories;

    public RevisionStore(Db db, MemoryStore memories) {
        this.db = db;
        this.memories = memories;
    }

    private record MemoryAuthor(UUID id, long author) {}

    /**
     * Takes the memory of this name that was deleted last out of the trash, and returns whether it was there.
     *
     * @throws Problem {@code not_found}, {@code not_permitted}, {@code conflict} if another memory has the name
     */
    boolean takeOut(Call call, BankStore.LockedBank bank, MemoryName name) {
        var live = memories.holder(call, bank, name);
        var trashed = find(call, bank, name, FIND_TRASHED, 0);
        if (trashed.isEmpty()) {
            if (live.isEmpty() || live.get().hidden()) {
                throw Problem.notFound("memory", name.text(), List.of());
            }
            return false;
        }
        if (live.isPresent()) {
            throw Problem.conflict(
                    "another memory now has the name '%s': rename or delete it first".formatted(name.text()));
        }
        requireChange(call, bank, trashed.get());
        call.changed(Change.memories(bank.id(), "updated", List.of(trashed.get().id())));
        db.sql(call, """
                UPDATE memory SET deleted_at = NULL WHERE tenant_id = :tenant AND bank_id = :bank AND id = :id
                """).set("bank", bank.id()).set("id", trashed.get().id()).run();
        return true;
    }

    /**
     * Gives the memory with this name the text of an earlier revision, as a new revision. Returns false if
     * that was already the newest one.
     *
     * @throws Problem {@code not_found}, {@code not_permitted}
     */
    boolean takeBack(Call call, BankStore.LockedBank bank, MemoryName name, long revision) {
        var live = memories.holder(call, bank, name);
        if (live.filter(holder -> !holder.hidden() && holder.revision() == revision)
                .isPresent()) {
            return false;
        }
        var found = find(call, bank, name, FIND_REVISION, revision)
                .orElseThrow(
                        () -> Problem.notFound("revision", "%d of %s".formatted(revision, name.text()), List.of()));
        requireChange(call, bank, found);
        call.changed(Change.memories(bank.id(), "updated", List.of(found.id())));
        db.sql(call, TAKE_BACK)
                .set("bank", bank.id())
                .set("id", found.id())
                .set("author", author(call).id())
                .set("revision", revision)
                .run();
        return true;
    }

    /** Returns the memory with this name. */
    Memory read(Call call, BankStore.LockedBank bank, MemoryName name) {
        var holder = memories.holder(call, bank, name).orElseThrow();
        return memories.read(call, bank, holder.id());
    }

    private Optional<MemoryAuthor> find(
            Call call, BankStore.LockedBank bank, MemoryName name, String statement, long revision) {
        return db.sql(call, statement)
                .set("bank", bank.id())
                .set("key", name.key())
                .set("kept", call.now().minus(TrashStore.KEPT))
                .set("revision", revision)
                .one(row -> row.as(MemoryAuthor.class));
    }

    private static Ref author(Call call) {
        var self = call.context().self();
        return self == null ? call.context().user() : self;
    }

    /** Refuses the change of a censored author to a memory that others see. */
    private void requireChange(Call call, BankStore.LockedBank bank, MemoryAuthor memory) {
        var author = author(call);
        if (memories.censorship(call, bank, author).author()) {
            throw Problem.notPermitted(
                    "your writes in this bank are in quarantine, so you cannot restore memories that others read");
        }
        if (memory.author() != author.id()) {
            bank.permission().require(Permission.WRITE);
        }
    }
}

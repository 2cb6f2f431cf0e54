package io.agentworkspace.engine.banks;

import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.model.access.Permission;
import io.agentworkspace.engine.model.bank.Memory;
import io.agentworkspace.engine.model.problem.MemoryName;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context.Ref;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Single memories that come back: from the trash, or to the text of an earlier revision. */
public final class RevisionStore {
    private static final String NOT_HIDDEN =
            "b.censored_at IS NULL AND NOT m.contributors && " + MemoryVisibility.CENSORED;

    private static final String FIND_TRASHED = """
            SELECT m.id, m.author_id
              FROM bank b JOIN memory m ON m.tenant_id = b.tenant_id AND m.bank_id = b.id
             WHERE b.tenant_id = :tenant AND b.id = :bank AND m.name_key = :key AND m.deleted_at > :kept AND %s
             ORDER BY m.deleted_at DESC, m.id
             LIMIT 1
               FOR UPDATE OF m
            """.formatted(NOT_HIDDEN);

    /** An earlier revision may be shown though the newest one is hidden: that is how to undo what a censored agent changed. */
    private static final String FIND_REVISION = """
            SELECT held.id, held.author_id
              FROM bank b
              JOIN memory held ON held.tenant_id = b.tenant_id AND held.bank_id = b.id
              JOIN memory_revision m
                ON m.tenant_id = held.tenant_id AND m.bank_id = held.bank_id AND m.memory_id = held.id
             WHERE b.tenant_id = :tenant AND b.id = :bank AND held.name_key = :key AND held.deleted_at IS NULL
               AND m.revision = :revision AND m.replaced_at > :kept AND %s
               FOR UPDATE OF held
            """.formatted(NOT_HIDDEN);

    private static final String TAKE_BACK = """
            UPDATE memory m
               SET text = r.text, tags = r.tags, derived_from = r.derived_from, source = r.source, pinned = r.pinned,
                   contributors = ARRAY(SELECT unnest(r.contributors) UNION SELECT CAST(:author AS bigint)),
                   editor_id = NULLIF(CAST(:author AS bigint), m.author_id),
                   expires_at = CASE WHEN r.expires_at > :now THEN r.expires_at END,
                   superseded_by = NULL, superseded_at = NULL, revision = m.revision + 1, updated_at = :now
              FROM memory_revision r
             WHERE m.tenant_id = :tenant AND m.bank_id = :bank AND m.id = :id
               AND r.tenant_id = m.tenant_id AND r.bank_id = m.bank_id AND r.memory_id = m.id AND r.revision = :revision
            """;

    private final Db db;
    private final MemoryStore memories;

    public RevisionStore(Db db, MemoryStore memories) {
        this.db = db;
        this.memories = memories;
    }

    private record Found(UUID id, long author) {}

    /**
     * Takes the memory of this name that was deleted last out of the trash; whether it was there.
     *
     * @throws Problem {@code not_found}, {@code not_permitted}, {@code conflict} when another one has the name
     */
    boolean takeOut(Call call, BankStore.Held bank, MemoryName name) {
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
                    "another memory is called '%s' by now: rename or delete that one first".formatted(name.text()));
        }
        requireChange(call, bank, trashed.get());
        db.sql(call, """
                UPDATE memory SET deleted_at = NULL WHERE tenant_id = :tenant AND bank_id = :bank AND id = :id
                """).set("bank", bank.id()).set("id", trashed.get().id()).run();
        return true;
    }

    /**
     * Gives the memory of this name the text that it had in an earlier revision, as a new revision; whether it was not the
     * newest one.
     *
     * @throws Problem {@code not_found}, {@code not_permitted}
     */
    boolean takeBack(Call call, BankStore.Held bank, MemoryName name, long revision) {
        var live = memories.holder(call, bank, name);
        if (live.filter(holder -> !holder.hidden() && holder.revision() == revision)
                .isPresent()) {
            return false;
        }
        var found = find(call, bank, name, FIND_REVISION, revision)
                .orElseThrow(
                        () -> Problem.notFound("revision", "%d of %s".formatted(revision, name.text()), List.of()));
        requireChange(call, bank, found);
        db.sql(call, TAKE_BACK)
                .set("bank", bank.id())
                .set("id", found.id())
                .set("author", author(call).id())
                .set("revision", revision)
                .run();
        return true;
    }

    /** The memory of this name. */
    Memory read(Call call, BankStore.Held bank, MemoryName name) {
        var holder = memories.holder(call, bank, name).orElseThrow();
        return memories.read(call, bank, holder.id());
    }

    private Optional<Found> find(Call call, BankStore.Held bank, MemoryName name, String statement, long revision) {
        return db.sql(call, statement)
                .set("bank", bank.id())
                .set("key", name.key())
                .set("kept", call.now().minus(TrashStore.KEPT))
                .set("revision", revision)
                .one(row -> new Found(UUID.fromString(row.text("id")), row.number("author_id")));
    }

    private static Ref author(Call call) {
        var self = call.context().self();
        return self == null ? call.context().user() : self;
    }

    /** Whose writes are in quarantine changes nothing that others read. */
    private void requireChange(Call call, BankStore.Held bank, Found memory) {
        var author = author(call);
        if (memories.censorship(call, bank, author).author()) {
            throw Problem.notPermitted(
                    "what you write in this bank is kept in quarantine, so you cannot bring back what others read");
        }
        if (memory.author() != author.id()) {
            bank.permission().require(Permission.WRITE);
        }
    }
}

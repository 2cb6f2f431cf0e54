package io.agentworkspace.engine.memory.banks;

import io.agentworkspace.engine.kernel.access.MemoryVisibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.model.bank.Memory;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.plan.Scope;
import io.agentworkspace.engine.model.problem.MemoryName;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context.Ref;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Writes memories. Outside the trash, {@code name_key} is unique in a bank: the memory that has it holds the name. A
 * memory that lost its name to another one still shows it.
 */
public final class MemoryStore {
    /** The vectors of a memory that the statement before has written. A trigger has queued it for them. */
    private static final String EMBEDDED = """
            ;
            INSERT INTO memory_vector (tenant_id, bank_id, memory_id, revision, model, vectors)
            SELECT m.tenant_id, m.bank_id, m.id, m.revision, CAST(:model AS text), CAST(:vectors AS bytea)
              FROM memory m
             WHERE m.tenant_id = :tenant AND m.bank_id = :bank AND m.id = :id
            ON CONFLICT (tenant_id, bank_id, memory_id, revision) DO UPDATE SET model = excluded.model, vectors = excluded.vectors
            """;

    /** A statement that writes a memory {@code m}. */
    private record Writing(String alone, String withVectors) {
        static Writing of(String m, String then) {
            return new Writing(m + then, m + then + EMBEDDED);
        }
    }

    /** A memory that has just been written, which nothing supersedes. */
    private static final String WRITTEN = SqlTemplate.of("""
            SELECT {memory} FROM (SELECT m.*, CAST(NULL AS uuid) AS superseder FROM m) m {join_writers}
            """)
            .with("memory", MemoryRow.columns("CAST(:bank_name AS text)"))
            .with("join_writers", MemoryRow.WRITERS)
            .sql();

    private static final String READ_CONTRIBUTORS = SqlTemplate.of("""
            SELECT m.id, m.contributors
              FROM bank b JOIN memory m ON m.tenant_id = :tenant AND m.bank_id = b.id
             WHERE b.tenant_id = :tenant AND b.id = :bank AND m.id = ANY (CAST(:origins AS uuid[])) AND {readable}
               FOR SHARE OF m
            """)
            .with("readable", MemoryVisibility.readable("m", "b"))
            .sql();

    private static final String FIND_HOLDER =
            SqlTemplate.of("""
            SELECT m.id, m.author_id, m.revision, char_length(m.text) AS length, m.contributors && {censored} AS hidden
              FROM bank b JOIN memory m ON m.tenant_id = :tenant AND m.bank_id = b.id
             WHERE b.tenant_id = :tenant AND b.id = :bank AND m.name_key = :key AND m.deleted_at IS NULL
               FOR UPDATE OF m
            """).with("censored", MemoryVisibility.censored("b")).sql();

    private static final String LOCK_SUPERSEDED = SqlTemplate.of("""
        SELECT m.id
          FROM bank b JOIN memory m ON m.tenant_id = :tenant AND m.bank_id = b.id
         WHERE b.tenant_id = :tenant AND b.id = :bank AND m.id = ANY(CAST(:ids AS uuid[])) AND {readable}
         ORDER BY m.id
           FOR UPDATE OF m
        """)
            .with("readable", MemoryVisibility.readable("m", "b"))
            .sql();

    /** It sees what was committed while the locks were awaited. */
    private static final String FIND_SUPERSEDED = SqlTemplate.of("""
        SELECT m.id, m.author_id, {superseder} AS superseder
          FROM bank b JOIN memory m ON m.tenant_id = :tenant AND m.bank_id = b.id
         WHERE b.tenant_id = :tenant AND b.id = :bank AND m.id = ANY(CAST(:ids AS uuid[])) AND {readable}
        """)
            .with("superseder", MemoryVisibility.superseder("m", MemoryVisibility.censored("b")))
            .with("readable", MemoryVisibility.readable("m", "b"))
            .sql();

    private static final String INSERTED = """
            WITH m AS (INSERT INTO memory (tenant_id, bank_id, id, name, name_key, text, tags, author_id, contributors,
                                           derived_from, supersedes, reason, expires_at, pinned, created_at, updated_at, sketch)
                       VALUES (:tenant, :bank, :id, :name, :key, :text, COALESCE(CAST(:tags AS text[]), '{}'), :author,
                               :contributors, COALESCE(CAST(:origins AS uuid[]), '{}'), :supersedes, :reason, :expires_at,
                               COALESCE(:pinned, false), :now, :now, CAST(:sketch AS bigint[]))
                       ON CONFLICT (tenant_id, bank_id, name_key) WHERE deleted_at IS NULL AND name_key IS NOT NULL DO NOTHING
                       RETURNING *)
            """;

    private static final Writing INSERT = Writing.of(INSERTED, WRITTEN);

    /** Without a name nothing can be in the way, so nothing is read back. */
    private static final Writing INSERT_UNNAMED = Writing.of(INSERTED, "SELECT 1 FROM m");

    /** A new revision is current: it is not superseded, and does not inherit the expiry of an earlier one. */
    private static final Writing REPLACE = Writing.of("""
            WITH m AS (UPDATE memory
                          SET text = CASE WHEN :append THEN text || CASE WHEN right(text, 1) = chr(10) THEN '' ELSE chr(10) END
                                          ELSE '' END || :text,
                              tags = COALESCE(CAST(:tags AS text[]), tags),
                              derived_from = CASE WHEN :append
                                                  THEN derived_from || ARRAY(SELECT unnest(CAST(:origins AS uuid[]))
                                                                             EXCEPT SELECT unnest(derived_from))
                                                  ELSE COALESCE(CAST(:origins AS uuid[]), derived_from) END,
                              contributors = ARRAY(SELECT unnest(contributors) UNION SELECT unnest(:contributors)),
                              source = NULL, editor_id = NULLIF(CAST(:author AS bigint), author_id),
                              supersedes = COALESCE(CAST(:supersedes AS uuid), supersedes),
                              reason = CASE WHEN CAST(:supersedes AS uuid) IS NULL THEN reason ELSE :reason END,
                              superseded_by = NULL, superseded_at = NULL,
                              expires_at = COALESCE(CAST(:expires_at AS timestamptz), CASE WHEN expires_at > :now THEN expires_at END),
                              pinned = COALESCE(:pinned, pinned), revision = revision + 1, updated_at = :now,
                              sketch = CASE WHEN NOT :append THEN CAST(:sketch AS bigint[]) END
                        WHERE tenant_id = :tenant AND bank_id = :bank AND id = :id
                    RETURNING *)
            """, WRITTEN);

    private static final String READ = SqlTemplate.of("""
            SELECT {memory}
              FROM (SELECT m.*, b.name AS bank_name, {superseder} AS superseder
                      FROM bank b JOIN memory m ON m.tenant_id = :tenant AND m.bank_id = b.id
                     WHERE b.tenant_id = :tenant AND b.id = :bank AND m.id = :id) m
              {join_writers}
            """)
            .with("memory", MemoryRow.columns("m.bank_name"))
            .with("superseder", MemoryVisibility.superseder("m", MemoryVisibility.censored("b")))
            .with("join_writers", MemoryRow.WRITERS)
            .sql();

    /** Returns a statement for {@link #changed} that makes this change, which returns the id of each memory. */
    static String changing(String change) {
        return SqlTemplate.of("""
                WITH changed AS ({change})
                SELECT (SELECT count(*) FROM changed) AS memories,
                       ARRAY(SELECT CAST(id AS text) FROM changed LIMIT {named}) AS ids
                """)
                .with("change", change)
                .with("named", Change.MEMORIES_NAMED)
                .sql();
    }

    /** Runs a statement of {@link #changing}, and announces and counts the memories that it changed. */
    static long changed(Call call, BankStore.LockedBank bank, String action, Statement statement) {
        return statement
                .one(row -> {
                    var count = row.number("memories");
                    var ids = row.texts("ids").stream().map(UUID::fromString).toList();
                    call.changed(Change.memories(bank.id(), action, ids, count));
                    return count;
                })
                .orElseThrow();
    }

    private final Db db;

    public MemoryStore(Db db) {
        this.db = db;
    }

    /** The values to store. When they replace a memory, null leaves a value unchanged. */
    public record MemoryDraft(
            @Nullable MemoryName name,
            String text,
            boolean append,
            @Nullable List<String> tags,
            @Nullable List<UUID> origins,
            @Nullable List<UUID> supersedes,
            @Nullable String reason,
            @Nullable Instant expiresAt,
            @Nullable Boolean pinned,
            VectorSource.@Nullable Embedded embedded,
            @Nullable List<Long> sketch) {
        /** Returns a draft with a name and a text only. */
        public static MemoryDraft of(MemoryName name, String text) {
            return new MemoryDraft(name, text, false, null, null, null, null, null, null, null, null);
        }

        /** Returns the first of those that it supersedes. */
        @Nullable
        UUID superseded() {
            return supersedes == null ? null : supersedes.getFirst();
        }

        /** Returns the same draft with vectors. */
        MemoryDraft with(VectorSource.@Nullable Embedded vectors) {
            return new MemoryDraft(
                    name, text, append, tags, origins, supersedes, reason, expiresAt, pinned, vectors, sketch);
        }

        /** Returns the same draft with the sketch of its text. */
        MemoryDraft with(List<Long> madeSketch) {
            return new MemoryDraft(
                    name, text, append, tags, origins, supersedes, reason, expiresAt, pinned, embedded, madeSketch);
        }
    }

    /** The memory that holds a name. */
    public record NameHolder(UUID id, long author, long revision, long length, boolean hidden) {}

    /** A memory that another one is to supersede, and the one that already does. */
    record Superseded(UUID id, long author, @Nullable String superseder) {}

    /** The reasons why readers cannot see a new memory: the bank is censored, or its author in this bank. */
    public record Censorship(boolean bank, boolean author) {
        boolean any() {
            return bank || author;
        }
    }

    public Censorship censorship(Call call, BankStore.LockedBank bank, Ref author) {
        return db.sql(call, """
                SELECT b.censored_at IS NOT NULL AS bank,
                       EXISTS (SELECT 1 FROM bank_censor c
                                WHERE c.tenant_id = :tenant AND c.bank_id = b.id AND c.agent_id = :author) AS author
                  FROM bank b
                 WHERE b.tenant_id = :tenant AND b.id = :bank
                """)
                .set("bank", bank.id())
                .set("author", author.id())
                .one(row -> row.as(Censorship.class))
                .orElseThrow();
    }

    /**
     * Returns the contributors of the origins.
     *
     * @throws Problem {@code not_found} for an origin that readers cannot see
     */
    List<Long> contributors(Call call, BankStore.LockedBank bank, List<UUID> origins) {
        record Origin(UUID id, List<Long> contributors) {}
        var found = db.sql(call, READ_CONTRIBUTORS)
                .set("bank", bank.id())
                .set("origins", origins)
                .list(row -> row.as(Origin.class));
        for (var origin : origins) {
            if (found.stream().noneMatch(memory -> memory.id().equals(origin))) {
                throw Problem.notFound("memory", origin.toString(), List.of());
            }
        }
        return found.stream()
                .flatMap(memory -> memory.contributors().stream())
                .distinct()
                .toList();
    }

    /** Locks the memory that holds the name. */
    Optional<NameHolder> holder(Call call, BankStore.LockedBank bank, MemoryName name) {
        return db.sql(call, FIND_HOLDER)
                .set("bank", bank.id())
                .set("key", name.key())
                .one(row -> row.as(NameHolder.class));
    }

    /**
     * Locks the readable memories with these ids, in the order of the ids, so that two calls cannot deadlock over these.
     *
     * @throws Problem {@code not_found}
     */
    List<Superseded> superseded(Call call, BankStore.LockedBank bank, List<UUID> ids) {
        var locked = db.sql(call, LOCK_SUPERSEDED)
                .set("bank", bank.id())
                .set("ids", ids)
                .list(row -> row.uuid("id"));
        var found = db.sql(call, FIND_SUPERSEDED)
                .set("bank", bank.id())
                .set("ids", ids)
                .list(row -> new Superseded(row.uuid("id"), row.number("author_id"), row.textOrNull("superseder")));
        for (var id : ids) {
            if (!locked.contains(id) || found.stream().noneMatch(old -> old.id().equals(id))) {
                throw Problem.notFound("memory", id.toString(), List.of());
            }
        }
        return found;
    }

    void supersede(Call call, BankStore.LockedBank bank, List<UUID> old, String by) {
        db.sql(call, """
            UPDATE memory SET superseded_by = :by, superseded_at = :now
             WHERE tenant_id = :tenant AND bank_id = :bank AND id = ANY(CAST(:ids AS uuid[]))
            """)
                .set("bank", bank.id())
                .set("ids", old)
                .set("by", UUID.fromString(by))
                .run();
    }

    /** Returns the memory's current state, without a check of access. */
    public Memory read(Call call, BankStore.LockedBank bank, UUID id) {
        return db.sql(call, READ)
                .set("bank", bank.id())
                .set("id", id)
                .one(row -> row.as(Memory.class))
                .orElseThrow();
    }

    /** Takes the name from a hidden memory, so that another one can hold it. */
    void release(Call call, BankStore.LockedBank bank, NameHolder holder) {
        db.sql(call, """
                UPDATE memory SET name_key = NULL WHERE tenant_id = :tenant AND bank_id = :bank AND id = :id
                """).set("bank", bank.id()).set("id", holder.id()).run();
    }

    /**
     * Stores a new memory. Empty if a concurrent call took its name.
     *
     * @param holds whether it holds its name
     */
    Optional<Memory> insert(
            Call call,
            BankStore.LockedBank bank,
            Ref author,
            MemoryDraft draft,
            List<Long> contributors,
            boolean holds) {
        var id = UUID.randomUUID();
        var memory = with(call, bank, author, draft, contributors, INSERT)
                .set("id", id)
                .set("name", draft.name() == null ? null : draft.name().text())
                .set("key", draft.name() == null || !holds ? null : draft.name().key())
                .one(row -> row.as(Memory.class));
        call.created(Scope.MEMORIES, memory.isPresent() ? 1 : 0);
        memory.ifPresent(_ -> {
            call.changed(Change.memories(bank.id(), "stored", List.of(id)));
        });
        return memory;
    }

    /** Stores a new memory without a name, together with the last statement of the transaction. */
    Memory insertUnnamed(Call call, BankStore.LockedBank bank, Ref author, MemoryDraft draft, List<Long> contributors) {
        var id = UUID.randomUUID();
        with(call, bank, author, draft, contributors, INSERT_UNNAMED)
                .set("id", id)
                .set("name", null)
                .set("key", null)
                .runLate();
        call.created(Scope.MEMORIES, 1);
        call.changed(Change.memories(bank.id(), "stored", List.of(id)));
        return unnamed(call, bank, author, draft, id);
    }

    /** Returns a new memory as the database would return it. */
    private static Memory unnamed(Call call, BankStore.LockedBank bank, Ref author, MemoryDraft draft, UUID id) {
        var isUser = author.id() == call.context().user().id();
        return new Memory(
                id.toString(),
                bank.name(),
                null,
                draft.text(),
                null,
                null,
                draft.tags() == null ? List.of() : draft.tags(),
                author.name(),
                new Memory.Source(isUser ? "user" : "agent", author.name(), null, null),
                1,
                draft.origins() == null
                        ? List.of()
                        : draft.origins().stream().map(UUID::toString).toList(),
                draft.superseded() == null ? null : draft.superseded().toString(),
                null,
                draft.reason(),
                null,
                draft.expiresAt() == null ? null : stored(draft.expiresAt()),
                Boolean.TRUE.equals(draft.pinned()),
                call.now(),
                call.now());
    }

    /** Replaces the text of a locked memory, or appends to it. */
    Memory replace(
            Call call,
            BankStore.LockedBank bank,
            Ref author,
            NameHolder holder,
            MemoryDraft draft,
            List<Long> contributors) {
        call.changed(Change.memories(bank.id(), "updated", List.of(holder.id())));
        return with(call, bank, author, draft, contributors, REPLACE)
                .set("id", holder.id())
                .set("append", draft.append())
                .one(row -> row.as(Memory.class))
                .orElseThrow();
    }

    private Statement with(
            Call call,
            BankStore.LockedBank bank,
            Ref author,
            MemoryDraft draft,
            List<Long> contributors,
            Writing writing) {
        var embedded = draft.embedded();
        return db.sql(call, embedded == null ? writing.alone() : writing.withVectors())
                .set("bank", bank.id())
                .set("bank_name", bank.name())
                .set("author", author.id())
                .set("text", draft.text())
                .set("tags", draft.tags())
                .set("origins", draft.origins())
                .set("contributors", contributors)
                .set("supersedes", draft.superseded())
                .set("reason", draft.reason())
                .set("expires_at", draft.expiresAt())
                .set("pinned", draft.pinned())
                .set("model", embedded == null ? null : embedded.model())
                .set("vectors", embedded == null ? null : embedded.vectors())
                .set("sketch", draft.sketch());
    }

    /** Returns an instant as the database stores it. */
    private static Instant stored(Instant instant) {
        return instant.plusNanos(500).truncatedTo(ChronoUnit.MICROS);
    }
}

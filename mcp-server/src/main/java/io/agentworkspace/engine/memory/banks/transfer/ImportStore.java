package io.agentworkspace.engine.memory.banks.transfer;

import io.agentworkspace.engine.kernel.access.MemoryVisibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.memory.banks.BankStore;
import io.agentworkspace.engine.memory.banks.transfer.exported.MemoryLine;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.plan.Scope;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context.Ref;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Stores the lines of an import. An id counts only in its own bank: other banks and tenants may have the same one. */
final class ImportStore {
    private static final String KNOWN = SqlTemplate.of("""
        SELECT CAST(m.id AS text) AS id, m.author_id, m.revision, m.text, {readable} AS readable, m.contributors, m.expires_at
          FROM bank b JOIN memory m ON m.tenant_id = :tenant AND m.bank_id = b.id
         WHERE b.tenant_id = :tenant AND b.id = :bank AND m.id = ANY (CAST(:ids AS uuid[]))
        """)
            .with("readable", MemoryVisibility.readable("m", "b"))
            .sql();

    private static final String HOLDERS = SqlTemplate.of("""
        SELECT CAST(m.id AS text) AS id, m.name_key, m.text, {readable} AS readable,
               m.source -> 'origin' ->> 'product' AS product
          FROM bank b JOIN memory m ON m.tenant_id = :tenant AND m.bank_id = b.id
         WHERE b.tenant_id = :tenant AND b.id = :bank AND m.name_key = ANY (CAST(:keys AS text[])) AND m.deleted_at IS NULL
        """)
            .with("readable", MemoryVisibility.readable("m", "b"))
            .sql();

    /** A memory with an earlier date has a use of 0 times, which says when it arrived: what is new here is not unused. */
    private static final String INSERT = """
        WITH stored AS (
        INSERT INTO memory (tenant_id, bank_id, id, name, name_key, text, tags, author_id, editor_id, contributors, derived_from,
                            source, revision, supersedes, reason, superseded_by, superseded_at, expires_at, pinned, created_at,
                            updated_at)
        SELECT home.tenant_id, :bank, l.id, l.name, l.name_key, l.text, l.tags, l.author, l.editor, l.contributors, l.derived_from,
               l.source, l.revision, l.supersedes, l.reason, l.superseded_by, l.superseded_at, l.expires_at, l.pinned,
               l.created_at, l.updated_at
          FROM tenant_plan home CROSS JOIN jsonb_to_recordset(CAST(:rows AS jsonb)) l (
                   id uuid, name text, name_key text, text text, tags text[], author bigint, editor bigint,
                   contributors bigint[], derived_from uuid[], source jsonb, revision bigint, supersedes uuid, reason text,
                   superseded_by uuid, superseded_at timestamptz, expires_at timestamptz, pinned boolean,
                   created_at timestamptz, updated_at timestamptz)
         WHERE home.tenant_id = :tenant
            ON CONFLICT DO NOTHING
        RETURNING tenant_id, bank_id, id, created_at),
        arrived AS (
            INSERT INTO memory_use (tenant_id, bank_id, memory_id, finder_id, times, last_at, revision)
            SELECT home.tenant_id, s.bank_id, s.id, 0, 0, :now, 0
              FROM tenant_plan home CROSS JOIN stored s
             WHERE home.tenant_id = :tenant AND s.created_at < :now
            ON CONFLICT DO NOTHING)
        SELECT CAST(id AS text) AS id FROM stored
        """;

    private static final String INSERT_FORMER = """
            INSERT INTO memory_revision (tenant_id, bank_id, memory_id, revision, name, name_key, text, tags, editor_id,
                                         contributors, derived_from, source, supersedes, reason, expires_at, pinned, stored_at,
                                         replaced_at)
            SELECT home.tenant_id, :bank, l.id, l.revision, l.name, l.name_key, l.text, l.tags, l.editor, l.contributors,
                   l.derived_from, l.source, l.supersedes, l.reason, l.expires_at, l.pinned, l.updated_at, l.replaced_at
              FROM tenant_plan home CROSS JOIN jsonb_to_recordset(CAST(:rows AS jsonb)) l (
                       id uuid, revision bigint, name text, name_key text, text text, tags text[], editor bigint,
                       contributors bigint[], derived_from uuid[], source jsonb, supersedes uuid, reason text,
                       expires_at timestamptz, pinned boolean, updated_at timestamptz, replaced_at timestamptz)
             WHERE home.tenant_id = :tenant
                ON CONFLICT DO NOTHING
            RETURNING memory_id
            """;

    private static final String RELEASE = """
            UPDATE memory SET name_key = NULL WHERE tenant_id = :tenant AND bank_id = :bank AND id = ANY (CAST(:ids AS uuid[]))
            """;

    private static final String MARK = """
        UPDATE memory SET source = COALESCE(CAST(:source AS jsonb), source),
                          expires_at = COALESCE(CAST(:expires_at AS timestamptz), expires_at)
         WHERE tenant_id = :tenant AND bank_id = :bank AND id = :id
        """;

    private static final String AGENTS = """
            SELECT a.id, a.name, a.name_key, a.owner_id, o.name AS owner_name
              FROM agent a JOIN app_user o ON o.tenant_id = :tenant AND o.id = a.owner_id
             WHERE a.tenant_id = :tenant AND a.name_key = ANY (CAST(:keys AS text[])) AND a.destroyed_at IS NULL
            """;

    private static final String USERS = """
            SELECT u.id, u.name, u.name_key
              FROM app_user u
             WHERE u.tenant_id = :tenant AND u.name_key = ANY (CAST(:keys AS text[])) AND u.removed_at IS NULL
               AND (:admin OR u.id = :acting_user)
            """;

    private final Db db;

    public ImportStore(Db db) {
        this.db = db;
    }

    /** A memory that the bank has already. */
    record KnownMemory(
            long author,
            long revision,
            String text,
            boolean isReadable,
            List<Long> contributors,
            @Nullable Instant expiresAt) {}

    /**
     * The memory that holds a name.
     *
     * @param product from which it was imported; null if it was not, or has been edited since
     */
    record NameHolder(
            UUID id,
            String text,
            boolean isReadable,
            @Nullable String product) {}

    /** A line as its row. */
    record LineRow(
            String id,
            long revision,
            @Nullable String name,
            @Nullable String nameKey,
            String text,
            List<String> tags,
            long author,
            @Nullable Long editor,
            Collection<Long> contributors,
            List<String> derivedFrom,
            @Nullable ImportedSource source,
            @Nullable String supersedes,
            @Nullable String reason,
            @Nullable String supersededBy,
            @Nullable Instant supersededAt,
            @Nullable Instant expiresAt,
            boolean pinned,
            Instant createdAt,
            Instant updatedAt,
            @Nullable Instant replacedAt) {}

    /** What the import says of a memory whose author, editor or document this workspace does not have. */
    record ImportedSource(
            String kind,
            String name,
            @Nullable Long version,
            @Nullable String position,
            @Nullable String editor,
            MemoryLine.@Nullable Loaded document,
            @Nullable ObjectNode origin) {}

    /** An agent whom an import may name as an author. */
    record NamedAgent(Ref ref, long owner, String ownerName) {}

    /** Returns the memories of the bank that have these ids, also those in the trash. */
    Map<String, KnownMemory> memories(Call call, BankStore.LockedBank bank, Set<String> ids) {
        var found = new HashMap<String, KnownMemory>();
        db.sql(call, KNOWN)
                .set("bank", bank.id())
                .set("ids", List.copyOf(ids))
                .list(row -> found.put(row.text("id"), row.as(KnownMemory.class)));
        return found;
    }

    Map<String, NameHolder> holders(Call call, BankStore.LockedBank bank, Set<String> keys) {
        var found = new HashMap<String, NameHolder>();
        if (!keys.isEmpty()) {
            db.sql(call, HOLDERS)
                    .set("bank", bank.id())
                    .set("keys", List.copyOf(keys))
                    .list(row -> found.put(row.text("name_key"), row.as(NameHolder.class)));
        }
        return found;
    }

    Map<String, NamedAgent> agents(Call call, Set<String> keys) {
        var found = new HashMap<String, NamedAgent>();
        db.sql(call, AGENTS)
                .set("keys", List.copyOf(keys))
                .list(row -> found.put(
                        row.text("name_key"),
                        new NamedAgent(row.as(Ref.class), row.number("owner_id"), row.text("owner_name"))));
        return found;
    }

    /** Returns the users with these names, of those whom the caller may act for. */
    Map<String, Ref> users(Call call, Set<String> keys) {
        var found = new HashMap<String, Ref>();
        db.sql(call, USERS)
                .set("keys", List.copyOf(keys))
                .set("acting_user", call.context().user().id())
                .list(row -> found.put(row.text("name_key"), row.as(Ref.class)));
        return found;
    }

    /** Takes the names from hidden memories, so that others can hold them. */
    void release(Call call, BankStore.LockedBank bank, List<String> holders) {
        if (!holders.isEmpty()) {
            db.sql(call, RELEASE).set("bank", bank.id()).set("ids", holders).run();
        }
    }

    /** Stores what another product knows of a memory now: null leaves it as it is. */
    void mark(
            Call call,
            BankStore.LockedBank bank,
            UUID id,
            @Nullable ImportedSource source,
            @Nullable Instant expiresAt) {
        db.sql(call, MARK)
                .set("bank", bank.id())
                .set("id", id)
                .set("source", source == null ? null : Json.text(source))
                .set("expires_at", expiresAt)
                .run();
        call.changed(Change.memories(bank.id(), "stored", List.of(id)));
    }

    /** Stores new memories, and returns the ids of those that no concurrent call has stored. */
    Set<String> insert(Call call, BankStore.LockedBank bank, List<LineRow> rows) {
        if (rows.isEmpty()) {
            return Set.of();
        }
        var ids = db.sql(call, INSERT)
                .set("bank", bank.id())
                .set("rows", Json.text(rows))
                .list(row -> row.text("id"));
        call.created(Scope.MEMORIES, ids.size());
        call.changed(Change.memories(
                bank.id(), "stored", ids.stream().map(UUID::fromString).toList()));
        return new HashSet<>(ids);
    }

    /** Stores former revisions, and returns how many the bank did not have. */
    int insertFormer(Call call, BankStore.LockedBank bank, List<LineRow> rows) {
        return rows.isEmpty()
                ? 0
                : db.sql(call, INSERT_FORMER)
                        .set("bank", bank.id())
                        .set("rows", Json.text(rows))
                        .list(_ -> true)
                        .size();
    }
}

package io.agentworkspace.engine.memory.search.index;

import io.agentworkspace.engine.kernel.access.BankPermissionRow;
import io.agentworkspace.engine.kernel.access.MemoryVisibility;
import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.memory.banks.BankAccess;
import io.agentworkspace.engine.memory.banks.RevisionStore;
import io.agentworkspace.engine.model.access.Permission;
import io.agentworkspace.engine.model.access.Requirement.OfBank;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads what the indexes of banks need: the banks that the caller may read, and the changes in them. */
public final class IndexQueries {
    /** The maximum number of banks that are searched if none is named, the first by name. */
    public static final int MOST_BANKS = 200;

    /** The maximum number of changes listed with the banks. If there are more, they are read separately. */
    public static final int LISTED_CHANGES = 50;

    private static final int PORTION = 1_000;

    /** The most bytes of text of a portion, so that building an index takes little memory whatever the memories are. */
    private static final int PORTION_BYTES = 1 << 20;

    /** The maximum number of a bank's replaced memories that a search in the past includes. */
    private static final int MOST_PAST = 5_000;

    /**
     * Returns the next changes of a bank after one, oldest first, each with the bytes of the text that changed. Each of
     * the three parts uses its own index.
     */
    private static String changesAfter(String bank, String change, String id, String most) {
        return SqlTemplate.of("""
                (SELECT m.id, m.change, octet_length(m.text) AS bytes
                   FROM memory m
                  WHERE m.tenant_id = :tenant AND m.bank_id = {bank}
                    AND (m.change, m.id) > (CAST({change} AS xid8), CAST({id} AS uuid))
                  ORDER BY m.change, m.id
                  LIMIT {most}) UNION ALL
                (SELECT g.memory_id, g.change, 0
                   FROM memory_gone g
                  WHERE g.tenant_id = :tenant AND g.bank_id = {bank}
                    AND (g.change, g.memory_id) > (CAST({change} AS xid8), CAST({id} AS uuid))
                  ORDER BY g.change, g.memory_id
                  LIMIT {most}) UNION ALL
                (SELECT v.memory_id, v.change, 0
                   FROM memory_vector v
                  WHERE v.tenant_id = :tenant AND v.bank_id = {bank} AND v.vectors IS NOT NULL
                    AND (v.change, v.memory_id) > (CAST({change} AS xid8), CAST({id} AS uuid))
                  ORDER BY v.change, v.memory_id
                  LIMIT {most})
                """)
                .with("bank", bank)
                .with("change", change)
                .with("id", id)
                .with("most", most)
                .sql();
    }

    private static final String NONE = "'00000000-0000-0000-0000-000000000000'";

    private static final String NAMED_BANK = searched(SqlTemplate.of("""
            bank b JOIN app_user o ON o.tenant_id = :tenant AND o.id = b.owner_id, {permit}
             WHERE b.tenant_id = :tenant AND b.name_key = :key AND {visible_bank}
            """)
            .with("permit", BankPermissionRow.PERMIT)
            .with("visible_bank", Visibility.bank("b"))
            .sql());

    private static final String READABLE_BANKS = searched(SqlTemplate.of("""
            bank b {join_owner}, {permit}
             WHERE b.tenant_id = :tenant AND b.name_key > '' AND permit.permission <> 'none' AND {visible_bank}
             ORDER BY b.name_key
             LIMIT :most_banks
            """)
            .with("join_owner", Visibility.owner("b"))
            .with("permit", BankPermissionRow.PERMIT)
            .with("visible_bank", Visibility.bank("b"))
            .sql());

    /** @param searched the end of a FROM list with the banks {@code b}, and the condition */
    private static String searched(String searched) {
        return BankPermissionRow.SUBJECT
                + SqlTemplate.of("""
                , b AS MATERIALIZED (SELECT b.id AS bank_id, b.censored_at, {permission} FROM s, {searched}),
                copies AS (SELECT *
                            FROM unnest(CAST(:known_banks AS bigint[]), CAST(:known_positions AS text[])) k (bank_id, position)),
                news AS (
                    SELECT b.bank_id, c.id, c.change
                      FROM b LEFT JOIN copies k ON k.bank_id = b.bank_id
                     CROSS JOIN LATERAL (SELECT * FROM ({changes}) c ORDER BY c.change LIMIT :listed + 1) c
                     WHERE b.censored_at IS NULL AND b.permission_level <> 'none')
                SELECT b.*, COALESCE((SELECT f.epoch FROM event_feed f WHERE f.tenant_id = :tenant), 0) AS epoch,
                       ARRAY(SELECT w.id FROM agent w WHERE w.tenant_id = :tenant AND w.name_key = CAST(:author AS text)) AS authors,
                       ARRAY(SELECT c.agent_id FROM bank_censor c
                              WHERE c.tenant_id = :tenant AND c.bank_id = b.bank_id ORDER BY c.agent_id) AS censored,
                       ARRAY(SELECT CAST(n.id AS text) FROM news n WHERE n.bank_id = b.bank_id ORDER BY n.change, n.id) AS ids,
                       ARRAY(SELECT CAST(n.change AS text) FROM news n WHERE n.bank_id = b.bank_id ORDER BY n.change, n.id) AS changes
                  FROM (VALUES (1)) one (row) LEFT JOIN b ON true
                """)
                        .with("permission", BankPermissionRow.COLUMNS)
                        .with("searched", searched)
                        .with("changes", changesAfter("b.bank_id", "COALESCE(k.position, '0')", NONE, ":listed + 1"))
                        .sql();
    }

    private static final String VECTORS = vectors("m");

    /** The vectors of this revision of a memory. */
    public static String vectors(String memory) {
        return SqlTemplate.of("""
                (SELECT v.vectors
                   FROM memory_vector v
                  WHERE v.tenant_id = :tenant AND v.bank_id = {m}.bank_id AND v.memory_id = {m}.id
                    AND v.revision = {m}.revision AND v.model = :model
                 OFFSET 0)
                """).with("m", memory).sql();
    }

    /** Whether a bank has at most so many memories or changes after a position, with at most so much text. */
    private static final String IS_WITHIN = """
            SELECT count(*) <= :most AND COALESCE(sum(octet_length(m.text)), 0) <= :bytes AS is_within
              FROM (SELECT m.text
                      FROM memory m
                     WHERE m.tenant_id = :tenant AND m.bank_id = :bank
                     ORDER BY m.change, m.id
                     LIMIT :most + 1) m
            """;

    /** What can hide a memory {@code m}, with {@link #SUPERSEDER}. */
    private static final String HIDING = """
            m.contributors, m.expires_at,
            CASE WHEN newer.contributors IS NOT NULL THEN COALESCE(m.superseded_at, m.updated_at) END AS superseded_at,
            COALESCE(newer.contributors, '{}') AS superseders
            """;

    /** The memory that supersedes a memory {@code m}. If that one changes in turn, a trigger makes this one a changed one, too. */
    private static final String SUPERSEDER = """
            LEFT JOIN LATERAL (SELECT s.contributors
                                 FROM memory s
                                WHERE s.tenant_id = :tenant AND s.bank_id = :bank AND s.id = m.superseded_by AND s.deleted_at IS NULL
                               OFFSET 0) newer ON m.superseded_by IS NOT NULL
            """;

    private static final String IS_CHANGED_WITHIN = SqlTemplate.of("""
            SELECT count(DISTINCT c.id) <= :most AND COALESCE(sum(c.bytes), 0) <= :bytes AS is_within
              FROM ({changes}) c -- A memory's text and its vectors are two changes.
            """)
            .with("changes", changesAfter(":bank", ":after", NONE, ":most + 1"))
            .sql();

    private static final String MEMORIES = SqlTemplate.of("""
            SELECT m.id, CAST(m.change AS text) AS change, true AS is_there, m.name, m.text, m.tags, m.author_id, m.updated_at,
                   {hiding}, v.vectors, CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS horizon, false AS is_foreign, m.listed
              FROM (SELECT m.*, count(*) OVER () AS listed,
                           sum(octet_length(m.text)) OVER (ORDER BY m.change, m.id) - octet_length(m.text) AS bytes_before
                      FROM (SELECT *
                              FROM memory m
                             WHERE m.tenant_id = :tenant AND m.bank_id = :bank AND m.deleted_at IS NULL
                               AND (m.change, m.id) > (CAST(:after AS xid8), CAST(:after_id AS uuid))
                             ORDER BY m.change, m.id
                             LIMIT :portion) m) m
              LEFT JOIN LATERAL {vectors} v ON true
              {superseder}
             WHERE m.bytes_before < :bytes
             ORDER BY m.change, m.id
            """)
            .with("hiding", HIDING)
            .with("vectors", VECTORS)
            .with("superseder", SUPERSEDER)
            .sql();

    /** The memory is looked up without a condition that an index of the whole bank has: while the table is small, that costs the same. */
    private static final String CHANGED_MEMORIES = SqlTemplate.of("""
            SELECT c.id, CAST(c.change AS text) AS change, m.id IS NOT NULL AS is_there, m.name, m.text, m.tags,
                   m.author_id, m.updated_at, {hiding}, v.vectors, CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS horizon,
                   c.change >= pg_snapshot_xmax(pg_current_snapshot()) AS is_foreign, c.listed
              FROM (SELECT c.id, c.change, count(*) OVER () AS listed,
                           COALESCE(sum(octet_length(t.text)) OVER (ORDER BY c.change, c.id) - octet_length(t.text), 0) AS bytes_before
                      FROM (SELECT *
                              FROM ({changes}) c
                             ORDER BY c.change, c.id
                             LIMIT :portion) c
                      LEFT JOIN LATERAL (SELECT m.text
                                           FROM memory m
                                          WHERE m.tenant_id = :tenant AND m.bank_id = :bank AND m.id = c.id
                                         OFFSET 0) t ON true) c
              LEFT JOIN LATERAL (SELECT m.*
                                   FROM memory m
                                  WHERE m.tenant_id = :tenant AND m.bank_id = :bank AND m.id = c.id
                                 OFFSET 0) m ON m.deleted_at IS NULL
              LEFT JOIN LATERAL {vectors} v ON true
              {superseder}
             WHERE c.bytes_before < :bytes
             ORDER BY c.change, c.id
            """)
            .with("hiding", HIDING)
            .with("superseder", SUPERSEDER)
            .with("changes", changesAfter(":bank", ":after", ":after_id", ":portion"))
            .with("vectors", VECTORS)
            .sql();

    /** The memories as readers may see them at {@code :as_of}, if they were changed after it. */
    private static final String PAST_TEXTS = SqlTemplate.of("""
            SELECT m.id, '0' AS change, true AS is_there, m.name, m.text, m.tags, m.author_id, m.updated_at, m.contributors,
                   CAST(NULL AS timestamptz) AS expires_at, CAST(NULL AS timestamptz) AS superseded_at,
                   CAST('{}' AS bigint[]) AS superseders, v.vectors
              FROM bank b CROSS JOIN LATERAL {past_memories} LEFT JOIN LATERAL {vectors} v ON true
             WHERE b.tenant_id = :tenant AND b.id = :bank AND {current}
               AND m.id IN (SELECT c.id FROM memory c
                             WHERE c.tenant_id = :tenant AND c.bank_id = :bank AND c.updated_at > :as_of)
             ORDER BY m.updated_at DESC
             LIMIT :portion
            """)
            .with("past_memories", RevisionStore.PAST)
            .with("vectors", VECTORS)
            .with("current", MemoryVisibility.current("m", "b", ":as_of"))
            .sql();

    private static final String OLD_DELETIONS =
            Db.oldRows("memory_gone", "tenant_id, bank_id, change, memory_id", "gone_at < :until");

    private final Db db;
    private final String model;

    /** @param model whose vectors are read */
    public IndexQueries(Db db, String model) {
        this.db = db;
        this.model = model;
    }

    public String model() {
        return model;
    }

    /**
     * A bank that is searched.
     *
     * @param changes after the known position, at most one more than {@link #LISTED_CHANGES}
     * @param permission what the caller may do there
     * @param epoch of the numbers of changes: after another one they say nothing
     * @param censored the agents whose memories are hidden in it
     */
    public record SearchedBank(
            long id,
            String name,
            Permission permission,
            boolean isCensored,
            long epoch,
            List<BankIndex.IndexChange> changes,
            List<Long> censored) {}

    /** @param authors the ids of the agents with the given name; null if none is given */
    public record Banks(List<SearchedBank> banks, @Nullable List<Long> authors) {}

    /** How far the open indexes of the tenant have read. */
    public record IndexPositions(Map<Long, Long> byBank) {
        long of(long bank) {
            return byBank.getOrDefault(bank, 0L);
        }
    }

    public record Portion(List<BankIndex.IndexedMemory> entries, long horizon, boolean isLast, boolean isForeign) {}

    /**
     * Returns the named bank, else every bank that the caller may read. The list is empty if there is none.
     */
    public Banks banks(Call call, @Nullable Name bank, @Nullable Name author, IndexPositions positions) {
        record Read(@Nullable SearchedBank bank, List<Long> authors) {}
        var rows = db.sql(call, bank == null ? READABLE_BANKS : NAMED_BANK)
                .set("key", bank == null ? null : bank.key())
                .set("author", author == null ? null : author.key())
                .set("known_banks", List.copyOf(positions.byBank().keySet()))
                .set(
                        "known_positions",
                        positions.byBank().values().stream()
                                .map(String::valueOf)
                                .toList())
                .set("most_banks", MOST_BANKS)
                .set("listed", LISTED_CHANGES)
                .list(row -> {
                    return new Read(bank(call, row), row.numbers("authors"));
                });
        if (bank == null) {
            call.checked(OfBank.READ); // The statement finds only banks that the caller may read.
        }
        return new Banks(
                rows.stream().map(Read::bank).filter(Objects::nonNull).toList(),
                author == null ? null : rows.getFirst().authors());
    }

    private static @Nullable SearchedBank bank(Call call, Row row) throws SQLException {
        if (row.textOrNull("permission_level") == null) {
            return null;
        }
        var permission = BankPermissionRow.read(row);
        BankAccess.requireRead(call, permission);
        var ids = row.texts("ids");
        var numbers = row.texts("changes");
        var changes = new ArrayList<BankIndex.IndexChange>();
        for (var i = 0; i < ids.size(); i++) {
            changes.add(new BankIndex.IndexChange(UUID.fromString(ids.get(i)), numbers.get(i)));
        }
        return new SearchedBank(
                row.number("bank_id"),
                row.text("permission_bank"),
                permission.level(),
                row.instantOrNull("censored_at") != null,
                row.number("epoch"),
                changes,
                row.numbers("censored"));
    }

    /** Returns the epoch of the numbers of a tenant's changes. */
    long epoch(long tenant) {
        return db.sql("SELECT epoch FROM event_feed WHERE tenant_id = :tenant")
                .set("tenant", tenant)
                .one(row -> row.number("epoch"))
                .orElse(0L); // The tenant is gone.
    }

    /** Returns the next memories of a bank after a change, in the order of their latest changes. */
    public Portion memories(long tenant, long bank, BankIndex.IndexChange after) {
        return portion(tenant, MEMORIES, bank, after);
    }

    /** Returns the next changes of a bank after one, oldest first. */
    public Portion changes(long tenant, long bank, BankIndex.IndexChange after) {
        return portion(tenant, CHANGED_MEMORIES, bank, after);
    }

    /** Returns whether what an index lacks is within the limits. */
    public boolean isWithin(long tenant, long bank, long position, IndexBuilder.Limits limits) {
        return db.sql(position == 0 ? IS_WITHIN : IS_CHANGED_WITHIN)
                .set("tenant", tenant)
                .set("bank", bank)
                .set("after", Long.toString(position))
                .set("most", limits.changes())
                .set("bytes", limits.bytes())
                .one(row -> row.flag("is_within"))
                .orElseThrow();
    }

    private Portion portion(long tenant, String sql, long bank, BankIndex.IndexChange after) {
        record Read(BankIndex.IndexedMemory entry, long horizon, boolean isForeign, long listed) {}
        var rows = db.sql(sql)
                .set("tenant", tenant)
                .set("bank", bank)
                .set("bytes", PORTION_BYTES)
                .set("model", model)
                .set("after", after.change())
                .set("after_id", after.id())
                .set("portion", PORTION)
                .list(row -> new Read(
                        entry(row), Long.parseLong(row.text("horizon")), row.flag("is_foreign"), row.number("listed")));
        return new Portion(
                rows.stream().map(Read::entry).toList(),
                rows.isEmpty() ? 0 : rows.getFirst().horizon(),
                rows.isEmpty() || rows.size() == rows.getFirst().listed() && rows.size() < PORTION,
                rows.stream().anyMatch(Read::isForeign));
    }

    public static BankIndex.IndexedMemory entry(Row row) throws SQLException {
        return row.flag("is_there")
                ? row.as(BankIndex.IndexedMemory.class)
                : new BankIndex.IndexedMemory(
                        row.uuid("id"), row.text("change"), null, null, List.of(), 0, Instant.EPOCH, null);
    }

    /** Renumbers the changes of a restored backup. */
    public void renumber(long tenant, long bank) {
        RestoredChangeQueries.renumber(db, tenant, bank);
    }

    /**
     * Returns the memories of a bank as they were at a time, if they were changed after it.
     *
     * @throws Problem {@code conflict} if there are too many
     */
    public List<BankIndex.IndexedMemory> past(Call call, long bank, Instant asOf) {
        var past = db.sql(call, PAST_TEXTS)
                .set("bank", bank)
                .set("model", model)
                .set("as_of", asOf)
                .set("portion", MOST_PAST + 1)
                .list(IndexQueries::entry);
        if (past.size() > MOST_PAST) {
            throw Problem.conflict(
                    "since as_of more than %,d memories of a bank have been replaced, which is too many to search as they were; give a later time, or read them with MB_Read"
                            .formatted(MOST_PAST));
        }
        return past;
    }

    /** Returns the identity of the database. A restored backup has a new one, also in the same database: its tables are new. */
    public String identity() {
        return db.sql("""
                SELECT CONCAT(s.system_identifier, '-', c.timeline_id, '-', d.oid, '-', CAST(CAST('memory' AS regclass) AS oid)) AS identity
                  FROM pg_control_system() s, pg_control_checkpoint() c, pg_database d
                 WHERE d.datname = current_database()
                """).one(row -> row.text("identity")).orElseThrow();
    }

    /** Returns whether the bank no longer exists. */
    public boolean isGone(long tenant, long bank) {
        return db.sql("SELECT 1 AS one FROM bank WHERE tenant_id = :tenant AND id = :bank")
                .set("tenant", tenant)
                .set("bank", bank)
                .one(_ -> true)
                .isEmpty();
    }

    /** Deletes records of deletions that every index has applied or is too old to use. */
    public void forget(Instant until) {
        db.deleteOld(OLD_DELETIONS, until);
    }
}

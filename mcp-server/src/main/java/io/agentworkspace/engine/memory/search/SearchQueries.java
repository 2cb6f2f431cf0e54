package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.access.Visibility;
import io.agentworkspace.engine.banks.BankPermissionQueries;
import io.agentworkspace.engine.banks.MemoryQueries;
import io.agentworkspace.engine.banks.MemoryStore;
import io.agentworkspace.engine.banks.MemoryVisibility;
import io.agentworkspace.engine.context.ContextStore;
import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.db.Row;
import io.agentworkspace.engine.db.Statement;
import io.agentworkspace.engine.model.access.Permission;
import io.agentworkspace.engine.model.bank.Memory;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What a search reads: the banks that the caller may read, what has changed in them, and what it found there. */
public final class SearchQueries {
    /** So many banks are searched where none is named, the first by name. */
    static final int MOST_BANKS = 200;

    /** So many changes are listed with the banks; where there are more, all are read. */
    static final int LISTED_CHANGES = 50;

    private static final int PORTION = 1_000;

    /** So many memories of a bank that have been replaced since are searched as they were. */
    private static final int MOST_PAST = 5_000;

    /** The next changes of a bank after one, oldest first; each half of them from its index. */
    private static String changes(String bank, String change, String id, String most) {
        return """
                (SELECT m.id, m.change
                   FROM memory m
                  WHERE m.tenant_id = :tenant AND m.bank_id = %1$s
                    AND (m.change, m.id) > (CAST(%2$s AS xid8), CAST(%3$s AS uuid))
                  ORDER BY m.change, m.id
                  LIMIT %4$s)
                UNION ALL
                (SELECT g.memory_id, g.change
                   FROM memory_gone g
                  WHERE g.tenant_id = :tenant AND g.bank_id = %1$s
                    AND (g.change, g.memory_id) > (CAST(%2$s AS xid8), CAST(%3$s AS uuid))
                  ORDER BY g.change, g.memory_id
                  LIMIT %4$s)
                """.formatted(bank, change, id, most);
    }

    private static final String NONE = "'00000000-0000-0000-0000-000000000000'";

    private static final String NAMED_BANK = banks("""
            bank b JOIN app_user o ON o.tenant_id = b.tenant_id AND o.id = b.owner_id, %s
             WHERE b.tenant_id = :tenant AND b.name_key = :key AND %s
            """.formatted(BankPermissionQueries.HELD, Visibility.bank("b")));

    private static final String READABLE_BANKS =
            banks("""
            bank b %s, %s
             WHERE b.tenant_id = :tenant AND b.name_key > '' AND held.permission <> 'none' AND %s
             ORDER BY b.name_key
             LIMIT :most_banks
            """.formatted(Visibility.owner("b"), BankPermissionQueries.HELD, Visibility.bank("b")));

    /** @param searched the end of a FROM list with the banks {@code b}, and the condition */
    private static String banks(String searched) {
        return ContextStore.WITH_CONTEXT
                + BankPermissionQueries.SUBJECT
                + """
                , b AS MATERIALIZED (SELECT b.id AS bank_id, b.censored_at, %s FROM ctx, s, %s),
                known AS (SELECT *
                            FROM unnest(CAST(:known_banks AS bigint[]), CAST(:known_positions AS text[])) k (bank_id, position)),
                news AS (
                    SELECT b.bank_id, c.id, c.change
                      FROM b LEFT JOIN known k ON k.bank_id = b.bank_id
                     CROSS JOIN LATERAL (SELECT * FROM (%s) c ORDER BY c.change LIMIT :listed + 1) c
                     WHERE b.censored_at IS NULL AND b.held_permission <> 'none')
                SELECT ctx.*, b.*, CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS horizon,
                       ARRAY(SELECT w.id FROM agent w WHERE w.tenant_id = :tenant AND w.name_key = :author) AS authors,
                       ARRAY(SELECT CAST(n.id AS text) FROM news n WHERE n.bank_id = b.bank_id ORDER BY n.change, n.id) AS ids,
                       ARRAY(SELECT CAST(n.change AS text) FROM news n WHERE n.bank_id = b.bank_id ORDER BY n.change, n.id) AS changes
                  FROM ctx LEFT JOIN b ON true
                """.formatted(
                                BankPermissionQueries.COLUMNS,
                                searched,
                                changes("b.bank_id", "COALESCE(k.position, '0')", NONE, ":listed + 1"));
    }

    private static final String CHANGED_MEMORIES = """
            SELECT c.id, CAST(c.change AS text) AS change, m.id IS NOT NULL AS is_there, m.name, m.text, m.tags,
                   m.author_id, m.updated_at, CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS horizon,
                   c.change >= pg_snapshot_xmax(pg_current_snapshot()) AS is_foreign
              FROM (SELECT *
                      FROM (%s) c
                     ORDER BY c.change, c.id
                     LIMIT :portion) c
              LEFT JOIN LATERAL (SELECT m.*
                                   FROM memory m
                                  WHERE m.tenant_id = :tenant AND m.bank_id = :bank AND m.id = c.id AND m.deleted_at IS NULL
                                 OFFSET 0) m ON true
             ORDER BY c.change, c.id
            """.formatted(changes(":bank", ":after", ":after_id", ":portion"));

    /** The memories as they were at {@code :as_of} that were changed after it. */
    private static final String PAST_TEXTS = """
            SELECT m.id, '0' AS change, true AS is_there, m.name, m.text, m.tags, m.author_id, m.updated_at
              FROM bank b CROSS JOIN LATERAL %s
             WHERE b.tenant_id = :tenant AND b.id = :bank
               AND m.id IN (SELECT c.id FROM memory c
                             WHERE c.tenant_id = :tenant AND c.bank_id = :bank AND c.updated_at > :as_of)
             ORDER BY m.updated_at DESC
             LIMIT :portion
            """.formatted(MemoryQueries.PAST);

    /** A statement for the present, and one for a time in the past. */
    private record Reading(String now, String then) {
        static Reading of(UnaryOperator<String> statement) {
            return new Reading(statement.apply("memory m"), statement.apply(MemoryQueries.PAST));
        }

        String at(@Nullable Instant time) {
            return time == null ? now : then;
        }
    }

    private static final Reading FOUND = Reading.of(SearchQueries::found);

    private static final Reading SHOWN = Reading.of(SearchQueries::shown);

    private static String current(String memories) {
        return MemoryVisibility.current(
                MemoryVisibility.CENSORED, memories.equals(MemoryQueries.PAST) ? ":as_of" : ":now");
    }

    private static String found(String memories) {
        return """
                SELECT b.id AS bank_id, m.id, m.updated_at, m.pinned
                  FROM bank b CROSS JOIN LATERAL (
                      SELECT m.id, m.updated_at, m.pinned
                        FROM %s
                       WHERE m.tenant_id = b.tenant_id AND m.bank_id = b.id AND m.id = ANY(CAST(:ids AS uuid[])) AND %s
                      OFFSET 0) m
                 WHERE b.tenant_id = :tenant AND b.id = ANY(CAST(:banks AS bigint[])) AND b.deleted_at IS NULL
                """.formatted(memories, current(memories));
    }

    private static String shown(String memories) {
        return """
                SELECT b.id AS bank_id, m.id, %s AS record
                  FROM bank b CROSS JOIN LATERAL (
                      SELECT m.*, CAST(NULL AS uuid) AS superseder
                        FROM %s
                       WHERE m.tenant_id = b.tenant_id AND m.bank_id = b.id AND m.id = ANY(CAST(:ids AS uuid[])) AND %s
                      OFFSET 0) m %s
                 WHERE b.tenant_id = :tenant AND b.id = ANY(CAST(:banks AS bigint[])) AND b.deleted_at IS NULL
                """.formatted(MemoryStore.record("b.name"), memories, current(memories), MemoryStore.WRITERS);
    }

    private final Db db;

    public SearchQueries(Db db) {
        this.db = db;
    }

    /**
     * A bank that is searched.
     *
     * @param changes what has changed since the known position, at most one more than {@link #LISTED_CHANGES}
     * @param horizon every change before it is visible now
     */
    record Bank(long id, String name, boolean isCensored, long horizon, List<BankIndex.Change> changes) {}

    /** @param authors the ids of the agents of the given name; null if none is given */
    record Banks(List<Bank> banks, @Nullable List<Long> authors) {}

    /** How far the open indexes of the tenant have read. */
    record Known(List<Long> banks, List<String> positions) {}

    record Portion(List<BankIndex.Entry> entries, long horizon, boolean isLast, boolean isForeign) {}

    /** Where a memory is. */
    record Place(long bank, UUID id) {}

    /** A memory that was found and that the caller may see. */
    record Found(Place place, Instant updatedAt, boolean isPinned) {}

    /** A memory to show. */
    record Shown(Place place, Memory memory) {}

    /** The named bank, else every bank that the caller may read, with the context; the list is empty if there is none. */
    Banks banks(Call call, @Nullable Name bank, @Nullable Name author, Known known) {
        record Read(@Nullable Bank bank, List<Long> authors) {}
        var rows = db.sql(call, bank == null ? READABLE_BANKS : NAMED_BANK)
                .set("key", bank == null ? null : bank.key())
                .set("author", author == null ? null : author.key())
                .set("known_banks", known.banks())
                .set("known_positions", known.positions())
                .set("most_banks", MOST_BANKS)
                .set("listed", LISTED_CHANGES)
                .list(row -> {
                    if (call.contextIfKnown() == null) {
                        ContextStore.read(call, row);
                    }
                    return new Read(bank(row), row.numbers("authors"));
                });
        return new Banks(
                rows.stream().map(Read::bank).filter(Objects::nonNull).toList(),
                author == null ? null : rows.getFirst().authors());
    }

    private static @Nullable Bank bank(Row row) throws SQLException {
        if (row.textOrNull("held_permission") == null) {
            return null;
        }
        BankPermissionQueries.read(row).require(Permission.READ);
        var ids = row.texts("ids");
        var numbers = row.texts("changes");
        var changes = new ArrayList<BankIndex.Change>();
        for (var i = 0; i < ids.size(); i++) {
            changes.add(new BankIndex.Change(UUID.fromString(ids.get(i)), numbers.get(i)));
        }
        return new Bank(
                row.number("bank_id"),
                row.text("bank_name"),
                row.instantOrNull("censored_at") != null,
                Long.parseLong(row.text("horizon")),
                changes);
    }

    /** The next changes of a bank after one, oldest first. */
    Portion changes(Call call, long bank, BankIndex.Change after) {
        record Read(BankIndex.Entry entry, long horizon, boolean isForeign) {}
        var rows = db.sql(call, CHANGED_MEMORIES)
                .set("bank", bank)
                .set("after", after.change())
                .set("after_id", after.id())
                .set("portion", PORTION)
                .list(row -> new Read(entry(row), Long.parseLong(row.text("horizon")), row.flag("is_foreign")));
        return new Portion(
                rows.stream().map(Read::entry).toList(),
                rows.isEmpty() ? 0 : rows.getFirst().horizon(),
                rows.size() < PORTION,
                rows.stream().anyMatch(Read::isForeign));
    }

    private static BankIndex.Entry entry(Row row) throws SQLException {
        var id = UUID.fromString(row.text("id"));
        var change = row.text("change");
        return row.flag("is_there")
                ? new BankIndex.Entry(
                        id,
                        change,
                        row.textOrNull("name"),
                        row.text("text"),
                        row.texts("tags"),
                        row.number("author_id"),
                        Objects.requireNonNull(row.instantOrNull("updated_at")))
                : new BankIndex.Entry(id, change, null, null, List.of(), 0, Instant.EPOCH);
    }

    /** Numbers changes anew that came with a backup of another database server, whose transactions were ahead. */
    void renumber(Call call, long bank) {
        db.transaction(() -> db.sql(call, """
                UPDATE memory SET revision = revision
                 WHERE tenant_id = :tenant AND bank_id = :bank AND change > pg_current_xact_id()
                """).set("bank", bank).run()
                + db.sql(call, """
                DELETE FROM memory_gone
                 WHERE tenant_id = :tenant AND bank_id = :bank AND change > pg_current_xact_id()
                """).set("bank", bank).run());
    }

    /**
     * The memories of a bank as they were at a time, those that were changed after it.
     *
     * @throws Problem {@code conflict} where they are too many
     */
    List<BankIndex.Entry> past(Call call, long bank, Instant asOf) {
        var past = db.sql(call, PAST_TEXTS)
                .set("bank", bank)
                .set("as_of", asOf)
                .set("portion", MOST_PAST + 1)
                .list(SearchQueries::entry);
        if (past.size() > MOST_PAST) {
            throw Problem.conflict(
                    "since as_of more than %,d memories of a bank have been replaced, which is too many to search as they were; give a later time, or read them with MB_Read"
                            .formatted(MOST_PAST));
        }
        return past;
    }

    /** Those of the memories that are in searches, now or at a time, in no order. */
    List<Found> visible(Call call, List<Place> places, @Nullable Instant asOf) {
        return with(call, places, FOUND.at(asOf), asOf)
                .list(row -> new Found(
                        place(row), Objects.requireNonNull(row.instantOrNull("updated_at")), row.flag("pinned")));
    }

    /** The same, whole. */
    List<Shown> shown(Call call, List<Place> places, @Nullable Instant asOf) {
        return with(call, places, SHOWN.at(asOf), asOf)
                .list(row -> new Shown(place(row), Objects.requireNonNull(row.json("record", Memory.class))));
    }

    private Statement with(Call call, List<Place> places, String statement, @Nullable Instant asOf) {
        return db.sql(call, statement)
                .set("as_of", asOf)
                .set("banks", places.stream().map(Place::bank).distinct().toList())
                .set("ids", places.stream().map(Place::id).toList());
    }

    private static Place place(Row row) throws SQLException {
        return new Place(row.number("bank_id"), UUID.fromString(row.text("id")));
    }

    /** Which database this is: a restored backup, or another one, is another. */
    public String identity() {
        return db.sql("""
                SELECT CONCAT(s.system_identifier, '-', c.timeline_id, '-', d.oid) AS identity
                  FROM pg_control_system() s, pg_control_checkpoint() c, pg_database d
                 WHERE d.datname = current_database()
                """).one(row -> row.text("identity")).orElseThrow();
    }

    /** Those of the banks that are no more. */
    boolean isGone(long tenant, long bank) {
        return db.sql("SELECT 1 AS one FROM bank WHERE tenant_id = :tenant AND id = :bank")
                .set("tenant", tenant)
                .set("bank", bank)
                .one(_ -> true)
                .isEmpty();
    }

    /** Forgets what was deleted so long ago that every index has either heard of it or is made anew. */
    void forget(Instant until) {
        db.deleteOld("memory_gone", "gone_at < :until", until);
    }
}

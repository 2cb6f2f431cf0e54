package io.agentworkspace.engine.memory.banks;

import io.agentworkspace.engine.kernel.access.MemoryVisibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.tool.Call;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Hides content of banks: all of it, or everything that certain agents contributed to. */
final class CensorStore {
    private static final String COUNT = counting("m.deleted_at IS NULL");

    private static final String COUNT_READABLE = counting(MemoryVisibility.readable("m", "b"));

    /** @param condition selects the memories {@code m} of the bank {@code b} to count */
    private static String counting(String condition) {
        return SqlTemplate.of("""
                SELECT (SELECT count(*)
                          FROM memory m
                         WHERE m.tenant_id = :tenant AND m.bank_id = b.id AND {condition}
                           AND (CAST(:agents AS bigint[]) IS NULL OR m.contributors && CAST(:agents AS bigint[])))
                       AS memories
                  FROM bank b
                 WHERE b.tenant_id = :tenant AND b.id = :bank
                """).with("condition", condition).sql();
    }

    private static final String AFFECTED = SqlTemplate.of("""
            SELECT jsonb_agg(jsonb_build_object('id', m.id, 'name', m.name, 'author', author.name,
                                                'derived_from', m.derived_from)
                             ORDER BY m.created_at DESC, m.id DESC) AS memories
              FROM (SELECT m.*
                      FROM bank b JOIN memory m ON m.tenant_id = :tenant AND m.bank_id = b.id
                     WHERE b.tenant_id = :tenant AND b.id = :bank AND {readable}
                       AND (CAST(:agents AS bigint[]) IS NULL OR m.contributors && CAST(:agents AS bigint[]))
                     ORDER BY m.created_at DESC, m.id DESC
                     LIMIT 100) m
              {join_writers}
            """)
            .with("readable", MemoryVisibility.readable("m", "b"))
            .with("join_writers", MemoryRow.WRITERS)
            .sql();

    /** Stands for a censored memory among its contributors: no agent has this number. */
    private static final long CENSORED = 0;

    /** The same, for what was derived from a censored memory. */
    private static final long DERIVED = -1;

    /** The memory and what was derived from it, which was derived in turn, and so on. */
    private static final String CHAIN = """
            WITH RECURSIVE edge AS MATERIALIZED (
                SELECT m.id, unnest(m.derived_from) AS origin
                  FROM memory m
                 WHERE m.tenant_id = :tenant AND m.bank_id = :bank AND cardinality(m.derived_from) > 0),
            chain AS (
                SELECT m.id FROM memory m WHERE m.tenant_id = :tenant AND m.bank_id = :bank AND {roots}
                UNION
                SELECT e.id FROM chain c JOIN edge e ON e.origin = c.id)
            """;

    private static final String OF_ONE =
            SqlTemplate.of(CHAIN).with("roots", "m.id = CAST(:id AS uuid)").sql();

    private static final String OF_CENSORED = SqlTemplate.of(CHAIN)
            .with("roots", CENSORED + " = ANY (m.contributors)")
            .sql();

    private static final String COUNT_CHAIN = OF_ONE + """
            SELECT count(*) AS memories
              FROM memory m JOIN chain c ON c.id = m.id
             WHERE m.tenant_id = :tenant AND m.bank_id = :bank AND m.deleted_at IS NULL
            """;

    private static final String AFFECTED_BY_ONE = OF_ONE
            + SqlTemplate.of("""
            SELECT jsonb_agg(jsonb_build_object('id', m.id, 'name', m.name, 'author', author.name,
                                                'derived_from', m.derived_from)
                             ORDER BY m.created_at DESC, m.id DESC) AS memories
              FROM (SELECT m.*
                      FROM bank b JOIN memory m ON m.tenant_id = :tenant AND m.bank_id = b.id JOIN chain c ON c.id = m.id
                     WHERE b.tenant_id = :tenant AND b.id = :bank AND {readable}
                     ORDER BY m.created_at DESC, m.id DESC
                     LIMIT 100) m
              {join_writers}
            """)
                    .with("readable", MemoryVisibility.readable("m", "b"))
                    .with("join_writers", MemoryRow.WRITERS)
                    .sql();

    /** Of the memory and of its earlier revisions, which could be restored otherwise. */
    private static final String MARK = OF_ONE + """
            , earlier AS (
                UPDATE memory_revision r
                   SET contributors = r.contributors || CASE WHEN r.memory_id = CAST(:id AS uuid) THEN {censored} ELSE {derived} END
                  FROM chain c
                 WHERE r.tenant_id = :tenant AND r.bank_id = :bank AND r.memory_id = c.id
                   AND NOT CASE WHEN r.memory_id = CAST(:id AS uuid) THEN {censored} ELSE {derived} END = ANY (r.contributors))
            UPDATE memory m
               SET contributors = m.contributors || CASE WHEN m.id = CAST(:id AS uuid) THEN {censored} ELSE {derived} END
              FROM chain c
             WHERE m.tenant_id = :tenant AND m.bank_id = :bank AND m.id = c.id
               AND NOT CASE WHEN m.id = CAST(:id AS uuid) THEN {censored} ELSE {derived} END = ANY (m.contributors)
            """;

    private static final String UNMARK = """
            WITH earlier AS (
                UPDATE memory_revision
                   SET contributors = array_remove(contributors, {censored})
                 WHERE tenant_id = :tenant AND bank_id = :bank AND memory_id = :id)
            UPDATE memory
               SET contributors = array_remove(contributors, {censored})
             WHERE tenant_id = :tenant AND bank_id = :bank AND id = :id AND {censored} = ANY (contributors)
            """;

    /** What was derived from a memory that is still censored stays hidden. */
    private static final String UNMARK_DERIVED = OF_CENSORED + """
            , earlier AS (
                UPDATE memory_revision
                   SET contributors = array_remove(contributors, {derived})
                 WHERE tenant_id = :tenant AND bank_id = :bank AND {derived} = ANY (contributors)
                   AND memory_id NOT IN (SELECT id FROM chain))
            UPDATE memory
               SET contributors = array_remove(contributors, {derived})
             WHERE tenant_id = :tenant AND bank_id = :bank AND {derived} = ANY (contributors)
               AND id NOT IN (SELECT id FROM chain)
            """;

    private static String marking(String statement) {
        return statement
                .replace("{censored}", "CAST(%d AS bigint)".formatted(CENSORED))
                .replace("{derived}", "CAST(%d AS bigint)".formatted(DERIVED));
    }

    private static final String MARKING = marking(MARK);
    private static final String UNMARKING = marking(UNMARK);
    private static final String UNMARKING_DERIVED = marking(UNMARK_DERIVED);

    private final Db db;

    public CensorStore(Db db) {
        this.db = db;
    }

    /** Hides or shows the whole bank's content. Returns whether that changed anything. */
    boolean censor(Call call, BankStore.LockedBank bank, boolean hide) {
        call.changed(List.of(Change.access(), bank.contentChanged()));
        return db.sql(call, """
                UPDATE bank
                   SET censored_at = CASE WHEN :hide THEN CAST(:now AS timestamptz) END,
                       revision = revision + 1, updated_at = :now
                 WHERE tenant_id = :tenant AND id = :bank AND (censored_at IS NULL) = :hide
                """).set("bank", bank.id()).set("hide", hide).run() == 1;
    }

    /** Hides what these agents wrote or will write. Returns whether one of them was not censored before. */
    boolean censor(Call call, BankStore.LockedBank bank, List<Long> agents) {
        call.changed(bank.contentChanged());
        return db.sql(call, """
                INSERT INTO bank_censor (tenant_id, bank_id, agent_id, since)
                SELECT home.tenant_id, :bank, a.agent_id, :now
                  FROM tenant_plan home CROSS JOIN unnest(:agents) a (agent_id)
                 WHERE home.tenant_id = :tenant
                ON CONFLICT DO NOTHING
                RETURNING agent_id
                """)
                .set("bank", bank.id())
                .set("agents", agents)
                .one(_ -> true)
                .isPresent();
    }

    /** Ends the censorship of these agents. Returns whether one of them was censored. */
    boolean uncensor(Call call, BankStore.LockedBank bank, List<Long> agents) {
        call.changed(bank.contentChanged());
        return db.sql(call, """
                DELETE FROM bank_censor WHERE tenant_id = :tenant AND bank_id = :bank AND agent_id = ANY (:agents)
                """).set("bank", bank.id()).set("agents", agents).run() > 0;
    }

    /** Hides one memory, and what was derived from it. Returns whether it was not hidden so before. */
    boolean censor(Call call, BankStore.LockedBank bank, UUID memory) {
        call.changed(bank.contentChanged());
        censor(call, bank, List.of(CENSORED, DERIVED));
        return one(call, bank, memory, MARKING).run() > 0;
    }

    /** Ends the censorship of one memory. Returns whether it was censored. */
    boolean uncensor(Call call, BankStore.LockedBank bank, UUID memory) {
        call.changed(bank.contentChanged());
        var changed = one(call, bank, memory, UNMARKING).run() > 0;
        db.sql(call, UNMARKING_DERIVED).set("bank", bank.id()).run();
        return changed;
    }

    /** Returns the number of memories outside the trash that are this one or were derived from it. */
    long count(Call call, BankStore.LockedBank bank, UUID memory) {
        return one(call, bank, memory, COUNT_CHAIN)
                .one(row -> row.number("memories"))
                .orElseThrow();
    }

    /** Returns the newest of them that readers can see. */
    List<CensorTools.Affected> affected(Call call, BankStore.LockedBank bank, UUID memory) {
        return one(call, bank, memory, AFFECTED_BY_ONE)
                .one(row -> row.jsonList("memories", CensorTools.Affected.class))
                .orElseThrow();
    }

    private Statement one(Call call, BankStore.LockedBank bank, UUID memory, String statement) {
        return db.sql(call, statement).set("bank", bank.id()).set("id", memory);
    }

    /** Returns the number of memories outside the trash that these agents contributed to; with null, of all. */
    public long count(Call call, BankStore.LockedBank bank, @Nullable List<Long> agents) {
        return count(call, bank, agents, COUNT);
    }

    /** Returns the number of those memories that readers can see. */
    long countReadable(Call call, BankStore.LockedBank bank, @Nullable List<Long> agents) {
        return count(call, bank, agents, COUNT_READABLE);
    }

    /** Returns the newest memories that readers can see and that these agents contributed to; with null, of all. */
    List<CensorTools.Affected> affected(Call call, BankStore.LockedBank bank, @Nullable List<Long> agents) {
        return db.sql(call, AFFECTED)
                .set("bank", bank.id())
                .set("agents", agents)
                .one(row -> row.jsonList("memories", CensorTools.Affected.class))
                .orElseThrow();
    }

    private long count(Call call, BankStore.LockedBank bank, @Nullable List<Long> agents, String statement) {
        return db.sql(call, statement)
                .set("bank", bank.id())
                .set("agents", agents)
                .one(row -> row.number("memories"))
                .orElseThrow();
    }
}

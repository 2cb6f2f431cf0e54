package io.agentworkspace.engine.banks;

import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.db.SqlTemplate;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.tool.Call;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Hides content of banks: all of it, or everything that certain agents contributed to. */
public final class CensorStore {
    private static final String COUNT = counting("m.deleted_at IS NULL");

    private static final String COUNT_READABLE = counting(MemoryVisibility.readable("m", "b"));

    /** @param condition selects the memories {@code m} of the bank {@code b} to count */
    private static String counting(String condition) {
        return SqlTemplate.of("""
                SELECT (SELECT count(*)
                          FROM memory m
                         WHERE m.tenant_id = b.tenant_id AND m.bank_id = b.id AND {condition}
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
                      FROM bank b JOIN memory m ON m.tenant_id = b.tenant_id AND m.bank_id = b.id
                     WHERE b.tenant_id = :tenant AND b.id = :bank AND {readable}
                       AND (CAST(:agents AS bigint[]) IS NULL OR m.contributors && CAST(:agents AS bigint[]))
                     ORDER BY m.created_at DESC, m.id DESC
                     LIMIT 100) m
              {join_writers}
            """)
            .with("readable", MemoryVisibility.readable("m", "b"))
            .with("join_writers", MemoryStore.WRITERS)
            .sql();

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
                SELECT :tenant, :bank, agent_id, :now FROM unnest(:agents) AS a (agent_id)
                ON CONFLICT DO NOTHING
                """).set("bank", bank.id()).set("agents", agents).run() > 0;
    }

    /** Ends the censorship of these agents. Returns whether one of them was censored. */
    boolean uncensor(Call call, BankStore.LockedBank bank, List<Long> agents) {
        call.changed(bank.contentChanged());
        return db.sql(call, """
                DELETE FROM bank_censor WHERE tenant_id = :tenant AND bank_id = :bank AND agent_id = ANY (:agents)
                """).set("bank", bank.id()).set("agents", agents).run() > 0;
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

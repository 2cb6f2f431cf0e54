package io.agentworkspace.engine.banks;

import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.model.tool.Call;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is hidden in banks: a whole bank's content, or what certain agents had a part in. */
public final class CensorStore {
    private static final String COUNT = count("m.deleted_at IS NULL");

    private static final String COUNT_READABLE = count(MemoryVisibility.READABLE);

    /** @param condition which memories {@code m} of the bank {@code b} count */
    private static String count(String condition) {
        return """
                SELECT (SELECT count(*)
                          FROM memory m
                         WHERE m.tenant_id = b.tenant_id AND m.bank_id = b.id AND %s
                           AND (CAST(:agents AS bigint[]) IS NULL OR m.contributors && CAST(:agents AS bigint[])))
                       AS memories
                  FROM bank b
                 WHERE b.tenant_id = :tenant AND b.id = :bank
                """.formatted(condition);
    }

    private static final String AFFECTED = """
            SELECT jsonb_agg(jsonb_build_object('id', m.id, 'name', m.name, 'author', author.name,
                                                'derived_from', m.derived_from)
                             ORDER BY m.created_at DESC, m.id DESC) AS memories
              FROM (SELECT m.*
                      FROM bank b JOIN memory m ON m.tenant_id = b.tenant_id AND m.bank_id = b.id
                     WHERE b.tenant_id = :tenant AND b.id = :bank AND %s
                       AND (CAST(:agents AS bigint[]) IS NULL OR m.contributors && CAST(:agents AS bigint[]))
                     ORDER BY m.created_at DESC, m.id DESC
                     LIMIT 100) m
              %s
            """.formatted(MemoryVisibility.READABLE, MemoryStore.WRITERS);

    private final Db db;

    public CensorStore(Db db) {
        this.db = db;
    }

    /** Hides, or shows again, the whole bank's content; whether that was not so before. */
    boolean censor(Call call, BankStore.Held bank, boolean hide) {
        return db.sql(call, """
                UPDATE bank
                   SET censored_at = CASE WHEN :hide THEN CAST(:now AS timestamptz) END,
                       revision = revision + 1, updated_at = :now
                 WHERE tenant_id = :tenant AND id = :bank AND (censored_at IS NULL) = :hide
                """).set("bank", bank.id()).set("hide", hide).run() == 1;
    }

    /** Hides what these agents wrote, and go on to write; whether one of them was not censored before. */
    boolean censor(Call call, BankStore.Held bank, List<Long> agents) {
        return db.sql(call, """
                INSERT INTO bank_censor (tenant_id, bank_id, agent_id, since)
                SELECT :tenant, :bank, agent_id, :now FROM unnest(:agents) AS a (agent_id)
                ON CONFLICT DO NOTHING
                """).set("bank", bank.id()).set("agents", agents).run() > 0;
    }

    /** Ends that; whether one of them was censored. */
    boolean uncensor(Call call, BankStore.Held bank, List<Long> agents) {
        return db.sql(call, """
                DELETE FROM bank_censor WHERE tenant_id = :tenant AND bank_id = :bank AND agent_id = ANY (:agents)
                """).set("bank", bank.id()).set("agents", agents).run() > 0;
    }

    /** How many memories outside the trash these agents had a part in; with null, how many there are. */
    public long count(Call call, BankStore.Held bank, @Nullable List<Long> agents) {
        return count(call, bank, agents, COUNT);
    }

    /** How many of them readers are shown. */
    long countReadable(Call call, BankStore.Held bank, @Nullable List<Long> agents) {
        return count(call, bank, agents, COUNT_READABLE);
    }

    /** The newest of those that readers are shown and that these agents had a part in; with null, of all. */
    List<CensorTools.Affected> affected(Call call, BankStore.Held bank, @Nullable List<Long> agents) {
        return db.sql(call, AFFECTED)
                .set("bank", bank.id())
                .set("agents", agents)
                .one(row -> row.jsonList("memories", CensorTools.Affected.class))
                .orElseThrow();
    }

    private long count(Call call, BankStore.Held bank, @Nullable List<Long> agents, String statement) {
        return db.sql(call, statement)
                .set("bank", bank.id())
                .set("agents", agents)
                .one(row -> row.number("memories"))
                .orElseThrow();
    }
}

package io.agentworkspace.engine.memory.banks;

import io.agentworkspace.engine.kernel.access.MemoryVisibility;
import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.access.Permission;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.workspace.agents.AgentStore;
import java.util.List;

/**
 * Finds the agents whose share of a bank a name means: the living agent, and destroyed agents of that name who wrote there.
 */
final class ShareStore {
    private static final String FIND_NAMED = SqlTemplate.of("""
            SELECT a.id, a.owner_id
              FROM agent a
             WHERE a.tenant_id = :tenant AND a.name_key = :key
               AND ({visible_agent}
                    OR (:reads
                        AND EXISTS (SELECT 1
                                      FROM bank b JOIN memory m ON m.tenant_id = :tenant AND m.bank_id = b.id
                                     WHERE b.tenant_id = :tenant AND b.id = :bank AND m.author_id = a.id AND {readable}))
                    OR ((:manages OR a.owner_id = :user)
                        AND (EXISTS (SELECT 1 FROM memory m
                                      WHERE m.tenant_id = :tenant AND m.bank_id = :bank AND m.author_id = a.id)
                             OR EXISTS (SELECT 1 FROM bank_grant g
                                         WHERE g.tenant_id = :tenant AND g.bank_id = :bank AND g.agent_id = a.id)
                             OR EXISTS (SELECT 1 FROM bank_censor c
                                         WHERE c.tenant_id = :tenant AND c.bank_id = :bank AND c.agent_id = a.id)
                             OR EXISTS (SELECT 1 FROM memory m
                                         WHERE m.tenant_id = :tenant AND m.bank_id = :bank
                                           AND a.id = ANY (m.contributors)))))
             ORDER BY a.destroyed_at NULLS FIRST, a.id
            """)
            .with("visible_agent", Visibility.agent("a"))
            .with("readable", MemoryVisibility.readable("m", "b"))
            .sql();

    private final Db db;
    private final AgentStore agents;

    public ShareStore(Db db, AgentStore agents) {
        this.db = db;
        this.agents = agents;
    }

    /** An agent that wrote into a bank, or may write. */
    record Writer(long id, long owner) {}

    /**
     * Returns the agents with this name, the living one first. Of the agents that the acting user may not see, a manager
     * of the bank gets those with a share in it, and a reader gets the authors of readable memories. Others stay hidden.
     *
     * @throws Problem {@code not_found}
     */
    List<Writer> named(Call call, BankStore.LockedBank bank, Name name) {
        var permission = bank.permission().level();
        var found = db.sql(call, FIND_NAMED)
                .set("bank", bank.id())
                .set("reads", permission.includes(Permission.READ))
                .set("manages", permission == Permission.MANAGE)
                .set("key", name.key())
                .list(row -> row.as(Writer.class));
        if (found.isEmpty()) {
            throw agents.missing(call, name);
        }
        return found;
    }
}

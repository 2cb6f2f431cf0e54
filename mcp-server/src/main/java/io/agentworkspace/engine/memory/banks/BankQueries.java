package io.agentworkspace.engine.memory.banks;

import io.agentworkspace.engine.kernel.access.BankPermissionRow;
import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.NamePrefix;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.page.Cursor;
import io.agentworkspace.engine.kernel.page.ListSlice;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.access.Permission;
import io.agentworkspace.engine.model.access.Via;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context.Ref;
import io.agentworkspace.engine.workspace.agents.AgentStore;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Lists the banks that a subject may read. */
final class BankQueries {
    private static final String LIST = SqlTemplate.of("""
            WITH s AS (SELECT a.id AS agent_id, a.name AS agent_name, COALESCE(a.owner_id, :user) AS owner_id
                      FROM (VALUES (1)) one (row)
                      LEFT JOIN agent a
                             ON a.tenant_id = :tenant AND a.destroyed_at IS NULL
                            AND a.id = CASE WHEN CAST(:agent AS text) IS NULL THEN :self
                                            ELSE (SELECT x.id FROM agent x
                                                   WHERE x.tenant_id = :tenant AND x.name_key = :agent
                                                     AND x.destroyed_at IS NULL) END
                            AND (CAST(:agent AS text) IS NULL OR {visible_agent})),
            page AS (
                SELECT b.*, permit.permission, permit.via, s.agent_id
                  FROM s, bank b, {permit}
                 WHERE b.tenant_id = :tenant AND b.name_key > :after AND {begins}
                   AND permit.permission <> 'none' AND {visible_bank}
                 ORDER BY b.name_key
                 LIMIT :limit + 1)
            SELECT s.agent_id AS subject_id, s.agent_name AS subject_name, s.owner_id AS subject_owner,
                   (SELECT o.name FROM app_user o WHERE o.tenant_id = :tenant AND o.id = s.owner_id) AS owner_name,
                   (SELECT jsonb_agg(jsonb_build_object(
                                         'bank', {bank_json}, 'permission', b.permission, 'via', b.via,
                                         'loaded', EXISTS (SELECT 1 FROM bank_load l
                                                            WHERE l.tenant_id = :tenant AND l.bank_id = b.id
                                                              AND l.agent_id = b.agent_id))
                                     ORDER BY b.name_key)
                      FROM page b {join_owner}) AS rows
              FROM s
            """)
            .with("visible_agent", Visibility.agent("a"))
            .with("begins", NamePrefix.of("b"))
            .with("permit", BankPermissionRow.PERMIT)
            .with("visible_bank", Visibility.bank("b"))
            .with("bank_json", BankStore.RECORD)
            .with("join_owner", Visibility.owner("b"))
            .sql();

    private final Db db;
    private final AgentStore agents;

    public BankQueries(Db db, AgentStore agents) {
        this.db = db;
        this.agents = agents;
    }

    /** A bank, and the subject's permission on it. */
    record BankSummary(Bank bank, Permission permission, Via via, boolean loaded) {}

    /** The subject of a list: an agent and its owner, or the user. */
    record Subject(@Nullable Ref agent, long owner, String ownerName) {}

    /** A page of the list. */
    record BankPage(Subject subject, ListSlice<BankSummary> banks) {}

    /**
     * Returns the banks, by name, whose names start with the prefix and that the agent may read; without an agent,
     * those that self, else the user may read.
     *
     * @throws Problem {@code not_found} if there is no such agent, or the acting user may not see it
     */
    BankPage list(Call call, @Nullable Name prefix, @Nullable Name agent, @Nullable Page page) {
        var limit = Page.limit(page);
        var after = Cursor.readName(call.service(), page);
        var listed = db.sql(call, LIST)
                .set("agent", agent == null ? null : agent.key())
                .set("prefix", prefix == null ? "" : prefix.key())
                .set("after", after)
                .set("limit", limit)
                .one(row -> {
                    var rows = ListSlice.of(
                            call,
                            row.jsonList("rows", BankSummary.class),
                            limit,
                            last -> Cursor.ofName(
                                    call.service(), Name.key(last.bank().name())));
                    return new BankPage(
                            new Subject(row.ref("subject"), row.number("subject_owner"), row.text("owner_name")), rows);
                })
                .orElseThrow();
        if (agent != null && listed.subject().agent() == null) {
            throw agents.missing(call, Objects.requireNonNull(agent));
        }
        return listed;
    }
}

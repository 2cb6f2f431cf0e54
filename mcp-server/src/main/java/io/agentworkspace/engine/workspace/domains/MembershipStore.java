package io.agentworkspace.engine.workspace.domains;

import io.agentworkspace.engine.kernel.access.SilencedStore;
import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.workspace.agents.AgentStore;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Which agents belong to which domains. Code that changes a membership must hold the domain locked. */
final class MembershipStore {
    /** A membership {@code m} of the agent {@code a} in the domain {@code d}, as JSON. */
    private static final String RECORD = """
            jsonb_build_object('domain', d.name, 'agent', a.name, 'state', m.state, 'since', m.since,
                               'role', CASE WHEN d.host_id = a.id THEN 'host' ELSE 'member' END)
            """;

    private static final String JOINS = """
            JOIN domain d ON d.tenant_id = :tenant AND d.id = m.domain_id
            JOIN agent a ON a.tenant_id = :tenant AND a.id = m.agent_id
            """;

    private static final String READ_AGENT = SqlTemplate.of("""
            SELECT {agent}
              FROM agent a
             WHERE a.tenant_id = :tenant AND a.name_key = :key AND a.destroyed_at IS NULL
               AND ({visible_agent} OR EXISTS (SELECT 1 FROM membership m
                                   WHERE m.tenant_id = :tenant AND m.domain_id = :domain AND m.agent_id = a.id
                                     AND (m.state <> 'banned' OR :runs)))
               FOR SHARE OF a
            """)
            .with("agent", AgentStore.HELD)
            .with("visible_agent", Visibility.agent("a"))
            .sql();

    private static final String FIND =
            SqlTemplate.of("""
            SELECT {member_json} AS record FROM membership m {joins}
             WHERE m.tenant_id = :tenant AND m.domain_id = :domain AND m.agent_id = :agent
            """).with("member_json", RECORD).with("joins", JOINS).sql();

    private static final String PUT =
            SqlTemplate.of("""
            WITH m AS (INSERT INTO membership (tenant_id, domain_id, agent_id, owner_id, state, since)
                       VALUES (:tenant, :domain, :agent, :owner, :state, :now)
                       ON CONFLICT (tenant_id, domain_id, agent_id) DO UPDATE
                          SET state = excluded.state, since = excluded.since
                       RETURNING *)
            SELECT {member_json} AS record FROM m {joins}
            """).with("member_json", RECORD).with("joins", JOINS).sql();

    /** A member listens to the zones of the domain from now on. */
    private static final String LISTEN = """
            INSERT INTO participant (tenant_id, party_id, conversation_id, owner_id, read_seq)
            SELECT z.tenant_id, CAST(:agent AS bigint), st.id, CAST(:owner AS bigint), st.last_seq
              FROM zone z
              JOIN conversation st ON st.tenant_id = :tenant AND st.id = z.conversation_id
             WHERE z.tenant_id = :tenant AND z.domain_id = :domain
            ON CONFLICT DO NOTHING
            """;

    /** Ends the memberships of the agent and of its sub-agents. One that hosts the domain stays, and so does a ban of its own. */
    private static final String END = """
            WITH gone AS (SELECT CAST(:agent AS bigint) AS id
                          UNION ALL
                          SELECT a.id
                            FROM domain d
                            JOIN agent a ON a.tenant_id = :tenant AND a.parent_id = :agent
                           WHERE d.tenant_id = :tenant AND d.id = :domain AND d.host_id IS DISTINCT FROM a.id),
                 silent AS (DELETE FROM participant p
                             USING zone z, gone
                             WHERE p.tenant_id = :tenant AND p.party_id = gone.id
                               AND z.tenant_id = :tenant AND z.conversation_id = p.conversation_id AND z.domain_id = :domain)
            DELETE FROM membership m
             USING gone
             WHERE m.tenant_id = :tenant AND m.domain_id = :domain AND m.agent_id = gone.id
               AND (m.agent_id = :agent OR m.state <> 'banned')
            RETURNING m.agent_id
            """;

    private static final String PARENT_BANNED = """
            SELECT 1 FROM membership
             WHERE tenant_id = :tenant AND domain_id = :domain AND agent_id = :parent AND state = 'banned'
            """;

    private final Db db;
    private final AgentStore agents;

    public MembershipStore(Db db, AgentStore agents) {
        this.db = db;
        this.agents = agents;
    }

    /**
     * Returns the agent of this name, protected from destruction until the transaction ends. The acting user must be
     * able to see it, even if only in the domain's list of members.
     *
     * @throws io.agentworkspace.engine.model.problem.Problem {@code not_found}
     */
    AgentStore.LockedAgent readAgent(Call call, DomainStore.LockedDomain domain, Name name) {
        return db.sql(call, READ_AGENT)
                .set("key", name.key())
                .set("domain", domain.id())
                .set("runs", domain.isRunBy(call))
                .one(AgentStore::agent)
                .orElseThrow(() -> agents.missing(call, name));
    }

    /** Returns the agent's current membership of the domain. */
    Optional<Membership> find(Call call, DomainStore.LockedDomain domain, AgentStore.LockedAgent agent) {
        return db.sql(call, FIND)
                .set("domain", domain.id())
                .set("agent", agent.id())
                .one(MembershipStore::record);
    }

    /**
     * Sets the agent's state. A new member receives the messages of all zones from now on; earlier ones do not count
     * as unread.
     */
    Membership put(Call call, DomainStore.LockedDomain domain, AgentStore.LockedAgent agent, MemberState state) {
        if (state == MemberState.BANNED) {
            end(call, domain, agent);
        }
        call.changed(List.of(
                Change.access(),
                Change.presence(agent.id(), state == MemberState.MEMBER ? "joined" : "left", domain.id())));
        var put = db.sql(call, PUT)
                .set("domain", domain.id())
                .set("agent", agent.id())
                .set("owner", agent.owner())
                .set("state", state.word())
                .one(MembershipStore::record)
                .orElseThrow();
        if (state == MemberState.MEMBER) {
            db.sql(call, LISTEN)
                    .set("domain", domain.id())
                    .set("agent", agent.id())
                    .set("owner", agent.owner())
                    .runLate();
        }
        return put;
    }

    /**
     * Ends the membership in any state, and those of its sub-agents. The agents, and a user who took part only through them, receive
     * no more messages.
     */
    void end(Call call, DomainStore.LockedDomain domain, AgentStore.LockedAgent agent) {
        call.changed(Change.access());
        db.sql(call, END)
                .set("domain", domain.id())
                .set("agent", agent.id())
                .list(row -> row.number("agent_id"))
                .forEach(each -> call.changed(Change.presence(each, "left", domain.id())));
        SilencedStore.silence(db, call, agent.owner());
    }

    /** Returns whether it is a sub-agent whose parent is banned from the domain. */
    boolean isParentBanned(Call call, DomainStore.LockedDomain domain, AgentStore.LockedAgent agent) {
        return agent.parent() != null
                && db.sql(call, PARENT_BANNED)
                        .set("domain", domain.id())
                        .set("parent", agent.parent())
                        .one(_ -> true)
                        .orElse(false);
    }

    private static Membership record(Row row) throws SQLException {
        return Objects.requireNonNull(row.json("record", Membership.class));
    }
}

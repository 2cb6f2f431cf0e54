package io.agentworkspace.engine.memory.banks;

import io.agentworkspace.engine.kernel.access.BankPermissionRow;
import io.agentworkspace.engine.kernel.access.MemoryVisibility;
import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.kernel.page.Cursor;
import io.agentworkspace.engine.kernel.page.ListSlice;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.access.Access;
import io.agentworkspace.engine.model.access.Permission;
import io.agentworkspace.engine.model.access.Via;
import io.agentworkspace.engine.model.agent.Agent;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.workspace.agents.AgentRow;
import io.agentworkspace.engine.workspace.agents.AgentStore;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Stores the permissions of agents on banks, and which agents have a bank attached. */
final class BankGrantStore {
    /** Whether the owner of the agent {@code a} shares a domain with the owner of the bank {@code b}. */
    private static final String SHARES = Visibility.sharesDomain("a", "(SELECT the.owner_id FROM b the)");

    /**
     * The CTEs {@code page} and {@code counted} (how many memories each author stored there): the agents with a permission on
     * the bank {@code b}, by name. Agents that have one through the bank's access are shown to those who may see the
     * agent; others also to managers of the bank. A report also has agents that a grant bars, and the requested agent.
     * Agents that cannot have a permission are left out before the permissions are computed. The plain conditions on the name let
     * the planner use an index.
     */
    private static final String PAGE = SqlTemplate.of("""
            , page AS (
                SELECT a.*, permit.permission, permit.via
                  FROM b, agent a CROSS JOIN {permit}
                 WHERE a.tenant_id = :tenant AND a.destroyed_at IS NULL AND a.name_key > :after
                   AND a.name_key >= COALESCE(CAST(:agent AS text), '')
                   AND a.name_key <= COALESCE(CAST(:agent AS text), chr(1114111))
                   AND (a.name_key = :agent
                        OR (CAST(:agent AS text) IS NULL
                            AND (b.access = 'public' OR a.owner_id = b.owner_id OR (b.access = 'domain' AND {shares_domain})
                                 OR a.id IN (SELECT g.agent_id
                                               FROM bank_grant g
                                              WHERE g.tenant_id = :tenant AND g.bank_id = (SELECT the.id FROM b the)))))
                   AND (permit.permission <> 'none'
                        OR (:report AND (permit.via = 'grant' OR CAST(:agent AS text) IS NOT NULL)))
                   AND ({visible_agent} OR (b.permission_level = 'manage' AND permit.via IN ('owner', 'grant')))
                 ORDER BY a.name_key
                 LIMIT :limit + 1),
            counted AS (
                SELECT authored.author_id, authored.memories
                  FROM b CROSS JOIN LATERAL (
                      SELECT m.author_id, count(*) AS memories
                        FROM memory m
                       WHERE m.tenant_id = :tenant AND m.bank_id = b.id AND {current}
                       GROUP BY m.author_id) authored)
            """)
            .with("permit", BankPermissionRow.lateral("a.id", "a.owner_id", SHARES))
            .with("shares_domain", SHARES)
            .with("visible_agent", Visibility.agent("a"))
            .with("current", MemoryVisibility.current("m", "b"))
            .sql();

    private static final String ENTRIES =
            SqlTemplate.of("""
            (SELECT jsonb_agg(jsonb_build_object(
                                  'agent', {agent_json}, 'permission', a.permission, 'via', a.via,
                                  'loaded', EXISTS (SELECT 1 FROM bank_load l
                                                     WHERE l.tenant_id = :tenant AND l.bank_id = b.id
                                                       AND l.agent_id = a.id),
                                  'memories', COALESCE(counted.memories, 0))
                              ORDER BY a.name_key)
               FROM b CROSS JOIN page a
               LEFT JOIN counted ON counted.author_id = a.id) AS rows
            """).with("agent_json", AgentRow.JSON).sql();

    private static final String GRANTEE =
            SqlTemplate.of("""
              FROM agent a
             WHERE a.tenant_id = :tenant AND a.name_key = :key AND a.destroyed_at IS NULL
               AND ({visible_agent} OR EXISTS (SELECT 1 FROM bank_grant g
                                   WHERE g.tenant_id = :tenant AND g.bank_id = :bank AND g.agent_id = a.id))
            """).with("visible_agent", Visibility.agent("a")).sql();

    /** The agent, and then a row if its permission is another one now. */
    private static final String GRANT =
            SqlTemplate.of("""
            SELECT a.id {grantee} FOR SHARE OF a;
            INSERT INTO bank_grant (tenant_id, bank_id, agent_id, owner_id, permission)
            SELECT a.tenant_id, CAST(:bank AS bigint), a.id, a.owner_id, :permission {grantee}
            ON CONFLICT (tenant_id, bank_id, agent_id) DO UPDATE
               SET permission = excluded.permission
             WHERE bank_grant.permission <> excluded.permission
            RETURNING agent_id
            """).with("grantee", GRANTEE).sql();

    private static final String LOAD =
            SqlTemplate.of("""
            WITH loaded AS (INSERT INTO bank_load (tenant_id, agent_id, bank_id, loaded_at)
                            VALUES (:tenant, :agent, :bank, :now)
                            ON CONFLICT DO NOTHING
                            RETURNING 1)
            SELECT EXISTS (SELECT 1 FROM loaded) AS changed, {bank_json} AS record
              FROM bank b JOIN app_user o ON o.tenant_id = :tenant AND o.id = b.owner_id
             WHERE b.tenant_id = :tenant AND b.id = :bank
            """).with("bank_json", BankStore.RECORD).sql();

    private static final String LIST = BankPermissionRow.SUBJECT
            + SqlTemplate.of("""
            , b AS (
                SELECT b.*, {permission}
                  FROM s, bank b JOIN app_user o ON o.tenant_id = :tenant AND o.id = b.owner_id, {permit}
                 WHERE b.tenant_id = :tenant AND b.name_key = :key AND {visible_bank})
            """)
                    .with("permission", BankPermissionRow.COLUMNS)
                    .with("permit", BankPermissionRow.PERMIT)
                    .with("visible_bank", Visibility.bank("b"))
                    .sql()
            + PAGE
            + SqlTemplate.of("""
            SELECT b.access, b.permission_level, b.permission_via, b.permission_agent, b.permission_bank, b.permission_owner,
                   EXISTS (SELECT 1 FROM agent a
                            WHERE a.tenant_id = :tenant AND a.name_key = :agent AND {visible_agent}) AS is_known,
                   {entries}
              FROM (VALUES (1)) one (row) LEFT JOIN b ON true
            """)
                    .with("visible_agent", Visibility.agent("a"))
                    .with("entries", ENTRIES)
                    .sql();

    private static final String REPORT = """
            WITH b AS (SELECT b.*, CAST(:permit AS text) AS permission_level
                      FROM bank b
                     WHERE b.tenant_id = :tenant AND b.id = :bank)
            """ + PAGE + "SELECT " + ENTRIES;

    private final Db db;
    private final AgentStore agents;
    private final BankStore banks;

    public BankGrantStore(Db db, AgentStore agents, BankStore banks) {
        this.db = db;
        this.agents = agents;
        this.banks = banks;
    }

    /** An agent, and its permission on the bank. */
    record AgentPermission(
            Agent agent, Permission permission, @Nullable Via via, boolean loaded, long memories) {}

    /**
     * Returns the agents with a permission on the bank, or the named one of them, in one statement.
     *
     * @throws Problem {@code not_found}, {@code not_permitted}
     */
    ListSlice<AgentPermission> list(Call call, Name bank, @Nullable Name agent, @Nullable Page page) {
        return list(call, bank, agent, page, false).entries();
    }

    /** Returns the report, which includes barred agents. A named agent is reported whatever its permission. */
    PermissionPage report(Call call, Name bank, @Nullable Name agent, @Nullable Page page) {
        return list(call, bank, agent, page, true);
    }

    private PermissionPage list(Call call, Name bank, @Nullable Name agent, @Nullable Page page, boolean report) {
        var limit = Page.limit(page);
        var found = paged(call, agent, page, LIST)
                .set("key", bank.key())
                .set("report", report)
                .one(row -> listed(call, row, limit))
                .orElseThrow()
                .orElseThrow(() -> banks.missing(call, bank));
        if (agent != null && !found.visible() && found.entries().rows().isEmpty()) {
            throw agents.missing(call, agent);
        }
        return found;
    }

    /**
     * Agents with a permission on a bank.
     *
     * @param access the bank's
     * @param visible whether the acting user may see the named agent
     */
    record PermissionPage(Access access, boolean visible, ListSlice<AgentPermission> entries) {}

    private static Optional<PermissionPage> listed(Call call, Row row, int limit) throws SQLException {
        if (row.textOrNull("permission_level") == null) {
            return Optional.empty();
        }
        BankAccess.requireRead(call, BankPermissionRow.read(row));
        return Optional.of(
                new PermissionPage(Access.of(row.text("access")), row.flag("is_known"), entries(call, row, limit)));
    }

    /** Returns the report inside a transaction that has read the bank. */
    ListSlice<AgentPermission> report(Call call, BankStore.LockedBank bank, @Nullable Name agent, @Nullable Page page) {
        var limit = Page.limit(page);
        var entries = paged(call, agent, page, REPORT)
                .set("bank", bank.id())
                .set("permit", bank.permission().level().word())
                .set("report", true)
                .one(row -> entries(call, row, limit))
                .orElseThrow();
        if (agent != null && entries.rows().isEmpty()) {
            throw agents.missing(call, agent);
        }
        return entries;
    }

    private Statement paged(Call call, @Nullable Name agent, @Nullable Page page, String statement) {
        var after = Cursor.readName(call.service(), page);
        return db.sql(call, statement)
                .set("agent", agent == null ? null : agent.key())
                .set("after", after)
                .set("limit", Page.limit(page));
    }

    private static ListSlice<AgentPermission> entries(Call call, Row row, int limit) throws SQLException {
        return ListSlice.of(
                call,
                row.jsonList("rows", AgentPermission.class),
                limit,
                last -> Cursor.ofName(call.service(), Name.key(last.agent().name())));
    }

    /**
     * Sets an agent's explicit permission, and returns whether that changed it. The acting user must see the agent,
     * unless it already has a grant.
     *
     * @throws Problem {@code not_found}
     */
    boolean grant(Call call, BankStore.LockedBank bank, Name agent, Permission permission) {
        var granted = db.sql(call, GRANT)
                .set("bank", bank.id())
                .set("key", agent.key())
                .set("permission", permission.word())
                .all(results -> new Granted(
                        results.next(_ -> true).isPresent(),
                        results.next(_ -> true).isPresent()));
        if (!granted.exists()) {
            throw agents.missing(call, agent);
        }
        var changed = granted.changed();
        call.changed(changed ? List.of(Change.access()) : List.of());
        return changed;
    }

    private record Granted(boolean exists, boolean changed) {}

    /** An attached bank, and whether it was newly attached. */
    record AttachedBank(Bank bank, boolean changed) {}

    /** Attaches the bank to the agent as working memory. */
    AttachedBank load(Call call, BankStore.LockedBank bank, long agent) {
        return db.sql(call, LOAD)
                .set("bank", bank.id())
                .set("agent", agent)
                .one(row -> new AttachedBank(BankStore.record(row), row.flag("changed")))
                .orElseThrow();
    }

    /** Detaches the bank of this name from the agent, even if its owner may no longer see it. */
    boolean unload(Call call, Name bank, long agent) {
        return db.sql(call, """
                DELETE FROM bank_load l
                 USING bank b
                 WHERE l.tenant_id = :tenant AND l.agent_id = :agent
                   AND b.tenant_id = :tenant AND b.id = l.bank_id AND b.name_key = :key
                """).set("key", bank.key()).set("agent", agent).run() > 0;
    }
}

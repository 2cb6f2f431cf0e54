package io.agentworkspace.engine.mcp.content;

import io.agentworkspace.engine.kernel.access.BankPermissionRow;
import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.context.Contexts;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.tool.Call;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads what the instructions tell a caller about itself, in one round trip. */
public final class WelcomeQueries {
    private static final String OWNER = """
            SELECT o.name
              FROM (VALUES (1)) one (row)
              LEFT JOIN agent a ON a.tenant_id = :tenant AND a.id = :self
              JOIN app_user o ON o.tenant_id = :tenant AND o.id = COALESCE(a.owner_id, :user)
            """;

    /** The banks that the agent, else the user, may read, by name: first those with a permission, then its owner's. */
    private static final String BANKS = BankPermissionRow.SUBJECT
            + SqlTemplate.of("""
            SELECT b.name
              FROM s, bank b, {permit}
             WHERE b.tenant_id = :tenant AND permit.permission <> 'none' AND {visible_bank}
             ORDER BY array_position(ARRAY['grant', 'owner', 'access'], permit.via), b.name_key
             LIMIT :most
            """)
                    .with("permit", BankPermissionRow.PERMIT)
                    .with("visible_bank", Visibility.bank("b"))
                    .sql();

    /** The domains that the agent, else an agent of the user, is a member of. */
    private static final String OWN_DOMAINS = """
            WITH own AS (SELECT DISTINCT m.domain_id
                        FROM membership m
                       WHERE m.tenant_id = :tenant AND m.state = 'member'
                         AND CASE WHEN CAST(:self AS bigint) IS NULL THEN m.owner_id = :user ELSE m.agent_id = :self END)
            """;

    /** How many unfinished tasks the agent, else the user, holds or is assigned in each. */
    private static final String TASKS = OWN_DOMAINS + """
            SELECT d.name AS domain, COUNT(*) AS count
              FROM (SELECT t.domain_id, t.id
                      FROM own JOIN task t ON t.tenant_id = :tenant AND t.domain_id = own.domain_id
                     WHERE t.assignee_id = COALESCE(:self, :user) AND t.state IN ('open', 'doing', 'blocked')
                     UNION
                    SELECT t.domain_id, t.id
                      FROM own JOIN task t ON t.tenant_id = :tenant AND t.domain_id = own.domain_id
                     WHERE t.holder_id = COALESCE(:self, :user) AND t.lease_until > statement_timestamp()) t
              JOIN domain d ON d.tenant_id = :tenant AND d.id = t.domain_id
             GROUP BY d.name, d.name_key
             ORDER BY d.name_key
             LIMIT :domains
            """;

    /** The zones of these domains; the latest spoken in first. */
    private static final String ZONES = OWN_DOMAINS + """
            SELECT d.name AS domain, z.name AS zone
              FROM own
              JOIN domain d ON d.tenant_id = :tenant AND d.id = own.domain_id
              JOIN zone z ON z.tenant_id = :tenant AND z.domain_id = d.id
              JOIN conversation t ON t.tenant_id = :tenant AND t.id = z.conversation_id
             ORDER BY t.last_at DESC NULLS LAST, d.name_key, z.name_key
             LIMIT :most
            """;

    private static final String READ = String.join(";\n", OWNER, BANKS, TASKS, ZONES);

    /** In how many domains tasks are counted at most. */
    private static final int DOMAINS = 3;

    private final Db db;
    private final Contexts contexts;

    public WelcomeQueries(Db db, Contexts contexts) {
        this.db = db;
        this.contexts = contexts;
    }

    /**
     * What the instructions tell a caller.
     *
     * @param agent the agent that it acts as
     * @param owner the owner of the agent, else the user
     * @param unread how many messages wait
     * @param banks the names of memory banks
     * @param tasks how many unfinished tasks it has, by domain
     * @param zones where it may talk
     */
    record Welcome(
            @Nullable String agent,
            String owner,
            long unread,
            List<String> banks,
            List<OwnTasks> tasks,
            List<Zone> zones) {}

    /** How many unfinished tasks in a domain are the caller's. */
    record OwnTasks(String domain, long count) {}

    /** A zone, by the name of its domain and its own. */
    record Zone(String domain, String zone) {}

    /**
     * @param most the maximum number of banks, and of zones
     */
    Welcome read(Call call, int most) {
        return contexts.renewed(call, () -> select(call, most));
    }

    private Welcome select(Call call, int most) {
        return db.sql(call, READ).set("most", most).set("domains", DOMAINS).all(results -> {
            var owner = results.next(row -> row.text("name")).orElseThrow();
            var banks = results.list(row -> row.text("name"));
            var tasks = results.list(row -> row.as(OwnTasks.class));
            var zones = results.list(row -> row.as(Zone.class));
            var context = call.context();
            var agent = context.self() == null ? null : context.self().name();
            return new Welcome(agent, owner, context.unread(), banks, tasks, zones);
        });
    }
}

package io.agentworkspace.engine.kernel.access;

import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.access.Permission;
import io.agentworkspace.engine.model.access.Via;
import io.agentworkspace.engine.model.problem.Problem;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The permission of a subject on a bank, and its source. The subject is the agent that acts, if there is one, else the user.
 * An agent's explicit grant, including {@code none}, overrides everything else. A user has the best of its own agents' grants.
 *
 * @param agent the name of the agent that is the subject, or null if it is the user
 * @param bank the bank's name
 * @param owner the name of the bank's owner
 */
public record BankPermissionRow(
        Permission level, @Nullable Via via, @Nullable String agent, String bank, String owner) {

    /**
     * The columns that {@link #read} needs of a bank {@code b}, its owner {@code o}, a subject {@code s} and {@code permit}.
     */
    public static final String COLUMNS = """
            permit.permission AS permission_level, permit.via AS permission_via, s.agent_name AS permission_agent, b.name AS permission_bank,
            o.name AS permission_owner
            """;

    /** The CTE {@code s}, the subject: the agent with this id, else the acting user. It always has one row. */
    public static final String SUBJECT = """
            WITH s AS (SELECT a.id AS agent_id, a.name AS agent_name, COALESCE(a.owner_id, :user) AS owner_id
                      FROM (VALUES (1)) one (row)
                      LEFT JOIN LATERAL (SELECT * FROM agent x WHERE x.tenant_id = :tenant AND x.id = :self OFFSET 0) a
                             ON a.destroyed_at IS NULL)
            """;

    /** The subject's permission on a bank with the alias {@code b}, for a FROM list after both. */
    public static final String PERMIT = lateral(
            "s.agent_id", "s.owner_id", Visibility.sharesDomain("b", "(SELECT subject.owner_id FROM s subject)"));

    /**
     * Returns the SQL for any subject, from expressions for its agent's id (null for a user), its owner's id, and whether the
     * owner shares a domain with the bank's owner. If the permission has several sources, the first in this order counts.
     */
    public static String lateral(String agent, String owner, String shares) {
        return SqlTemplate.of("""
                LATERAL (
                    SELECT way.permission, way.via
                      FROM (SELECT 1 AS rank, g.permission, 'grant' AS via
                              FROM bank_grant g
                             WHERE g.tenant_id = :tenant AND g.bank_id = b.id AND g.agent_id = {agent}
                            UNION ALL
                            SELECT 2, 'manage', 'owner' WHERE b.owner_id = {owner}
                            UNION ALL
                            SELECT 3, 'manage', 'admin' WHERE {agent} IS NULL AND :admin
                            UNION ALL
                            SELECT 8 - array_position(ARRAY['read', 'append', 'write', 'manage'], g.permission),
                                   g.permission, 'grant'
                              FROM bank_grant g
                             WHERE g.tenant_id = :tenant AND g.bank_id = b.id AND g.owner_id = {owner}
                               AND {agent} IS NULL AND g.permission <> 'none'
                            UNION ALL
                            SELECT 8, 'read', 'access'
                             WHERE b.access = 'public' OR (b.access = 'domain' AND {shares})
                            UNION ALL
                            SELECT 9, 'none', NULL) way
                     ORDER BY way.rank
                     LIMIT 1) permit
                """)
                .with("agent", agent)
                .with("owner", owner)
                .with("shares", shares)
                .sql();
    }

    public static BankPermissionRow read(Row row) throws SQLException {
        return row.as("permission_", BankPermissionRow.class);
    }

    /** @throws Problem {@code not_permitted} with the required and the present permission, and who can grant it */
    public void require(Permission needed) {
        missing(needed).ifPresent(note -> {
            throw Problem.notPermitted(note);
        });
    }

    /** Returns the required and the present permission, and who can grant it. Empty if the permission is sufficient. */
    public Optional<String> missing(Permission needed) {
        if (level.includes(needed)) {
            return Optional.empty();
        }
        var holder = agent == null ? "you hold" : "the agent '%s' holds".formatted(agent);
        var whom = agent == null ? "one of your agents" : "it";
        return Optional.of(
                "this needs the permission '%s' on the bank '%s', but %s '%s'; its owner '%s', or whoever holds 'manage', can grant it to %s with MB_Permissions"
                        .formatted(needed.word(), bank, holder, level.word(), owner, whom));
    }
}

package io.agentworkspace.engine.access;

/**
 * Who may see what (decisions, section 4), as SQL conditions. Each takes the alias of the thing. It expects a CTE
 * {@code ctx} of one row with the acting user's {@code user_id}, which must also be in the FROM list, and the
 * parameters {@code :tenant} and {@code :admin}. A relation that the thing's owner agreed to (membership, invitation,
 * grant) makes the thing visible to the relation's holder, whatever the thing's access. Statements are composed from
 * these once, at class load.
 *
 * <p>The set of a user's relations depends only on the statement, not on the thing, so PostgreSQL computes it once
 * with any plan. An EXISTS that refers to the thing would run for each row or, worse, become a set over all tenants.
 */
public final class Visibility {
    /** The acting user, as a column of the row. */
    private static final String USER = "ctx.user_id";

    /** The acting user, where the expression must not refer to the row. */
    private static final String ME = "(SELECT me.user_id FROM ctx me)";

    private Visibility() {}

    /** Returns whether the acting user may see the agent. */
    public static String agent(String alias) {
        return agent(alias, USER, ME);
    }

    /**
     * Returns whether another user may see the agent.
     *
     * @param user an expression for that user's id
     */
    public static String agent(String alias, String user) {
        return agent(alias, user, user);
    }

    private static String agent(String alias, String user, String me) {
        return """
                (%1$s.destroyed_at IS NULL
                 AND (%1$s.owner_id = %2$s
                      OR :admin
                      OR %1$s.access = 'public'
                      OR (%1$s.access = 'agent'
                          AND %1$s.id IN (SELECT held.agent_id
                                            FROM roster held
                                           WHERE held.tenant_id = :tenant AND held.user_id = %3$s))
                      OR (%1$s.access = 'domain' AND %4$s)))
                """.formatted(alias, user, me, sharesDomain(alias, me));
    }

    /** Returns whether the acting user may see the domain. */
    public static String domain(String alias) {
        return domain(alias, USER, ME);
    }

    /**
     * Returns whether another user may see the domain.
     *
     * @param user an expression for that user's id
     */
    public static String domain(String alias, String user) {
        return domain(alias, user, user);
    }

    private static String domain(String alias, String user, String me) {
        return """
                (%1$s.owner_id = %2$s
                 OR :admin
                 OR %1$s.access = 'public'
                 OR %1$s.id IN %3$s)
                """.formatted(alias, user, domainsOf(me, "'member', 'invited'"));
    }

    /** Returns whether the acting user may read messages in the domain: its owner, admins, and users with a member. */
    public static String talk(String alias) {
        return """
                (%1$s.owner_id = %2$s
                 OR :admin
                 OR %1$s.id IN %3$s)
                """.formatted(alias, USER, domainsOf(ME, "'member'"));
    }

    /** Returns whether the acting user may see the bank, unless it is in the trash. */
    public static String bank(String alias) {
        return """
                (%1$s.deleted_at IS NULL
                 AND (%1$s.owner_id = %2$s
                      OR :admin
                      OR %1$s.access = 'public'
                      OR %1$s.id IN (SELECT mine.bank_id
                                       FROM bank_grant mine
                                      WHERE mine.tenant_id = :tenant AND mine.owner_id = %3$s AND mine.permission <> 'none')
                      OR (%1$s.access = 'domain' AND %4$s)))
                """.formatted(alias, USER, ME, sharesDomain(alias, ME));
    }

    /** Returns the domains where the user has an agent in one of the states. */
    private static String domainsOf(String user, String states) {
        return """
                (SELECT mine.domain_id
                   FROM membership mine
                  WHERE mine.tenant_id = :tenant AND mine.owner_id = %s AND mine.state IN (%s))
                """.formatted(user, states);
    }

    /**
     * Returns whether the user has an agent in a domain where the thing's owner also has one.
     *
     * @param user an expression for the user's id, which must not refer to a row of each thing
     */
    public static String sharesDomain(String alias, String user) {
        return """
                %s.owner_id IN (SELECT theirs.owner_id
                                  FROM (SELECT DISTINCT ours.domain_id FROM %s ours OFFSET 0) shared
                                  CROSS JOIN LATERAL (SELECT one.owner_id
                                                        FROM membership one
                                                       WHERE one.tenant_id = :tenant AND one.domain_id = shared.domain_id
                                                         AND one.state = 'member'
                                                      OFFSET 0) theirs)
                """.formatted(alias, domainsOf(user, "'member'"));
    }

    /**
     * Returns a join with the owner {@code o} of a thing. The owner is looked up for each row, so that no plan reads
     * all users, whatever number of rows PostgreSQL expects.
     */
    public static String owner(String alias) {
        return """
                CROSS JOIN LATERAL (SELECT x.name
                                      FROM app_user x
                                     WHERE x.tenant_id = %1$s.tenant_id AND x.id = %1$s.owner_id
                                    OFFSET 0) o
                """.formatted(alias);
    }
}

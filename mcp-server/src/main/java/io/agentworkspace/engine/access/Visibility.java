package io.agentworkspace.engine.access;

/**
 * Who may see what (decisions, section 4), as SQL conditions. Each expects the thing under its alias, a CTE {@code ctx}
 * of one row with the acting user's {@code user_id}, which is in the FROM list too, and the parameters {@code :tenant}
 * and {@code :admin}. A relation that the thing's side agreed to (membership, invitation, grant) makes the thing
 * visible to its holder whatever its access.
 *
 * <p>The set of a user's relations depends on the statement only, not on the thing, so PostgreSQL computes it once with
 * any plan. It would run an EXISTS that refers to the thing for each row or, worse, turn it into a set over all
 * tenants.
 */
public final class Visibility {
    private static final String ME = "(SELECT me.user_id FROM ctx me)";

    /** The domains where the acting user has an agent in one of the states. */
    private static final String MINE = """
            (SELECT mine.domain_id
               FROM membership mine
              WHERE mine.tenant_id = :tenant AND mine.owner_id = %s AND mine.state IN (%s))
            """;

    /** For an agent under the alias {@code a}. */
    public static final String AGENT = """
            (a.destroyed_at IS NULL
             AND (a.owner_id = ctx.user_id
                  OR :admin
                  OR a.access = 'public'
                  OR (a.access = 'agent'
                      AND a.id IN (SELECT held.agent_id
                                     FROM roster held
                                    WHERE held.tenant_id = :tenant AND held.user_id = %1$s))
                  OR (a.access = 'domain' AND %2$s)))
            """.formatted(ME, sharesDomain("a", ME));

    /** For a domain under the alias {@code d}. */
    public static final String DOMAIN = """
            (d.owner_id = ctx.user_id
             OR :admin
             OR d.access = 'public'
             OR d.id IN %s)
            """.formatted(MINE.formatted(ME, "'member', 'invited'"));

    /**
     * Whether the acting user may read messages in the domain {@code d}: its owner, the admins, and users with a
     * member.
     */
    public static final String TALK = """
            (d.owner_id = ctx.user_id
             OR :admin
             OR d.id IN %s)
            """.formatted(MINE.formatted(ME, "'member'"));

    /** For a bank under the alias {@code b}, outside the trash. */
    public static final String BANK = """
            (b.deleted_at IS NULL
             AND (b.owner_id = ctx.user_id
                  OR :admin
                  OR b.access = 'public'
                  OR b.id IN (SELECT mine.bank_id
                                FROM bank_grant mine
                               WHERE mine.tenant_id = :tenant AND mine.owner_id = %1$s AND mine.permission <> 'none')
                  OR (b.access = 'domain' AND %2$s)))
            """.formatted(ME, sharesDomain("b", ME));

    private Visibility() {}

    /** The condition for another user than that of a {@code ctx} row: the expression of its id. */
    public static String to(String user, String condition) {
        return condition.replace(ME, user).replace("ctx.user_id", user);
    }

    /**
     * Whether the user has an agent in a domain where the thing's owner also has one.
     *
     * @param user the expression of its id, which must not refer to a row of each thing
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
                """.formatted(alias, MINE.formatted(user, "'member'"));
    }

    /**
     * A join with the owner {@code o} of a thing under the alias, looked up for each row: with a page, however many rows it is
     * thought to have, no plan reads all users.
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

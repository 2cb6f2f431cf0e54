package io.agentworkspace.engine.store;

/**
 * Who may see what (decisions, section 4), as SQL conditions. Each expects the thing under its alias, a {@code ctx} row
 * with the acting user's {@code user_id}, and the parameter {@code :admin}. A relation that the thing's side agreed to
 * (membership, invitation, grant) lets its holder see the thing whatever its access says.
 */
final class Visible {
    /** For an agent under the alias {@code a}. */
    static final String AGENT = """
            (a.destroyed_at IS NULL
             AND (a.owner_id = ctx.user_id
                  OR :admin
                  OR a.access = 'public'
                  OR (a.access = 'agent'
                      AND EXISTS (SELECT 1
                                    FROM roster held
                                   WHERE held.tenant_id = a.tenant_id
                                     AND held.user_id = ctx.user_id
                                     AND held.agent_id = a.id))
                  OR (a.access = 'domain' AND %s)))
            """.formatted(sharesDomain("a", "ctx.user_id"));

    /** For a domain under the alias {@code d}. */
    static final String DOMAIN = """
            (d.owner_id = ctx.user_id
             OR :admin
             OR d.access = 'public'
             OR EXISTS (SELECT 1
                          FROM membership mine
                         WHERE mine.tenant_id = d.tenant_id
                           AND mine.domain_id = d.id
                           AND mine.owner_id = ctx.user_id
                           AND mine.state IN ('member', 'invited')))
            """;

    /** Whether what is said in the domain {@code d} is for the acting user to read: its owner, the admins, whoever has a member. */
    static final String TALK = """
            (d.owner_id = ctx.user_id
             OR :admin
             OR EXISTS (SELECT 1
                          FROM membership mine
                         WHERE mine.tenant_id = d.tenant_id
                           AND mine.domain_id = d.id
                           AND mine.owner_id = ctx.user_id
                           AND mine.state = 'member'))
            """;

    /** For a bank under the alias {@code b}, outside the trash. */
    static final String BANK = """
            (b.deleted_at IS NULL
             AND (b.owner_id = ctx.user_id
                  OR :admin
                  OR b.access = 'public'
                  OR EXISTS (SELECT 1
                               FROM bank_grant mine
                              WHERE mine.tenant_id = b.tenant_id
                                AND mine.bank_id = b.id
                                AND mine.owner_id = ctx.user_id
                                AND mine.permission <> 'none')
                  OR (b.access = 'domain' AND %s)))
            """.formatted(sharesDomain("b", "ctx.user_id"));

    private Visible() {}

    /** The condition for another user than that of a {@code ctx} row: the expression of its id. */
    static String to(String user, String condition) {
        return condition.replace("ctx.user_id", user);
    }

    /** Whether the user has an agent in a domain where the thing's owner has one too. */
    static String sharesDomain(String alias, String user) {
        return """
                EXISTS (SELECT 1
                          FROM membership theirs
                          JOIN membership mine USING (tenant_id, domain_id)
                         WHERE theirs.tenant_id = %1$s.tenant_id
                           AND theirs.owner_id = %1$s.owner_id
                           AND theirs.state = 'member'
                           AND mine.owner_id = %2$s
                           AND mine.state = 'member')""".formatted(alias, user);
    }
}

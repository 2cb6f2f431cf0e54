package io.agentworkspace.engine.kernel.access;

import io.agentworkspace.engine.kernel.db.SqlTemplate;

/**
 * Who may see what (decisions, section 4), as SQL conditions. Each takes the alias of the thing, and needs the parameters
 * {@code :tenant}, {@code :user} (the acting user's id) and {@code :admin}. A relation that the thing's owner agreed to (membership,
 * invitation, grant) makes the thing visible to the relation's holder, whatever the thing's access. Statements are composed from
 * these once, at class load.
 *
 * <p>The set of a user's relations depends only on the statement, not on the thing, so PostgreSQL computes it once
 * with any plan. An EXISTS that refers to the thing would run for each row or, worse, become a set over all tenants.
 */
public final class Visibility {
    private Visibility() {}

    /** Returns whether the acting user may see the agent. */
    public static String agent(String alias) {
        return agent(alias, ":user");
    }

    /** @param user an expression for the user's id */
    public static String agent(String alias, String user) {
        return SqlTemplate.of("""
                ({agent}.destroyed_at IS NULL
                 AND ({agent}.owner_id = {user}
                      OR :admin
                      OR {agent}.access = 'public'
                      OR ({agent}.access = 'agent'
                          AND {agent}.id IN (SELECT entry.agent_id
                                               FROM roster entry
                                              WHERE entry.tenant_id = :tenant AND entry.user_id = {user}))
                      OR ({agent}.access = 'domain' AND {shares_domain})))
                """)
                .with("agent", alias)
                .with("user", user)
                .with("shares_domain", sharesDomain(alias, user))
                .sql();
    }

    /** Returns whether the acting user may see the domain. */
    public static String domain(String alias) {
        return domain(alias, ":user");
    }

    /** @param user an expression for the user's id */
    public static String domain(String alias, String user) {
        return SqlTemplate.of("""
                ({domain}.owner_id = {user}
                 OR :admin
                 OR {domain}.access = 'public'
                 OR {domain}.id IN {domains})
                """)
                .with("domain", alias)
                .with("user", user)
                .with("domains", domainsOf(user, "'member', 'invited'"))
                .sql();
    }

    /** Returns whether the acting user may read messages in the domain: its owner, admins, and users with a member. */
    public static String talk(String alias) {
        return SqlTemplate.of("""
                ({domain}.owner_id = :user
                 OR :admin
                 OR {domain}.id IN {domains})
                """)
                .with("domain", alias)
                .with("domains", domainsOf(":user", "'member'"))
                .sql();
    }

    /**
     * Returns whether the acting user may see the messages of a conversation in which they or their agents take part; admins
     * see all. A credential that is bound to an agent sees only the direct messages of that agent.
     */
    public static String conversation(String alias) {
        return SqlTemplate.of("""
                (CASE WHEN CAST(:bound AS bigint) IS NOT NULL AND {conversation}.low_id IS NOT NULL
                      THEN CAST(:bound AS bigint) IN ({conversation}.low_id, {conversation}.high_id)
                      ELSE :admin OR COALESCE((SELECT true FROM participant mine
                                                WHERE mine.tenant_id = :tenant AND mine.conversation_id = {conversation}.id
                                                  AND mine.owner_id = :user
                                                LIMIT 1), false) END)
                """).with("conversation", alias).sql();
    }

    /** Returns whether the acting user may see the bank, unless it is in the trash. */
    public static String bank(String alias) {
        return SqlTemplate.of("""
                ({bank}.deleted_at IS NULL
                 AND ({bank}.owner_id = :user
                      OR :admin
                      OR {bank}.access = 'public'
                      OR {bank}.id IN (SELECT mine.bank_id
                                         FROM bank_grant mine
                                        WHERE mine.tenant_id = :tenant AND mine.owner_id = :user AND mine.permission <> 'none')
                      OR ({bank}.access = 'domain' AND {shares_domain})))
                """)
                .with("bank", alias)
                .with("shares_domain", sharesDomain(alias, ":user"))
                .sql();
    }

    /** Returns the domains where the user has an agent in one of the states. */
    private static String domainsOf(String user, String states) {
        return SqlTemplate.of("""
                (SELECT mine.domain_id
                   FROM membership mine
                  WHERE mine.tenant_id = :tenant AND mine.owner_id = {user} AND mine.state IN ({states}))
                """).with("user", user).with("states", states).sql();
    }

    /**
     * Returns whether the user has an agent in a domain where the thing's owner also has one.
     *
     * @param user an expression for the user's id, which must not refer to a row of each thing
     */
    public static String sharesDomain(String alias, String user) {
        return SqlTemplate.of("""
                {thing}.owner_id IN (SELECT theirs.owner_id
                                       FROM (SELECT DISTINCT ours.domain_id FROM {domains} ours OFFSET 0) shared
                                       CROSS JOIN LATERAL (SELECT one.owner_id
                                                             FROM membership one
                                                            WHERE one.tenant_id = :tenant
                                                              AND one.domain_id = shared.domain_id
                                                              AND one.state = 'member'
                                                           OFFSET 0) theirs)
                """)
                .with("thing", alias)
                .with("domains", domainsOf(user, "'member'"))
                .sql();
    }

    /**
     * Returns a join with the owner {@code o} of a thing. The owner is looked up for each row, so that no plan reads
     * all users, whatever number of rows PostgreSQL expects.
     */
    public static String owner(String alias) {
        return SqlTemplate.of("""
                CROSS JOIN LATERAL (SELECT x.name
                                      FROM app_user x
                                     WHERE x.tenant_id = :tenant AND x.id = {thing}.owner_id
                                    OFFSET 0) o
                """).with("thing", alias).sql();
    }
}

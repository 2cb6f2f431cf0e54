package io.agentworkspace.engine.integrations.webhooks.outbox;

import io.agentworkspace.engine.kernel.access.MemoryVisibility;
import io.agentworkspace.engine.kernel.db.SqlTemplate;

/**
 * Conditions by which the owner of a webhook receiver {@code w} may read what an event {@code p} reports, when its delivery is
 * queued. Receivers are created by admins, who may read everything, but an owner may have another role since. A receiver without an
 * owner is one that a key with the rights of one agent has created or changed: it gets none of these events. Each subquery names
 * {@code :tenant} itself: Citus cannot follow it from the outer rows.
 */
final class ReceiverOwnerQueries {
    /** That there is an owner is said twice: so the planner looks each thing up, instead of hashing all of the tenant's. */
    private static final String OWNER = """
            app_user u
             WHERE u.tenant_id = :tenant AND u.id = w.owner_id AND w.owner_id IS NOT NULL AND u.removed_at IS NULL""";

    /** Whether the owner takes part in the domain {@code d}. */
    private static final String TAKES_PART = """
            (d.owner_id = u.id
             OR EXISTS (SELECT 1 FROM membership mine
                         WHERE mine.tenant_id = :tenant AND mine.domain_id = d.id
                           AND mine.owner_id = u.id AND mine.state = 'member'))""";

    static final String MAY_READ_MESSAGE = mayReadMessage("message_id");

    /** A question has the id of its message. */
    static final String MAY_READ_QUESTION = mayReadMessage("question");

    static final String MAY_READ_TASK = SqlTemplate.of("""
            EXISTS (SELECT 1
                      FROM task t
                      JOIN domain d ON d.tenant_id = :tenant AND d.id = t.domain_id
                     CROSS JOIN {owner}
                       AND t.tenant_id = :tenant AND t.id = CAST(p.data ->> 'task' AS uuid)
                       AND (u.role IN ('admin', 'owner') OR {takes_part}))
            """)
            .with("owner", OWNER)
            .with("takes_part", TAKES_PART)
            .sql();

    /** @param field which field of the event has the message's id */
    private static String mayReadMessage(String field) {
        return SqlTemplate.of("""
            EXISTS (SELECT 1
                      FROM message m
                      JOIN conversation c ON c.tenant_id = :tenant AND c.id = m.conversation_id
                      LEFT JOIN zone z ON c.low_id IS NULL AND z.tenant_id = :tenant AND z.conversation_id = c.id
                      LEFT JOIN domain d ON d.tenant_id = :tenant AND d.id = z.domain_id
                     CROSS JOIN {owner}
                       AND m.tenant_id = :tenant AND m.id = CAST({id} AS uuid)
                       AND (u.role IN ('admin', 'owner')
                            OR {takes_part}
                            OR (c.low_id IS NOT NULL
                                AND EXISTS (SELECT 1 FROM participant mine
                                             WHERE mine.tenant_id = :tenant AND mine.conversation_id = c.id
                                               AND mine.owner_id = u.id))))
            """)
                .with("id", "p.data ->> '%s'".formatted(field))
                .with("owner", OWNER)
                .with("takes_part", TAKES_PART)
                .sql();
    }

    static final String MAY_READ_MEMORY = SqlTemplate.of("""
            EXISTS (SELECT 1
                      FROM bank b
                      JOIN memory m ON m.tenant_id = :tenant AND m.bank_id = b.id
                                   AND m.id = CAST(p.data ->> 'memory_id' AS uuid)
                     CROSS JOIN {owner}
                       AND b.tenant_id = :tenant AND b.name = p.data ->> 'bank' AND b.deleted_at IS NULL
                       AND {readable}
                       AND (u.role IN ('admin', 'owner')
                            OR b.owner_id = u.id
                            OR b.access = 'public'
                            OR EXISTS (SELECT 1 FROM bank_grant mine
                                        WHERE mine.tenant_id = :tenant AND mine.bank_id = b.id
                                          AND mine.owner_id = u.id AND mine.permission <> 'none')))
            """)
            .with("owner", OWNER)
            .with("readable", MemoryVisibility.readable("m", "b").replace("b.tenant_id", ":tenant"))
            .sql();

    private ReceiverOwnerQueries() {}
}

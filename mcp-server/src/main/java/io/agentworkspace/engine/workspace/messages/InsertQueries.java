package io.agentworkspace.engine.workspace.messages;

import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.workspace.guard.GuardQueries;

/** The SQL that stores a message, and whom it then waits for. */
final class InsertQueries {
    private InsertQueries() {}

    /**
     * Stores a message. In a direct conversation the speaker's row stays as it is: when the other side speaks, all messages
     * since the last one counted there are the party's own. Values are selected with a row of the tenant, whose server Citus then knows.
     */
    static final String INSERT = SqlTemplate.of("""
            WITH said AS (INSERT INTO message (tenant_id, conversation_id, seq, id, speaker_id, content, answers, chain,
                                            created_at, person, by_key, attached)
                       VALUES (:tenant, :conversation, :seq, :id, :speaker, :content, CAST(:answers AS uuid),
                               CAST(:chain AS bigint[]), :at, NOT :by_program, :by_key,
                               CAST(:attached AS uuid[]))),
                 spoke AS (UPDATE participant
                              SET own_unread = own_unread + 1
                            WHERE CAST(:other AS bigint) IS NULL
                              AND tenant_id = :tenant AND party_id = :speaker AND conversation_id = :conversation),
                 joined AS (INSERT INTO participant (tenant_id, party_id, conversation_id, owner_id, read_seq, last_seq)
                            SELECT t.tenant_id, CAST(:speaker AS bigint), CAST(:conversation AS bigint), CAST(:user AS bigint), CAST(:seq AS bigint),
                                   CASE WHEN CAST(:other AS bigint) IS NOT NULL THEN CAST(:seq AS bigint) END
                              FROM tenant_plan t
                             WHERE :joins AND t.tenant_id = :tenant
                               AND NOT EXISTS (SELECT 1 FROM participant p
                                                WHERE p.tenant_id = :tenant AND p.party_id = :speaker
                                                  AND p.conversation_id = :conversation)
                            ON CONFLICT (tenant_id, party_id, conversation_id) DO UPDATE
                               SET own_unread = participant.own_unread + CASE WHEN participant.last_seq IS NULL THEN 1 ELSE 0 END),
                 listener AS (INSERT INTO participant (tenant_id, party_id, conversation_id, owner_id, read_seq, last_seq)
                           SELECT t.tenant_id, CAST(:other AS bigint), CAST(:conversation AS bigint), COALESCE(a.owner_id, CAST(:other AS bigint)),
                                  CAST(:seq AS bigint) - 1, CAST(:seq AS bigint)
                             FROM tenant_plan t
                             LEFT JOIN agent a ON a.tenant_id = :tenant AND a.id = COALESCE(CAST(:other AS bigint), 0)
                            WHERE CAST(:other AS bigint) IS NOT NULL AND t.tenant_id = :tenant
                           ON CONFLICT (tenant_id, party_id, conversation_id) DO UPDATE
                              SET own_unread = participant.own_unread + excluded.last_seq - 1 - participant.last_seq,
                                  last_seq = excluded.last_seq),
                 forwarded AS (INSERT INTO remote_message (tenant_id, message_id, agent_id, conversation_id, seq, created_at, due_at)
                            SELECT r.tenant_id, CAST(:id AS uuid), r.agent_id, CAST(:conversation AS bigint), CAST(:seq AS bigint),
                                   CAST(:at AS timestamptz), CAST(:at AS timestamptz)
                              FROM agent_remote r
                             WHERE r.tenant_id = :tenant AND r.agent_id = CAST(:other AS bigint)),
                 counted AS ({sent}),
                 arrival AS ({received})
            SELECT 1 AS stored
            """)
            .with("sent", GuardQueries.COUNT_SENT)
            .with("received", GuardQueries.COUNT_RECEIVED)
            .sql();
}

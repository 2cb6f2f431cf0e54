package io.agentworkspace.engine.workspace.messages;

import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.workspace.guard.GuardQueries;

/** The SQL that stores a message, and whom it then waits for. */
final class InsertQueries {
    private InsertQueries() {}

    /**
     * Stores a message. In a direct conversation the speaker's row stays as it is: when the other side speaks, all messages
     * since the last one counted there are the party's own.
     */
    static final String INSERT = SqlTemplate.of("""
            WITH said AS (INSERT INTO message (tenant_id, conversation_id, seq, id, speaker_id, content, answers, chain,
                                            created_at, person, by_key, attached)
                       VALUES (:tenant, :conversation, :seq, :id, :speaker, :content, CAST(:answers AS uuid),
                               CAST(:chain AS bigint[]), :at, NOT :by_program, :by_key,
                               CAST(:attached AS uuid[]))),
                 partner AS (SELECT 1 FROM participant
                            WHERE CAST(:other AS bigint) IS NOT NULL
                              AND tenant_id = :tenant AND party_id = :speaker AND conversation_id = :conversation),
                 spoke AS (UPDATE participant
                              SET own_unread = own_unread + 1
                            WHERE CAST(:other AS bigint) IS NULL
                              AND tenant_id = :tenant AND party_id = :speaker AND conversation_id = :conversation
                        RETURNING 1),
                 joined AS (INSERT INTO participant (tenant_id, party_id, conversation_id, owner_id, read_seq, last_seq)
                            SELECT :tenant, :speaker, :conversation, :user, :seq,
                                   CASE WHEN CAST(:other AS bigint) IS NOT NULL THEN :seq END
                             WHERE :joins AND NOT EXISTS (SELECT 1 FROM spoke) AND NOT EXISTS (SELECT 1 FROM partner)
                            ON CONFLICT (tenant_id, party_id, conversation_id) DO UPDATE
                               SET own_unread = participant.own_unread + CASE WHEN participant.last_seq IS NULL THEN 1 ELSE 0 END
                            RETURNING 1),
                 listener AS (INSERT INTO participant (tenant_id, party_id, conversation_id, owner_id, read_seq, last_seq)
                           SELECT :tenant, o.id, :conversation, COALESCE(a.owner_id, o.id), :seq - 1, :seq
                             FROM (SELECT CAST(:other AS bigint) AS id) o
                             LEFT JOIN agent a ON a.tenant_id = :tenant AND a.id = o.id
                            WHERE o.id IS NOT NULL
                           ON CONFLICT (tenant_id, party_id, conversation_id) DO UPDATE
                              SET own_unread = participant.own_unread + excluded.last_seq - 1 - participant.last_seq,
                                  last_seq = excluded.last_seq),
                 forwarded AS (INSERT INTO remote_message (tenant_id, message_id, agent_id, conversation_id, seq, created_at, due_at)
                            SELECT :tenant, :id, r.agent_id, :conversation, :seq, :at, :at
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

package io.agentworkspace.engine.workspace.messages;

import io.agentworkspace.engine.kernel.db.Db;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Receipts of direct messages that a session of the recipient was told of, without showing them. */
public final class ReceiptStore {
    /** The most messages of a conversation that one announcement marks, the newest first. */
    private static final int MOST = 1_000;

    private static final String DELIVERED = """
            UPDATE message m
               SET delivered_at = greatest(CAST(:now AS timestamptz), m.created_at)
              FROM unnest(CAST(:conversations AS bigint[]), CAST(:since AS bigint[]), CAST(:upto AS bigint[])) receipt (conversation_id, since, upto)
              JOIN participant p ON p.tenant_id = :tenant AND p.party_id = :party AND p.conversation_id = receipt.conversation_id
              JOIN conversation st ON st.tenant_id = :tenant AND st.id = p.conversation_id AND st.low_id IS NOT NULL
              CROSS JOIN LATERAL (SELECT x.seq
                                    FROM message x
                                   WHERE x.tenant_id = :tenant AND x.conversation_id = p.conversation_id
                                     AND x.seq > greatest(p.read_seq, receipt.since) AND x.seq <= receipt.upto
                                     AND x.speaker_id <> p.party_id
                                   ORDER BY x.seq DESC
                                   LIMIT :most) fresh
             WHERE m.tenant_id = :tenant AND m.conversation_id = p.conversation_id AND m.seq = fresh.seq AND m.delivered_at IS NULL
            """;

    private final Db db;

    public ReceiptStore(Db db) {
        this.db = db;
    }

    /**
     * Records that direct messages of the party were announced to one of its sessions.
     *
     * @param since up to which message of each conversation the session knew; a missing conversation: nothing
     * @param upto up to which message of each conversation it knows now
     */
    public void delivered(long tenant, long party, Map<Long, Long> since, Map<Long, Long> upto, Instant now) {
        var conversations = List.copyOf(upto.keySet());
        db.sql(DELIVERED)
                .set("tenant", tenant)
                .set("party", party)
                .set("conversations", conversations)
                .set(
                        "since",
                        conversations.stream()
                                .map(each -> since.getOrDefault(each, 0L))
                                .toList())
                .set("upto", conversations.stream().map(upto::get).toList())
                .set("most", MOST)
                .set("now", now)
                .run();
    }
}

package io.agentworkspace.engine.messages;

import io.agentworkspace.engine.context.Unread;
import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.db.SqlTemplate;
import java.time.Instant;

/** Receipts of direct messages that a session of the recipient was told of, without showing them. */
public final class ReceiptStore {
    private static final String DELIVERED =
            SqlTemplate.of("""
            UPDATE message m
               SET delivered_at = :now
              FROM participant p
              JOIN stream st ON st.tenant_id = p.tenant_id AND st.id = p.stream_id AND st.low_id IS NOT NULL
             WHERE p.tenant_id = :tenant AND p.party_id = :party AND {may_wait}
               AND m.tenant_id = p.tenant_id AND m.stream_id = p.stream_id AND m.seq > p.read_seq
               AND m.speaker_id <> p.party_id AND m.delivered_at IS NULL
            """).with("may_wait", Unread.MAY_WAIT).sql();

    private final Db db;

    public ReceiptStore(Db db) {
        this.db = db;
    }

    /** Records that the unread direct messages of the party were announced to one of its sessions. */
    public void delivered(long tenant, long party, Instant now) {
        db.sql(DELIVERED)
                .set("tenant", tenant)
                .set("party", party)
                .set("now", now)
                .run();
    }
}

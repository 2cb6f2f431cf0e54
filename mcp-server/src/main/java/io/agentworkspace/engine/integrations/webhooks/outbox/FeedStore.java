package io.agentworkspace.engine.integrations.webhooks.outbox;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.events.RestoreStore;
import java.time.Instant;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Numbers events in their tenants' feeds, and queues a delivery of each for every receiver that subscribes to it. */
public final class FeedStore {
    private static final Logger LOG = LoggerFactory.getLogger(FeedStore.class);
    private static final int TENANTS = 50;
    private static final int EVENTS = 500;

    /** The maximum number of deliveries that one statement queues, unless a single event per tenant has more. */
    private static final int ROWS = 10_000;

    /**
     * A receiver that was enabled when it was deleted receives the event of its deletion, whatever it
     * subscribes to, and nothing else.
     */
    private static final String PLACE = SqlTemplate.of("""
            WITH picked AS MATERIALIZED (
                SELECT f.tenant_id, e.place, f.last_seq + e.n AS seq
                  FROM event_feed f
                 CROSS JOIN LATERAL (SELECT e.ctid AS place, row_number() OVER (ORDER BY e.ordinal) AS n
                                       FROM event e
                                      WHERE e.tenant_id = f.tenant_id AND e.seq IS NULL AND NOT e.directed
                                      ORDER BY e.ordinal
                                      LIMIT :events) e
                 WHERE f.tenant_id = ANY(CAST(:tenants AS bigint[]))),
                 placed AS (
                UPDATE event e
                   SET seq = p.seq
                  FROM picked p
                 WHERE e.tenant_id = p.tenant_id AND e.ctid = p.place
             RETURNING e.tenant_id, e.id, e.seq, e.type, e.created_at, e.not_to, e.data),
                 grown AS (
                UPDATE event_feed f
                   SET last_seq = p.last
                  FROM (SELECT tenant_id, max(seq) AS last FROM placed GROUP BY tenant_id) p
                 WHERE f.tenant_id = p.tenant_id),
                 match AS (
                SELECT w.tenant_id, w.id AS endpoint_id, p.id AS event_id, p.type, p.created_at,
                       row_number() OVER (PARTITION BY w.tenant_id, w.id ORDER BY p.seq) AS n
                  FROM placed p
                  JOIN webhook_endpoint w ON w.tenant_id = p.tenant_id
                 WHERE w.enabled AND p.not_to IS DISTINCT FROM w.id
                   AND CASE WHEN w.deleted_at IS NULL THEN w.events && ARRAY[p.type, '*']
                            ELSE p.type = 'webhook.endpoint.deleted' AND p.data ->> 'endpoint_id' = w.id::text END
                   AND CASE p.type WHEN 'message.created' THEN {may_read_message}
                                   WHEN 'question.asked' THEN {may_read_question}
                                   WHEN 'question.answered' THEN {may_read_question}
                                   WHEN 'task.changed' THEN {may_read_task}
                                   WHEN 'memory.stored' THEN {may_read_memory}
                                   ELSE true END),
                 counted AS (
                UPDATE webhook_endpoint w
                   SET last_sequence = last_sequence + c.n
                  FROM (SELECT tenant_id, endpoint_id, count(*) AS n FROM match GROUP BY tenant_id, endpoint_id) c
                 WHERE w.tenant_id = c.tenant_id AND w.id = c.endpoint_id
             RETURNING w.tenant_id, w.id, w.last_sequence - c.n AS base)
            INSERT INTO webhook_delivery (tenant_id, id, endpoint_id, event_id, event_type, sequence, due_at, created_at)
            SELECT w.tenant_id, gen_random_uuid(), w.endpoint_id, w.event_id, w.type, c.base + w.n, :due, greatest(:now, w.created_at)
              FROM match w
              JOIN counted c ON c.tenant_id = w.tenant_id AND c.id = w.endpoint_id
            """)
            .with("may_read_message", ReceiverOwnerQueries.MAY_READ_MESSAGE)
            .with("may_read_question", ReceiverOwnerQueries.MAY_READ_QUESTION)
            .with("may_read_task", ReceiverOwnerQueries.MAY_READ_TASK)
            .with("may_read_memory", ReceiverOwnerQueries.MAY_READ_MEMORY)
            .sql();

    private static final String GROWN = """
            SELECT announce(t.id, '[{"topic": "events", "everyone": true}]') FROM unnest(CAST(:tenants AS bigint[])) t (id)
            """;

    private final Db db;
    private final RestoreStore restores;

    public FeedStore(Db db, RestoreStore restores) {
        this.db = db;
        this.restores = restores;
    }

    /**
     * Numbers the committed events that have no number yet. Tenants that another replica works on are skipped. If the
     * statement fails for several tenants, each is tried alone, so that one cannot block the others.
     *
     * @param due when the deliveries are due
     * @return whether there may be more
     */
    boolean place(Instant now, Instant due) {
        var waiting = db.sql("""
                SELECT DISTINCT tenant_id
                  FROM (SELECT tenant_id FROM event WHERE seq IS NULL AND NOT directed LIMIT :most) e
                 LIMIT :tenants
                """)
                .set("most", TENANTS * EVENTS)
                .set("tenants", TENANTS)
                .list(row -> row.number("tenant_id"));
        if (waiting.isEmpty()) {
            return false;
        }
        restores.notice(); // A backup may be restored while this engine runs.
        try {
            return place(now, due, waiting);
        } catch (RuntimeException e) {
            if (waiting.size() == 1) {
                throw e;
            }
            LOG.warn(
                    "could not add the events of {} tenants to their feeds together; trying each tenant alone",
                    waiting.size(),
                    e);
            return alone(now, due, waiting);
        }
    }

    private boolean alone(Instant now, Instant due, List<Long> tenants) {
        var any = false;
        for (var tenant : tenants) {
            try {
                any |= place(now, due, List.of(tenant));
            } catch (RuntimeException e) {
                LOG.warn("could not add the events of tenant {} to its feed", tenant, e);
            }
        }
        return any;
    }

    private boolean place(Instant now, Instant due, List<Long> tenants) {
        return db.transaction(() -> {
            var feeds = hold(tenants);
            if (feeds.isEmpty()) {
                return false;
            }
            var receivers = feeds.stream().mapToLong(Feed::receivers).sum();
            db.sql(GROWN)
                    .set("tenants", feeds.stream().map(Feed::tenant).toList())
                    .runLate();
            db.sql(PLACE)
                    .set("tenants", feeds.stream().map(Feed::tenant).toList())
                    .set("events", Math.clamp(ROWS / Math.max(1, receivers), 1, EVENTS))
                    .set("now", now)
                    .set("due", due)
                    .runAndCommit();
            return true;
        });
    }

    /** A locked feed, and the number of receivers it is delivered to. */
    private record Feed(long tenant, long receivers) {}

    /**
     * Locks the feeds and their receivers. The next statement of the transaction then sees all numbers given before,
     * and the receivers cannot change until it commits.
     */
    private List<Feed> hold(List<Long> tenants) {
        return db.sql("""
                WITH f AS (
                    SELECT tenant_id
                      FROM event_feed
                     WHERE tenant_id = ANY(CAST(:tenants AS bigint[]))
                     ORDER BY tenant_id
                       FOR UPDATE SKIP LOCKED),
                     w AS (
                    SELECT w.tenant_id
                      FROM webhook_endpoint w
                     WHERE w.tenant_id IN (SELECT tenant_id FROM f) AND w.enabled AND w.events <> '{push}'
                     ORDER BY w.tenant_id, w.id
                       FOR NO KEY UPDATE)
                SELECT f.tenant_id, (SELECT count(*) FROM w WHERE w.tenant_id = f.tenant_id) AS endpoints FROM f
                """)
                .set("tenants", tenants)
                .list(row -> new Feed(row.number("tenant_id"), row.number("endpoints")));
    }
}

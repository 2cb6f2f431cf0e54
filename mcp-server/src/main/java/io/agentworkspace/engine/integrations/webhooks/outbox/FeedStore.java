package io.agentworkspace.engine.integrations.webhooks.outbox;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.events.RestoreStore;
import io.agentworkspace.engine.kernel.scheduling.TenantTurns;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;

/** Numbers events in their tenants' feeds, and queues a delivery of each for every receiver that subscribes to it. */
public final class FeedStore {
    private static final int EVENTS = 500;

    /** The maximum number of deliveries that one statement queues, unless a single event has more. */
    private static final int ROWS = 10_000;

    /**
     * A receiver that was enabled when it was deleted receives the event of its deletion, whatever it
     * subscribes to, and nothing else.
     */
    private static final String PLACE = SqlTemplate.of("""
            WITH placed AS (
                UPDATE event e
                   SET seq = p.seq
                  FROM (SELECT e.place, f.last_seq + e.n AS seq
                          FROM event_feed f
                         CROSS JOIN (SELECT ctid AS place, row_number() OVER (ORDER BY ordinal) AS n
                                       FROM event
                                      WHERE tenant_id = :tenant AND seq IS NULL AND NOT directed
                                      ORDER BY ordinal
                                      LIMIT :events) e
                         WHERE f.tenant_id = :tenant) p
                 WHERE e.tenant_id = :tenant AND e.ctid = p.place
             RETURNING e.id, e.seq, e.type, e.created_at, e.not_to, e.data),
                 grown AS (
                UPDATE event_feed
                   SET last_seq = (SELECT max(seq) FROM placed)
                 WHERE tenant_id = :tenant AND EXISTS (SELECT 1 FROM placed)),
                 match AS (
                SELECT w.id AS endpoint_id, gen_random_uuid() AS delivery, p.id AS event_id, p.type, p.created_at,
                       row_number() OVER (PARTITION BY w.id ORDER BY p.seq) AS n
                  FROM placed p
                 CROSS JOIN webhook_endpoint w
                 WHERE w.tenant_id = :tenant AND w.enabled AND p.not_to IS DISTINCT FROM w.id
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
                  FROM (SELECT endpoint_id, count(*) AS n FROM match GROUP BY endpoint_id) c
                 WHERE w.tenant_id = :tenant AND w.id = c.endpoint_id
             RETURNING w.id, w.last_sequence - c.n AS base),
                 queued AS (
            INSERT INTO webhook_delivery (tenant_id, id, endpoint_id, event_id, event_type, sequence, due_at, created_at)
            SELECT home.tenant_id, m.delivery, m.endpoint_id, m.event_id, m.type, c.base + m.n, :due, greatest(:now, m.created_at)
              FROM tenant_plan home CROSS JOIN match m
              JOIN counted c ON c.id = m.endpoint_id
             WHERE home.tenant_id = :tenant)
            SELECT 1
            """)
            .with("may_read_message", ReceiverOwnerQueries.MAY_READ_MESSAGE)
            .with("may_read_question", ReceiverOwnerQueries.MAY_READ_QUESTION)
            .with("may_read_task", ReceiverOwnerQueries.MAY_READ_TASK)
            .with("may_read_memory", ReceiverOwnerQueries.MAY_READ_MEMORY)
            .sql();

    private static final String NEXT_TENANT = """
            SELECT COALESCE(min(tenant_id), 0) AS next FROM event WHERE seq IS NULL AND NOT directed AND tenant_id > :after
            """;

    private static final String GROWN = """
            SELECT announce(:tenant, '[{"topic": "events", "everyone": true}]')
            """;

    private final Db db;
    private final RestoreStore restores;
    private final TenantTurns turns = new TenantTurns("events are added to feeds");

    public FeedStore(Db db, RestoreStore restores) {
        this.db = db;
        this.restores = restores;
    }

    /**
     * Numbers the committed events that have no number yet. Tenants that another replica works on are skipped, and one whose
     * events cannot be numbered does not block the others.
     *
     * @param due when the deliveries are due
     * @return whether there may be more
     */
    boolean place(Instant now, Instant due) {
        var waiting = LongStream.iterate(next(0), tenant -> tenant > 0, this::next)
                .boxed()
                .toList();
        if (waiting.isEmpty()) {
            return false;
        }
        var homes = restores.look(waiting); // A backup may be restored while this engine runs.
        var placed = new AtomicBoolean();
        turns.each(waiting, tenant -> {
            restores.advance(tenant, homes);
            if (place(tenant, now, due)) {
                placed.set(true);
            }
            return true;
        });
        return placed.get();
    }

    /** Returns the next tenant with events that have no number; zero behind the last one. */
    private long next(long after) {
        return db.sql(NEXT_TENANT)
                .set("after", after)
                .one(row -> row.number("next"))
                .orElseThrow();
    }

    private boolean place(long tenant, Instant now, Instant due) {
        return db.transaction(() -> {
            var receivers = hold(tenant);
            if (receivers.isEmpty()) {
                return false;
            }
            db.sql(GROWN).set("tenant", tenant).runLate();
            db.sql(PLACE)
                    .set("tenant", tenant)
                    .set("events", Math.clamp(ROWS / Math.max(1, receivers.get()), 1, EVENTS))
                    .set("now", now)
                    .set("due", due)
                    .runAndCommit();
            return true;
        });
    }

    /**
     * Locks the feed and its receivers, unless another replica holds the feed. The next statement of the transaction then sees all
     * numbers given before, and the receivers cannot change until it commits.
     *
     * @return the number of receivers
     */
    private Optional<Long> hold(long tenant) {
        return db.sql("""
                WITH f AS (
                    SELECT 1
                      FROM event_feed
                     WHERE tenant_id = :tenant
                       FOR UPDATE SKIP LOCKED),
                     w AS (
                    SELECT id
                      FROM webhook_endpoint
                     WHERE tenant_id = :tenant AND EXISTS (SELECT 1 FROM f) AND enabled AND events <> '{push}'
                     ORDER BY id
                       FOR NO KEY UPDATE)
                SELECT (SELECT count(*) FROM w) AS endpoints FROM f
                """).set("tenant", tenant).one(row -> row.number("endpoints"));
    }
}

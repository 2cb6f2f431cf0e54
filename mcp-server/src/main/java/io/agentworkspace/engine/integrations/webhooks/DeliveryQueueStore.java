package io.agentworkspace.engine.integrations.webhooks;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.page.Cursor;
import io.agentworkspace.engine.kernel.page.ListPosition;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.event.EventType;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Queues the deliveries that callers request: of a test event, or of an event again. They are due at once, and get
 * their sequence numbers in the statement that queues them.
 */
final class DeliveryQueueStore {
    /** The maximum number of deliveries that one call queues again. */
    static final int MOST = 1_000;

    private static final String QUEUE_TEST =
            SqlTemplate.of("""
            WITH ids AS MATERIALIZED (SELECT nextval('event_ordinal') AS ordinal),
                 target AS (
                SELECT e.id, gen_random_uuid() AS delivery
                  FROM webhook_endpoint e
                 WHERE e.tenant_id = :tenant AND e.deleted_at IS NULL AND e.enabled AND e.events <> '{push}'
                   AND CASE WHEN CAST(:endpoint AS uuid) IS NULL THEN e.events && ARRAY[CAST(:type AS text), '*']
                            ELSE e.id = CAST(:endpoint AS uuid) END
                 ORDER BY e.id
                   FOR NO KEY UPDATE),
                 signal AS (
                INSERT INTO event (tenant_id, id, type, created_at, data, directed, ordinal)
                SELECT home.tenant_id, :event, :type, :now, CAST(:data AS json), true, ids.ordinal
                  FROM tenant_plan home CROSS JOIN ids
                 WHERE home.tenant_id = :tenant AND EXISTS (SELECT 1 FROM target)),
                 counted AS (
                UPDATE webhook_endpoint e
                   SET last_sequence = e.last_sequence + 1
                  FROM target t
                 WHERE e.tenant_id = :tenant AND e.id = t.id
                RETURNING e.*, t.delivery),
                 queued AS (
                INSERT INTO webhook_delivery (tenant_id, id, endpoint_id, event_id, event_type, sequence, due_at, created_at)
                SELECT home.tenant_id, c.delivery, c.id, :event, :type, c.last_sequence, :now, :now
                  FROM tenant_plan home CROSS JOIN counted c
                 WHERE home.tenant_id = :tenant
                RETURNING *)
            SELECT {delivery_json} AS record
              FROM queued d JOIN counted e ON e.id = d.endpoint_id
             ORDER BY e.created_at, e.id
            """).with("delivery_json", DeliveryRow.JSON).sql();

    private static final String QUEUE_AGAIN =
            SqlTemplate.of("""
            WITH ids AS MATERIALIZED (SELECT gen_random_uuid() AS delivery),
                 counted AS (
                UPDATE webhook_endpoint
                   SET last_sequence = last_sequence + 1
                 WHERE tenant_id = :tenant AND id = :endpoint
                RETURNING *),
                 queued AS (
                INSERT INTO webhook_delivery (tenant_id, id, endpoint_id, event_id, event_type, sequence, due_at, created_at)
                SELECT home.tenant_id, ids.delivery, c.id, :event, :type, c.last_sequence, :now, :now
                  FROM tenant_plan home CROSS JOIN ids CROSS JOIN counted c
                 WHERE home.tenant_id = :tenant
                RETURNING *)
            SELECT {delivery_json} AS record FROM queued d JOIN counted e ON e.id = d.endpoint_id
            """).with("delivery_json", DeliveryRow.JSON).sql();

    private final Db db;

    public DeliveryQueueStore(Db db) {
        this.db = db;
    }

    /**
     * Queues a test event, which is in no feed, for each receiver that is enabled and subscribes to its type.
     *
     * @param receiver sends only to this receiver, whatever it subscribes to; null sends to all
     */
    List<Delivery> test(Call call, UUID event, EventType type, ObjectNode data, @Nullable UUID receiver) {
        call.queue();
        return db.sql(call, QUEUE_TEST)
                .set("event", event)
                .set("type", type.word())
                .set("data", Json.text(data))
                .set("endpoint", receiver)
                .list(DeliveryQueueStore::record);
    }

    /** The event of a delivery, and the receiver that it was sent to. */
    record QueuedDelivery(UUID event, EventType type, UUID receiver) {}

    /** @throws Problem {@code not_found} */
    QueuedDelivery sent(Call call, String delivery) {
        return db.sql(call, """
                SELECT jsonb_build_object('event', event_id, 'type', event_type, 'receiver', endpoint_id) AS sent
                  FROM webhook_delivery
                 WHERE tenant_id = :tenant AND id = :id AND event_type <> 'push'
                """)
                .set("id", ReceiverQueries.id(delivery).orElse(null))
                .one(row -> Objects.requireNonNull(row.json("sent", QueuedDelivery.class)))
                .orElseThrow(() -> ReceiverQueries.missing("delivery", delivery));
    }

    /** Queues another delivery of the event. The transaction holds the endpoint's lock. */
    Delivery again(Call call, QueuedDelivery sent, UUID receiver) {
        call.queue();
        return db.sql(call, QUEUE_AGAIN)
                .set("event", sent.event())
                .set("type", sent.type().word())
                .set("endpoint", receiver)
                .one(DeliveryQueueStore::record)
                .orElseThrow();
    }

    private static Delivery record(Row row) throws java.sql.SQLException {
        return Objects.requireNonNull(row.json("record", Delivery.class));
    }

    /**
     * Selects deliveries of a receiver that were queued in a span of time, after a sequence number.
     *
     * @param until the time of the first call, which excludes the deliveries that the calls themselves queue
     */
    record MissedEvents(UUID receiver, Instant since, Instant until, long after) {
        /** Returns the selection of the first call, or the rest after a cursor. */
        static MissedEvents of(UUID receiver, Instant since, Instant now, @Nullable String cursor) {
            if (cursor == null) {
                return new MissedEvents(receiver, since, now, 0);
            }
            var keys = Cursor.read(cursor, 2);
            try {
                return new MissedEvents(receiver, since, ListPosition.time(keys.get(0)), Long.parseLong(keys.get(1)));
            } catch (NumberFormatException e) {
                throw Cursor.invalid();
            }
        }

        private String cursor(long last) {
            return Cursor.of(until.toString(), Long.toString(last));
        }
    }

    /** The number of deliveries queued or brought forward, and the cursor for the rest; null if there is none. */
    record Recovered(long queued, @Nullable String nextCursor) {}

    /**
     * Queues events again if their last delivery to the one receiver failed or was exhausted, in their order. The
     * target endpoint's lock is held by the transaction. Events that the target has already received, or that wait for
     * it, are left out. On the same receiver, a failed delivery has further attempts anyway: it becomes due at once,
     * unless it is being attempted now.
     */
    Recovered missed(Call call, MissedEvents missed, UUID receiver) {
        call.queue();
        return db.sql(call, """
                WITH chosen AS MATERIALIZED (
                    SELECT d.id, d.event_id, d.event_type, d.sequence,
                           d.state = 'failed' AND d.endpoint_id = :endpoint AS waits
                      FROM webhook_delivery d
                     WHERE d.tenant_id = :tenant AND d.endpoint_id = :from
                       AND (d.state = 'exhausted' OR d.state = 'failed' AND (d.endpoint_id <> :endpoint OR d.due_at > :now))
                       AND d.sequence > :place AND d.created_at >= :begin AND d.created_at < :until
                       AND NOT EXISTS (SELECT 1
                                         FROM webhook_delivery o
                                        WHERE o.tenant_id = :tenant AND o.event_id = d.event_id AND o.id <> d.id
                                          AND (o.endpoint_id = :from AND o.sequence > d.sequence
                                               OR o.endpoint_id = :endpoint AND o.state <> 'exhausted'))
                     ORDER BY d.sequence
                     LIMIT :most),
                     hurried AS (
                    UPDATE webhook_delivery
                       SET due_at = :now
                     WHERE tenant_id = :tenant
                       AND id = ANY (ARRAY(SELECT d.id
                                             FROM webhook_delivery d
                                            WHERE d.tenant_id = :tenant AND d.state = 'failed'
                                              AND d.id = ANY (ARRAY(SELECT id FROM chosen WHERE waits))
                                              FOR UPDATE SKIP LOCKED))
                    RETURNING id),
                     renewed AS (
                    SELECT event_id, event_type, gen_random_uuid() AS delivery, row_number() OVER (ORDER BY sequence) AS place
                      FROM chosen
                     WHERE NOT waits),
                     counted AS (
                    UPDATE webhook_endpoint
                       SET last_sequence = last_sequence + (SELECT count(*) FROM renewed)
                     WHERE tenant_id = :tenant AND id = :endpoint
                    RETURNING last_sequence),
                     queued AS (
                    INSERT INTO webhook_delivery (tenant_id, id, endpoint_id, event_id, event_type, sequence, due_at, created_at)
                    SELECT home.tenant_id, r.delivery, CAST(:endpoint AS uuid), r.event_id, r.event_type,
                           n.last_sequence - (SELECT count(*) FROM renewed) + r.place, :now, :now
                      FROM tenant_plan home CROSS JOIN renewed r CROSS JOIN counted n
                     WHERE home.tenant_id = :tenant)
                SELECT (SELECT count(*) FROM renewed) + (SELECT count(*) FROM hurried) AS queued,
                       count(*) AS chosen, COALESCE(max(sequence), 0) AS last,
                       ARRAY(SELECT CAST(id AS text) FROM hurried) AS hurried
                  FROM chosen
                """)
                .set("from", missed.receiver())
                .set("endpoint", receiver)
                .set("place", missed.after())
                .set("begin", missed.since())
                .set("until", missed.until())
                .set("most", MOST)
                .one(row -> {
                    row.texts("hurried").forEach(id -> call.changed(Change.delivery(UUID.fromString(id), "failed")));
                    return new Recovered(
                            row.number("queued"),
                            row.number("chosen") < MOST ? null : missed.cursor(row.number("last")));
                })
                .orElseThrow();
    }
}

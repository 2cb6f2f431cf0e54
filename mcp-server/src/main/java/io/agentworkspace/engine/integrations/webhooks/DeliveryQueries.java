package io.agentworkspace.engine.integrations.webhooks;

import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.page.Cursor;
import io.agentworkspace.engine.kernel.page.ListPosition;
import io.agentworkspace.engine.kernel.page.ListSlice;
import io.agentworkspace.engine.kernel.page.Page;
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

/** Reads deliveries and the event feed: one statement each. */
final class DeliveryQueries {
    private static final String EVENT =
            "json_build_object('id', v.id, 'type', v.type, 'created_at', v.created_at, 'data', v.data)";

    private static final String READ = SqlTemplate.of("""
            SELECT {delivery_json} AS record, {event_json} AS event
              FROM webhook_delivery d
              {join_endpoint}
              JOIN event v ON v.tenant_id = :tenant AND v.id = d.event_id
             WHERE d.tenant_id = :tenant AND d.id = CAST(:id AS uuid) AND d.event_type <> 'push'
            """)
            .with("delivery_json", DeliveryRow.JSON)
            .with("event_json", EVENT)
            .with("join_endpoint", DeliveryRow.ENDPOINT)
            .sql();

    /** A key with the rights of one agent reads only that agent's direct messages, and those of zones. */
    private static final String READ_FEED = SqlTemplate.of("""
            WITH feed AS (
                SELECT COALESCE(max(last_seq), 0) AS latest, COALESCE(max(cleared_seq), 0) AS cleared
                  FROM event_feed
                 WHERE tenant_id = :tenant),
              page AS (
                SELECT v.*
                  FROM event v
                 WHERE v.tenant_id = :tenant AND v.seq > greatest(:place, (SELECT cleared FROM feed))
                   AND (CAST(:bound AS bigint) IS NULL OR v.type NOT IN ('message.created', 'question.asked', 'question.answered')
                        OR EXISTS (SELECT 1
                                     FROM message m
                                     JOIN conversation c ON c.tenant_id = :tenant AND c.id = m.conversation_id
                                    WHERE m.tenant_id = :tenant
                                      AND m.id = CAST(COALESCE(v.data ->> 'message_id', v.data ->> 'question') AS uuid)
                                      AND {may_see_conversation}))
                 ORDER BY v.seq
                 LIMIT :limit),
              near AS (
                SELECT v.*, sum(octet_length(v.data::text)) OVER (ORDER BY v.seq) - octet_length(v.data::text) AS ahead
                  FROM page v)
            SELECT feed.*,
                   (SELECT json_agg(json_build_object('seq', v.seq, 'id', v.id, 'type', v.type,
                                                      'created_at', v.created_at, 'data', v.data) ORDER BY v.seq)
                      FROM near v
                     WHERE v.ahead <= :room) AS rows
              FROM feed
            """)
            .with("may_see_conversation", Visibility.conversation("c"))
            .sql();

    /**
     * A condition that the filter does not set is {@code TRUE} in the text, so that each combination is planned along its
     * own index.
     */
    private static final String LIST = SqlTemplate.of("""
            WITH page AS (
                SELECT d.*
                  FROM webhook_delivery d
                 WHERE d.tenant_id = :tenant AND d.event_type <> 'push'
                   AND (NOT :by_endpoint OR d.endpoint_id = CAST(:endpoint AS uuid))
                   AND (NOT :by_state OR d.state = CAST(:state AS text))
                   AND (NOT :by_type OR d.event_type = CAST(:type AS text))
                   AND (NOT :continued OR (d.created_at, d.sequence, d.id) < (CAST(:at AS timestamptz), CAST(:sequence AS bigint), CAST(:after AS uuid)))
                 ORDER BY d.created_at DESC, d.sequence DESC, d.id DESC
                 LIMIT :limit + 1)
            SELECT EXISTS (SELECT 1 FROM webhook_endpoint e WHERE e.tenant_id = :tenant AND e.id = CAST(:endpoint AS uuid)
                              AND e.events <> '{push}') AS is_known,
                   (SELECT jsonb_agg({delivery_json} ORDER BY d.created_at DESC, d.sequence DESC, d.id DESC)
                      FROM page d {join_endpoint}) AS rows
            """)
            .with("delivery_json", DeliveryRow.JSON)
            .with("join_endpoint", DeliveryRow.ENDPOINT)
            .sql();

    private final Db db;

    public DeliveryQueries(Db db) {
        this.db = db;
    }

    /** The filter of a list; null matches everything. */
    record DeliveryFilter(
            @Nullable String receiver,
            @Nullable DeliveryState state,
            @Nullable EventType type) {}

    /**
     * Returns the deliveries, newest first, including those of a deleted receiver.
     *
     * @throws Problem {@code not_found} for a receiver that never existed
     */
    ListSlice<Delivery> list(Call call, DeliveryFilter filter, @Nullable Page page) {
        var limit = Page.limit(page);
        var after = After.of(page);
        var rows = db.sql(call, LIST)
                .set("by_endpoint", filter.receiver() != null)
                .set("by_state", filter.state() != null)
                .set("by_type", filter.type() != null)
                .set("continued", after != null)
                .set(
                        "endpoint",
                        filter.receiver() == null
                                ? null
                                : ReceiverQueries.id(filter.receiver()).orElse(null))
                .set("state", filter.state() == null ? null : filter.state().word())
                .set("type", filter.type() == null ? null : filter.type().word())
                .set("at", after == null ? null : after.at())
                .set("sequence", after == null ? null : (Long) after.sequence())
                .set("after", after == null ? null : after.id())
                .set("limit", limit)
                .one(row -> {
                    if (filter.receiver() != null && !row.flag("is_known")) {
                        throw ReceiverQueries.missing(filter.receiver());
                    }
                    return row.jsonList("rows", Delivery.class);
                })
                .orElseThrow();
        return ListSlice.of(call, rows, limit, After::cursor);
    }

    /**
     * The position after the last delivery of a page. Many deliveries have the same time, so sequence and id are needed.
     */
    private record After(Instant at, long sequence, UUID id) {
        static @Nullable After of(@Nullable Page page) {
            var keys = Page.after(page, 3);
            try {
                return keys.isEmpty()
                        ? null
                        : new After(
                                ListPosition.time(keys.get(0)),
                                Long.parseLong(keys.get(1)),
                                UUID.fromString(keys.get(2)));
            } catch (IllegalArgumentException e) {
                throw Cursor.invalid();
            }
        }

        static String cursor(Delivery last) {
            return Cursor.of(
                    last.createdAt().toString(),
                    Long.toString(last.sequence()),
                    last.id().toString());
        }
    }

    /** A delivery, and the envelope that it delivers, as it was sent. */
    record DeliveryWithEvent(Delivery delivery, ObjectNode event) {}

    /** @throws Problem {@code not_found} */
    DeliveryWithEvent read(Call call, String id) {
        return db.sql(call, READ)
                .set("id", ReceiverQueries.id(id).orElse(null))
                .one(row -> new DeliveryWithEvent(
                        Objects.requireNonNull(row.json("record", Delivery.class)),
                        Json.tree(Objects.requireNonNull(row.json("event", SentEvent.class)))))
                .orElseThrow(() -> ReceiverQueries.missing("delivery", id));
    }

    /** The envelope of an event. The record formats its times like all others. */
    private record SentEvent(UUID id, String type, Instant createdAt, ObjectNode data) {}

    /** An event with its number in the tenant's feed. */
    record Placed(long seq, UUID id, EventType type, Instant createdAt, ObjectNode data) {}

    /**
     * A part of the feed.
     *
     * @param latest the seq of the newest event, 0 before the first
     * @param cleared the seq up to which old events were deleted, 0 if the feed is complete
     */
    record Feed(List<Placed> events, long latest, long cleared) {}

    /** Returns the events after this seq, oldest first. */
    Feed feed(Call call, long after, int limit) {
        return db.sql(call, READ_FEED)
                .set("place", after)
                .set("limit", limit)
                .one(row -> new Feed(
                        call.budget().fit(row.jsonList("rows", Placed.class)),
                        row.number("latest"),
                        row.number("cleared")))
                .orElseThrow();
    }
}

package io.agentworkspace.engine.integrations.webhooks.outbox;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.scheduling.TenantTurns;
import java.time.Instant;

/** Deletes events whose days are over, and other old rows. */
final class OldEventStore {
    /** The tenants whose oldest event is old, and those whose feed still names events that are gone. */
    private static final String TENANTS_WITH_OLD_EVENTS = """
            SELECT f.tenant_id
              FROM event_feed f
             WHERE f.last_seq > 0
               AND COALESCE((SELECT e.created_at
                               FROM event e
                              WHERE e.tenant_id = f.tenant_id AND e.seq IS NOT NULL
                              ORDER BY e.seq
                              LIMIT 1) < :until,
                            f.cleared_seq < f.last_seq)
            """;

    /** Advances the feed over the events to be deleted, and no further. */
    private static final String CLEAR = """
            UPDATE event_feed f
               SET cleared_seq = p.cleared
              FROM (SELECT COALESCE(young.seq - 1, f.last_seq) AS cleared
                      FROM event_feed f
                      LEFT JOIN LATERAL (SELECT e.seq
                                           FROM event e
                                          WHERE e.tenant_id = :tenant AND e.seq > f.cleared_seq AND e.created_at >= :until
                                          ORDER BY e.seq
                                          LIMIT 1) young ON true
                     WHERE f.tenant_id = :tenant AND f.cleared_seq < f.last_seq) p
             WHERE f.tenant_id = :tenant AND f.cleared_seq < p.cleared
            """;

    private static final String AWAITED = """
            EXISTS (SELECT 1
                      FROM webhook_delivery d
                      JOIN webhook_endpoint w ON w.tenant_id = d.tenant_id AND w.id = d.endpoint_id
                     WHERE d.tenant_id = event.tenant_id AND d.event_id = event.id AND d.due_at IS NOT NULL AND w.enabled
                       AND w.deleted_at IS NULL)""";

    /** Along the feed, so that an event needs no entry in an index of ages. */
    private static final String OLD_EVENTS =
            Db.deletingOld("event", SqlTemplate.of("""
            DELETE FROM event
             USING (SELECT event.ctid AS place
                      FROM event
                     WHERE event.tenant_id = :tenant
                       AND event.seq <= (SELECT cleared_seq FROM event_feed WHERE tenant_id = :tenant)
                       AND event.created_at < :until AND NOT {awaited}
                     ORDER BY event.seq
                     LIMIT :portion
                       FOR UPDATE OF event SKIP LOCKED) old
             WHERE event.tenant_id = :tenant AND event.ctid = old.place
            """).with("awaited", AWAITED).sql());

    private static final String OLD_TESTS =
            Db.oldRows("event", "tenant_id, id", "directed AND created_at < :until AND NOT " + AWAITED);

    private static final String OLD_HEALTH =
            Db.oldRows("webhook_health", "tenant_id, endpoint_id, hour", "hour < :until");

    private static final String OLD_ENDPOINTS = Db.oldRows("webhook_endpoint", "tenant_id, id", "deleted_at < :until");

    private final Db db;
    private final TenantTurns turns = new TenantTurns("old events are deleted");

    OldEventStore(Db db) {
        this.db = db;
    }

    /**
     * Deletes events older than the retention period, their deliveries, and other old rows. Pending deliveries and their
     * events stay until they end, but in no feed: each feed is first cut off before its oldest event that is kept.
     */
    void purge(Instant until) {
        db.deleteOld(OLD_TESTS, until);
        db.deleteOld(OLD_HEALTH, until);
        db.deleteOld(OLD_ENDPOINTS, until);
        var tenants = db.sql(TENANTS_WITH_OLD_EVENTS).set("until", until).list(row -> row.number("tenant_id"));
        turns.each(tenants, tenant -> {
            db.sql(CLEAR).set("tenant", tenant).set("until", until).run();
            db.deleteOld(tenant, OLD_EVENTS, until);
            return true;
        });
    }
}

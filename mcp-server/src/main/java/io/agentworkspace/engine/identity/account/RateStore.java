package io.agentworkspace.engine.identity.account;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The requests admitted by all replicas together: a token bucket for each caller, by the database's clock. */
public final class RateStore {
    private static final String FULL =
            Db.oldRows("rate_spent", "tenant_id, principal", "full_at < least(CAST(:until AS timestamptz), now())");

    /** Each bucket is created or locked, in order, and then drained: in ON CONFLICT, and with time zones, Citus takes no function of the time. */
    private static final String ADD = SqlTemplate.of("""
            INSERT INTO rate_spent AS r (tenant_id, principal, full_at)
            SELECT tenant_id, principal, {began} FROM {spent} ORDER BY tenant_id, principal
            ON CONFLICT (tenant_id, principal) DO UPDATE SET full_at = r.full_at;
            WITH drained AS (
                UPDATE rate_spent r
                   SET full_at = least((greatest(r.full_at, {began}) AT TIME ZONE 'UTC'
                                           + s.made / CAST(:per_second AS double precision) * INTERVAL '1 second') AT TIME ZONE 'UTC',
                                       now() + CAST(:most AS interval))
                  FROM {spent}
                 WHERE r.tenant_id = s.tenant_id AND r.principal = s.principal
                RETURNING r.tenant_id, r.principal, r.full_at)
            SELECT tenant_id, principal, (extract(epoch FROM full_at - now()) * 1000000)::bigint AS micros FROM drained
            """)
            .with("began", "now() - CAST(:age AS interval)")
            .with(
                    "spent",
                    "unnest(CAST(:tenants AS bigint[]), CAST(:principals AS text[]), CAST(:made AS bigint[])) s (tenant_id, principal, made)")
            .sql();

    private final Db db;

    public RateStore(Db db) {
        this.db = db;
    }

    /** Whose requests are counted: a principal of a tenant. */
    public record CallerId(long tenant, String principal) {}

    /**
     * The requests to add for each principal.
     *
     * @param age how long ago the first of them was admitted; a bucket that was full then is drained from then on
     * @param perSecond how many requests a bucket regains per second
     * @param most the longest time that a bucket takes to fill
     */
    public record Spent(Map<CallerId, Long> made, Duration age, long perSecond, Duration most) {}

    /**
     * Adds requests to those of other replicas. Returns how long each bucket takes to fill; not positive if it is
     * full.
     */
    public Map<CallerId, Duration> add(Spent spent) {
        var callers = List.copyOf(spent.made().keySet());
        var waits = new HashMap<CallerId, Duration>();
        db.transaction(() -> db.sql(ADD)
                .set("age", spent.age().toString())
                .set("per_second", spent.perSecond())
                .set("most", spent.most().toString())
                .set("tenants", callers.stream().map(CallerId::tenant).toList())
                .set("principals", callers.stream().map(CallerId::principal).toList())
                .set("made", callers.stream().map(spent.made()::get).toList())
                .all(results -> results.list(row ->
                        waits.put(row.as(CallerId.class), Duration.of(row.number("micros"), ChronoUnit.MICROS)))));
        return waits;
    }

    /** Deletes full buckets, which contain no information. */
    public void purge(Instant now) {
        db.deleteOld(FULL, now);
    }
}

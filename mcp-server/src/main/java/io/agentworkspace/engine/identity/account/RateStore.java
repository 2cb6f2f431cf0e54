package io.agentworkspace.engine.identity.account;

import io.agentworkspace.engine.kernel.db.Db;
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
        db.sql("""
                INSERT INTO rate_spent AS r (tenant_id, principal, full_at)
                SELECT tenant_id, principal,
                       now() - CAST(:age AS interval) + made / CAST(:per_second AS double precision) * INTERVAL '1 second'
                  FROM unnest(CAST(:tenants AS bigint[]), :principals, CAST(:made AS bigint[])) s (tenant_id, principal, made)
                 ORDER BY tenant_id, principal
                ON CONFLICT (tenant_id, principal) DO UPDATE
                   SET full_at = least(excluded.full_at
                                           + greatest(r.full_at - (now() - CAST(:age AS interval)), INTERVAL '0'),
                                       now() + CAST(:most AS interval))
                RETURNING tenant_id, principal, (extract(epoch FROM full_at - now()) * 1000000)::bigint AS micros
                """)
                .set("age", spent.age().toString())
                .set("per_second", spent.perSecond())
                .set("most", spent.most().toString())
                .set("tenants", callers.stream().map(CallerId::tenant).toList())
                .set("principals", callers.stream().map(CallerId::principal).toList())
                .set("made", callers.stream().map(spent.made()::get).toList())
                .list(row -> waits.put(row.as(CallerId.class), Duration.of(row.number("micros"), ChronoUnit.MICROS)));
        return waits;
    }

    /** Deletes full buckets, which contain no information. */
    public void purge(Instant now) {
        db.deleteOld(FULL, now);
    }
}

package io.agentworkspace.engine.account;

import io.agentworkspace.engine.db.Db;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The requests that all replicas together admitted: a token bucket for each caller, by the database's clock. */
public final class RateStore {
    private final Db db;

    public RateStore(Db db) {
        this.db = db;
    }

    /** Who is counted: a principal of a tenant. */
    public record Asker(long tenant, String principal) {}

    /**
     * What is added for each asker.
     *
     * @param age how long ago the first of it was admitted; a bucket that was full then is drained from then on
     * @param perSecond how fast a bucket fills
     * @param most how long at most a bucket takes to fill
     */
    public record Spent(Map<Asker, Long> made, Duration age, long perSecond, Duration most) {}

    /** Adds to what was admitted elsewhere; returns how long each bucket takes to fill, not positive if it is full. */
    public Map<Asker, Duration> add(Spent spent) {
        var askers = List.copyOf(spent.made().keySet());
        var waits = new HashMap<Asker, Duration>();
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
                .set("tenants", askers.stream().map(Asker::tenant).toList())
                .set("principals", askers.stream().map(Asker::principal).toList())
                .set("made", askers.stream().map(spent.made()::get).toList())
                .list(row -> waits.put(
                        new Asker(row.number("tenant_id"), row.text("principal")),
                        Duration.of(row.number("micros"), ChronoUnit.MICROS)));
        return waits;
    }

    /** Deletes buckets that are full: they hold no information. */
    public void purge(Instant now) {
        db.deleteOld("rate_spent", "full_at < least(CAST(:until AS timestamptz), now())", now);
    }
}

package io.agentworkspace.engine.kernel.streams;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.scheduling.TenantTurns;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The tenants with listeners on any replica. Changes without listeners cause no notification, since a transaction
 * that notifies waits for every other one that does.
 */
public final class ListeningTenants {
    /** How long an entry is valid; it is renewed sooner. */
    public static final Duration HOLDS = Duration.ofMinutes(2);

    /** How often the entries of those who listen on are renewed. */
    public static final Duration RENEWAL = HOLDS.dividedBy(4);

    private static final String EXPIRED = Db.oldRows("change_listener", "tenant_id, replica", "until <= :until");

    private final Db db;
    private final Clock clock;
    private final UUID replica = UUID.randomUUID();
    private final Map<Long, Instant> written = new ConcurrentHashMap<>();

    public ListeningTenants(Db db, Clock clock) {
        this.db = db;
        this.clock = clock;
    }

    /** Makes sure that, after it returns, changes in the tenant are notified. */
    void in(long tenant) {
        var last = written.get(tenant);
        if (last == null || last.plus(RENEWAL).isBefore(clock.instant())) {
            in(Set.of(tenant));
        }
    }

    /** Forgets what was written: the database may have been restored. */
    void forget() {
        written.clear();
    }

    /** Renews the entries of the tenants with listeners. */
    void renew(Set<Long> tenants) {
        written.keySet().retainAll(tenants);
        in(Set.copyOf(tenants));
    }

    /** Makes sure that, after it returns, changes in these tenants are notified. */
    public void in(Collection<Long> tenants) {
        if (!tenants.isEmpty()) {
            TenantTurns.together(Set.copyOf(tenants), this::write);
        }
    }

    private void write(Set<Long> tenants) {
        var now = clock.instant();
        db.sql("""
                    INSERT INTO change_listener (tenant_id, replica, until)
                    SELECT home.tenant_id, CAST(:replica AS uuid), CAST(:until AS timestamptz)
                      FROM tenant_plan home
                     WHERE home.tenant_id = ANY(CAST(:tenants AS bigint[]))
                    ON CONFLICT (tenant_id, replica) DO UPDATE SET until = excluded.until
                    """)
                .set("replica", replica)
                .set("until", now.plus(HOLDS))
                .set("tenants", tenants)
                .run();
        tenants.forEach(tenant -> written.put(tenant, now));
    }

    /** Deletes expired entries. */
    public void purge(Instant now) {
        db.deleteOld(EXPIRED, now);
    }
}

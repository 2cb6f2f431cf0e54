package io.agentworkspace.engine.kernel.streams;

import io.agentworkspace.engine.kernel.db.Db;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.UUID;

/**
 * The tenants with listeners on any replica. Changes without listeners cause no notification, since a transaction
 * that notifies waits for every other one that does.
 */
public final class ListeningTenants {
    /** How long an entry is valid; it is renewed sooner. */
    public static final Duration HOLDS = Duration.ofMinutes(2);

    private static final String EXPIRED = Db.oldRows("change_listener", "until <= :until");

    private final Db db;
    private final Clock clock;
    private final UUID replica = UUID.randomUUID();

    public ListeningTenants(Db db, Clock clock) {
        this.db = db;
        this.clock = clock;
    }

    /** Makes sure that, after it returns, changes in these tenants are notified. */
    public void in(Collection<Long> tenants) {
        if (!tenants.isEmpty()) {
            db.sql("""
                    INSERT INTO change_listener (tenant_id, replica, until)
                    SELECT t.id, :replica, :until FROM unnest(CAST(:tenants AS bigint[])) t (id)
                    ON CONFLICT (tenant_id, replica) DO UPDATE SET until = :until
                    """)
                    .set("replica", replica)
                    .set("until", clock.instant().plus(HOLDS))
                    .set("tenants", tenants)
                    .run();
        }
    }

    /** Deletes expired entries. */
    public void purge(Instant now) {
        db.deleteOld(EXPIRED, now);
    }
}

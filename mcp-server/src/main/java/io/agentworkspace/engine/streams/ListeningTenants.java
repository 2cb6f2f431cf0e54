package io.agentworkspace.engine.streams;

import io.agentworkspace.engine.db.Db;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.UUID;

/**
 * In which tenants somebody listens, on which replica. Where nobody does, changes are not told at all: a transaction that
 * tells waits for every other one that does.
 */
public final class ListeningTenants {
    /** How long an interest holds; it is renewed sooner. */
    public static final Duration HOLDS = Duration.ofMinutes(2);

    private final Db db;
    private final Clock clock;
    private final UUID replica = UUID.randomUUID();

    public ListeningTenants(Db db, Clock clock) {
        this.db = db;
        this.clock = clock;
    }

    /** From its return on changes in these tenants are told. */
    public void in(Collection<Long> tenants) {
        if (!tenants.isEmpty()) {
            db.sql("""
                    INSERT INTO mcp_interest (tenant_id, replica, until)
                    SELECT t.id, :replica, :until FROM unnest(CAST(:tenants AS bigint[])) t (id)
                    ON CONFLICT (tenant_id, replica) DO UPDATE SET until = :until
                    """)
                    .set("replica", replica)
                    .set("until", clock.instant().plus(HOLDS))
                    .set("tenants", tenants)
                    .run();
        }
    }

    /** Clears away what holds no more. */
    public void purge(Instant now) {
        db.deleteOld("mcp_interest", "until <= :until", now);
    }
}

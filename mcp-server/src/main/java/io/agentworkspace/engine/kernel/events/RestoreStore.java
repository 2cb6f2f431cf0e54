package io.agentworkspace.engine.kernel.events;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlFailure;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.scheduling.TenantTurns;
import io.agentworkspace.engine.model.problem.DatabaseState;
import io.agentworkspace.engine.model.problem.Problem;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that the data of a tenant were restored from a backup, or are on another server, and then lets the numbers that readers
 * continue from go on beyond every number that was ever given: from the time in milliseconds. So no number comes again, whatever the
 * backup lacks.
 */
public final class RestoreStore {
    private static final Logger LOG = LoggerFactory.getLogger(RestoreStore.class);

    /** Where a tenant's data are. Without subqueries, which would be answered by the server that the engine is connected to. */
    private static final String HERE = """
            CONCAT((pg_control_system()).system_identifier, '-', (pg_control_checkpoint()).timeline_id, '-',
                   substring(pg_relation_filepath(f.tableoid) FROM '([0-9]+)/[0-9]+$'), '-', f.tableoid, CAST(:files AS text))
            """;

    private static final String LOOK = SqlTemplate.of("""
            SELECT f.tenant_id, {here} AS home
              FROM event_feed f
             WHERE (CAST(:tenants AS bigint[]) IS NULL OR f.tenant_id = ANY (CAST(:tenants AS bigint[]))) AND f.home <> {here}
            """).with("here", HERE).sql();

    /** Of several replicas, the first that notices it advances the numbers, once. */
    private static final String MOVE = """
            WITH moved AS (
                UPDATE event_feed
                   SET home = :home,
                       epoch = CASE WHEN home = '' THEN 0 ELSE greatest(epoch + 1, :now) END,
                       last_seq = CASE WHEN home = '' THEN last_seq ELSE greatest(last_seq + :least, :now) END
                 WHERE tenant_id = :tenant AND home <> :home
             RETURNING epoch),
                 endpoints AS (
                UPDATE webhook_endpoint w
                   SET last_sequence = greatest(w.last_sequence + :least, m.epoch)
                  FROM moved m
                 WHERE w.tenant_id = :tenant AND m.epoch > 0)
            SELECT epoch FROM moved
            """;

    /** Has live streams read, and find another epoch. */
    private static final String MOVED = """
            SELECT CAST(announce(:tenant, '[{"topic": "events", "everyone": true}]') AS text) AS announced
            """;

    /** How far the numbers advance at least, if the clock was set back. */
    private static final long LEAST = 1_000_000_000;

    private final Db db;
    private final Clock clock;
    private final String files;
    private final TenantTurns turns = new TenantTurns("restores are noticed");
    private final AtomicBoolean isUnnoticed = new AtomicBoolean();

    /** @param files identifies the database's files, where the engine can see them; else empty */
    public RestoreStore(Db db, Clock clock, String files) {
        this.db = db;
        this.clock = clock;
        this.files = files.isEmpty() ? "" : "-" + files;
    }

    /** Advances the numbers of all tenants whose data were restored since the last look, if the database lets us know that. */
    public void notice() {
        var homes = look(null);
        try {
            turns.each(homes.keySet(), tenant -> {
                advance(tenant, homes);
                return true;
            });
        } catch (Problem e) {
            goOn(e, db.state() == DatabaseState.READ_ONLY);
        }
    }

    /**
     * Returns where the data of tenants are, of those whose numbers must be advanced.
     *
     * @param tenants to look at; null for all
     */
    public Map<Long, String> look(@Nullable List<Long> tenants) {
        var homes = new HashMap<Long, String>();
        try {
            db.sql(LOOK)
                    .set("files", files)
                    .set("tenants", tenants)
                    .list(row -> homes.put(row.number("tenant_id"), row.text("home")));
            if (homes.isEmpty()) {
                isUnnoticed.set(false);
            }
        } catch (SqlFailure e) {
            goOn(e, e.isNotOffered());
        }
        return homes;
    }

    /** Advances the numbers of a tenant, if it is among those to be advanced. */
    public void advance(long tenant, Map<Long, String> homes) {
        var home = homes.get(tenant);
        if (home != null && isMoved(tenant, home)) {
            LOG.warn(
                    "the data of the tenant {} were restored from a backup, or are on another server: the numbers of its feed and deliveries go on from the time",
                    tenant);
        }
    }

    /** @return false on the first start, and if another replica has done it */
    private boolean isMoved(long tenant, String home) {
        var isMoved = db.transaction(() -> {
            var epoch = db.sql(MOVE)
                    .set("tenant", tenant)
                    .set("home", home)
                    .set("now", clock.millis())
                    .set("least", LEAST)
                    .one(row -> row.number("epoch"))
                    .orElse(0L);
            if (epoch > 0) {
                db.sql(MOVED).set("tenant", tenant).one(_ -> true);
            }
            return epoch > 0;
        });
        isUnnoticed.set(false);
        return isMoved;
    }

    private void goOn(RuntimeException failure, boolean isForeseen) {
        if (!isForeseen) {
            throw failure;
        }
        if (isUnnoticed.compareAndSet(false, true)) {
            LOG.warn("a restore of a backup cannot be noticed: {}", failure.getMessage());
        }
    }
}

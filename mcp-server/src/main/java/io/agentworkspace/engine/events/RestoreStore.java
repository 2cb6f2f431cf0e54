package io.agentworkspace.engine.events;

import io.agentworkspace.engine.db.Db;
import java.time.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that the data were restored from a backup, and then lets the numbers that readers continue from go on beyond
 * every number that was ever given: from the time in milliseconds. So no number comes again, whatever the backup lacks.
 */
public final class RestoreStore {
    private static final Logger LOG = LoggerFactory.getLogger(RestoreStore.class);

    /** One statement: of several replicas, the first that notices the restore advances the numbers, once. */
    private static final String NOTICE = """
            WITH here AS (
                SELECT CONCAT(s.system_identifier, '-', c.timeline_id, '-', d.oid, '-', CAST(CAST('data_home' AS regclass) AS oid)) AS identity
                  FROM pg_control_system() s, pg_control_checkpoint() c, pg_database d
                 WHERE d.datname = current_database()),
                 moved AS (
                UPDATE data_home h
                   SET identity = here.identity, epoch = CASE WHEN h.identity = '' THEN 0 ELSE :now END
                  FROM here
                 WHERE h.identity <> here.identity
             RETURNING h.epoch),
                 feeds AS (
                UPDATE event_feed f
                   SET last_seq = greatest(f.last_seq + :least, m.epoch)
                  FROM moved m
                 WHERE m.epoch > 0
             RETURNING f.tenant_id),
                 endpoints AS (
                UPDATE webhook_endpoint w
                   SET last_sequence = greatest(w.last_sequence + :least, m.epoch)
                  FROM moved m
                 WHERE m.epoch > 0
             RETURNING w.tenant_id)
            SELECT epoch FROM moved
            """;

    /** How far the numbers advance at least, if the clock was set back. */
    private static final long LEAST = 1_000_000_000;

    private final Db db;
    private final Clock clock;

    public RestoreStore(Db db, Clock clock) {
        this.db = db;
        this.clock = clock;
    }

    /** Advances the numbers if the data were restored since the last look. */
    public void notice() {
        var epoch = db.transaction(() ->
                db.sql(NOTICE).set("now", clock.millis()).set("least", LEAST).one(row -> row.number("epoch")));
        if (epoch.orElse(0L) > 0) {
            LOG.warn(
                    "the data were restored from a backup: the numbers of feeds and deliveries go on from {}",
                    epoch.get());
        }
    }
}

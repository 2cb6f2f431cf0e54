package io.agentworkspace.engine.kernel.events;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlFailure;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.problem.DatabaseState;
import io.agentworkspace.engine.model.problem.Problem;
import java.time.Clock;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that the data were restored from a backup, and then lets the numbers that readers continue from go on beyond
 * every number that was ever given: from the time in milliseconds. So no number comes again, whatever the backup lacks.
 */
public final class RestoreStore {
    private static final Logger LOG = LoggerFactory.getLogger(RestoreStore.class);

    private static final String HERE = """
            SELECT CONCAT(s.system_identifier, '-', c.timeline_id, '-', d.oid, '-', CAST(CAST('data_home' AS regclass) AS oid), CAST(:files AS text)) AS identity
              FROM pg_control_system() s, pg_control_checkpoint() c, pg_database d
             WHERE d.datname = current_database()
            """;

    private static final String LOOK = SqlTemplate.of("""
            SELECT EXISTS (SELECT 1 FROM data_home h, ({here}) here WHERE h.identity <> here.identity) AS moved
            """).with("here", HERE).sql();

    /** One statement: of several replicas, the first that notices the restore advances the numbers, once. */
    private static final String MOVE = SqlTemplate.of("""
            WITH here AS ({here}),
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
            """).with("here", HERE).sql();

    /** How far the numbers advance at least, if the clock was set back. */
    private static final long LEAST = 1_000_000_000;

    private final Db db;
    private final Clock clock;
    private final String files;
    private final AtomicBoolean isUnnoticed = new AtomicBoolean();

    /** @param files identifies the database's files, where the engine can see them; else empty */
    public RestoreStore(Db db, Clock clock, String files) {
        this.db = db;
        this.clock = clock;
        this.files = files.isEmpty() ? "" : "-" + files;
    }

    /** Advances the numbers if the data were restored since the last look, and the database lets us know that. */
    public void notice() {
        try {
            var epoch = hasMoved() ? move() : 0;
            isUnnoticed.set(false);
            if (epoch > 0) {
                LOG.warn(
                        "the data were restored from a backup: the numbers of feeds and deliveries go on from {}",
                        epoch);
            }
        } catch (SqlFailure e) {
            goOn(e, e.isNotOffered());
        } catch (Problem e) {
            goOn(e, db.state() == DatabaseState.READ_ONLY);
        }
    }

    private boolean hasMoved() {
        return db.sql(LOOK).set("files", files).one(row -> row.flag("moved")).orElseThrow();
    }

    /** @return 0 on the first start, and if another replica has done it */
    private long move() {
        return db.transaction(() -> db.sql(MOVE)
                        .set("now", clock.millis())
                        .set("least", LEAST)
                        .set("files", files)
                        .one(row -> row.number("epoch")))
                .orElse(0L);
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

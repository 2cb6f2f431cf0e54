package io.agentworkspace.engine.app.demo;

import io.agentworkspace.engine.examples.Demo;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The demo's row: how far its client is, and whether somebody has paused it. */
final class DemoStore {
    static final String PAUSED = "paused";

    /** A client that has not reported for this time is gone, perhaps with its replica. The demo is over then. */
    private static final Duration SILENCE = Duration.ofSeconds(15);

    private final Db db;

    DemoStore(Db db) {
        this.db = db;
    }

    /**
     * A demo of a tenant.
     *
     * @param state running, waiting, paused or finished
     * @param step the index of the next step
     * @param answer the person's answer, once there is one
     * @param keyIds the keys of its clients
     */
    record Run(String state, int step, @Nullable String answer, int seconds, List<String> keyIds) {}

    static Demo.Phase phase(String state) {
        return Demo.Phase.valueOf(state.toUpperCase(Locale.ROOT));
    }

    /** @return whether there was no demo yet */
    boolean begin(long tenant, UUID run, int seconds, String keyId, Instant now) {
        return db.sql("""
                INSERT INTO demo (tenant_id, run, state, seconds, held_until, key_ids)
                VALUES (:tenant, :run, 'running', :seconds, :until, :ids)
                ON CONFLICT DO NOTHING
                """)
                        .set("tenant", tenant)
                        .set("run", run)
                        .set("seconds", seconds)
                        .set("until", now.plus(SILENCE))
                        .set("ids", List.of(keyId))
                        .run()
                > 0;
    }

    Optional<Run> find(long tenant, Instant now) {
        return db.sql("""
                SELECT CASE WHEN held_until <= :now THEN 'finished' ELSE state END AS state,
                       step, branch, seconds, key_ids
                  FROM demo WHERE tenant_id = :tenant
                """).set("tenant", tenant).set("now", now).one(DemoStore::read);
    }

    private static Run read(Row row) throws SQLException {
        return new Run(
                row.text("state"),
                (int) row.number("step"),
                row.textOrNull("branch"),
                (int) row.number("seconds"),
                row.texts("key_ids"));
    }

    /** Stores the progress, and returns what the client is to do: stop if the demo was removed or restarted. */
    Demo.Command report(long tenant, UUID run, Demo.Progress progress, Instant now) {
        return db.sql("""
                UPDATE demo
                   SET step = :step, branch = :answer, held_until = :until,
                       state = CASE WHEN state = 'paused' THEN state ELSE :state END
                 WHERE tenant_id = :tenant AND run = :run
                RETURNING state
                """)
                .set("tenant", tenant)
                .set("run", run)
                .set("step", progress.step())
                .set("answer", progress.answer())
                .set("state", progress.phase().name().toLowerCase(Locale.ROOT))
                .set("until", now.plus(SILENCE))
                .one(row -> row.text("state").equals(PAUSED) ? Demo.Command.PAUSE : Demo.Command.CONTINUE)
                .orElse(Demo.Command.STOP);
    }

    void pause(long tenant) {
        db.sql("UPDATE demo SET state = 'paused' WHERE tenant_id = :tenant AND state IN ('running', 'waiting')")
                .set("tenant", tenant)
                .run();
    }

    void resume(long tenant) {
        db.sql("UPDATE demo SET state = 'running' WHERE tenant_id = :tenant AND state = 'paused'")
                .set("tenant", tenant)
                .run();
    }

    void delete(long tenant) {
        db.sql("DELETE FROM demo WHERE tenant_id = :tenant")
                .set("tenant", tenant)
                .run();
    }
}

package io.agentworkspace.engine.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.TestDatabase;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class FeedStoreTest {
    private static final int EVENTS = 1_000;

    /** On a young database the planner knows nothing of the table, and must not look for what waits once for each event. */
    @Test
    void whatWaitsIsLookedForOnceHoweverMuchThereIs() {
        try (var db = TestDatabase.fresh("feed_store_test")) {
            db.sql("""
                    WITH t AS (
                        INSERT INTO tenant (name, name_key, plan, created_at)
                        VALUES ('one', 'one', 'unlimited', :now)
                        RETURNING tenant_id)
                    INSERT INTO event (tenant_id, id, type, created_at, data)
                    SELECT t.tenant_id, gen_random_uuid(), 'agent.deployment.updated', :now, '{}'
                      FROM t, generate_series(1, :events)
                    """).set("now", Instant.now()).set("events", EVENTS).run();
            var feed = new FeedStore(db);
            var rounds = 0;
            while (feed.place(Instant.now())) {
                rounds++;
            }
            assertThat(rounds).isPositive();
            assertThat(scans(db)).isBetween((long) rounds, 10L * rounds);
        }
    }

    private static long scans(Db db) {
        db.sql("SELECT pg_stat_force_next_flush()").list(_ -> 1); // What was counted is told when its statement ends.
        return db.sql("SELECT seq_scan + idx_scan AS scans FROM pg_stat_user_tables WHERE relname = 'event'")
                .one(row -> row.number("scans"))
                .orElseThrow();
    }
}

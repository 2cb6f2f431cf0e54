package io.agentworkspace.engine.integrations.webhooks.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.identity.users.TenantStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.events.RestoreStore;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.testing.TestDatabase;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class FeedStoreTest {
    private static final int EVENTS = 1_000;

    /** On a new database the planner has no statistics. It must not choose a plan that searches once for each event. */
    @Test
    void whatWaitsIsLookedForOnceHoweverMuchThereIs() {
        try (var db = TestDatabase.fresh("feed_store_test")) {
            new TenantStore(db).create(Name.of("one"), "unlimited", Instant.now());
            db.sql("""
                    INSERT INTO event (tenant_id, id, type, created_at, data)
                    SELECT t.tenant_id, gen_random_uuid(), 'agent.deployment.updated', :now, '{}'
                      FROM tenant t, generate_series(1, :events)
                    """).set("now", Instant.now()).set("events", EVENTS).run();
            var feed = feed(db);
            var rounds = 0;
            while (feed.place(Instant.now(), Instant.now())) {
                rounds++;
            }
            assertThat(rounds).isPositive();
            assertThat(scans(db)).isBetween((long) rounds, 10L * rounds);
        }
    }

    /** The clock of another replica may be ahead: the event of an endpoint's deletion is still delivered to it. */
    @Test
    void aDeliveryIsNeverOlderThanItsEvent() {
        var now = Instant.parse("2026-11-20T12:00:00Z");
        try (var db = TestDatabase.fresh("feed_store_clock_test")) {
            new TenantStore(db).create(Name.of("one"), "unlimited", now);
            db.sql("""
                    WITH w AS (
                        INSERT INTO webhook_endpoint (tenant_id, id, url, events, created_at, updated_at, secret)
                        SELECT tenant_id, gen_random_uuid(), 'https://example.com/', '{*}', :now, :now, 'x' FROM tenant)
                    INSERT INTO event (tenant_id, id, type, created_at, data)
                    SELECT tenant_id, gen_random_uuid(), 'agent.deployment.updated', :later, '{}' FROM tenant
                    """).set("now", now).set("later", now.plusMillis(100)).run();
            assertThat(feed(db).place(now, now.plusSeconds(30))).isTrue();
            assertThat(db.sql("SELECT created_at, due_at FROM webhook_delivery")
                            .list(row -> List.of(row.instantOrNull("created_at"), row.instantOrNull("due_at"))))
                    .containsExactly(List.of(now.plusMillis(100), now.plusSeconds(30)));
        }
    }

    @Test
    void aBackupThatIsRestoredWhileTheEngineRunsGetsNoNumberAgain() {
        var now = Instant.parse("2026-11-20T12:00:00Z");
        try (var db = TestDatabase.fresh("feed_store_backup")) {
            new TenantStore(db).create(Name.of("one"), "unlimited", now);
            new RestoreStore(db, Clock.systemUTC(), "").notice();
            db.sql("UPDATE event_feed SET last_seq = 800").run();
        }
        try (var db = TestDatabase.restored("feed_store_backup", "feed_store_restored")) {
            db.sql("""
                    INSERT INTO event (tenant_id, id, type, created_at, data)
                    SELECT tenant_id, gen_random_uuid(), 'agent.deployment.updated', :now, '{}' FROM tenant
                    """).set("now", now).run();
            assertThat(feed(db).place(now, now)).isTrue();
            assertThat(db.sql("SELECT seq FROM event").one(row -> row.number("seq")))
                    .hasValueSatisfying(seq -> assertThat(seq).isGreaterThan(1_000_000));
        }
    }

    @Test
    void aTenantWithManyEventsThatCannotBeNumberedDoesNotHideTheOthers() {
        try (var db = TestDatabase.fresh("feed_store_stuck")) {
            var stuck = new TenantStore(db).create(Name.of("one"), "unlimited", Instant.now());
            var other = new TenantStore(db).create(Name.of("two"), "unlimited", Instant.now());
            db.sql("""
                    INSERT INTO event (tenant_id, id, type, created_at, data)
                    SELECT CASE WHEN n < 26000 THEN CAST(:stuck AS bigint) ELSE :other END, gen_random_uuid(),
                           'agent.deployment.updated', now(), '{}'
                      FROM generate_series(0, 26000) n
                    """).set("stuck", stuck).set("other", other).run();
            db.sql("DELETE FROM event_feed WHERE tenant_id = :tenant")
                    .set("tenant", stuck)
                    .run();
            assertThat(feed(db).place(Instant.now(), Instant.now())).isTrue();
            assertThat(db.sql("SELECT tenant_id FROM event WHERE seq IS NOT NULL")
                            .list(row -> row.number("tenant_id")))
                    .containsExactly(other);
        }
    }

    private static FeedStore feed(Db db) {
        return new FeedStore(db, new RestoreStore(db, Clock.systemUTC(), ""));
    }

    private static long scans(Db db) {
        db.sql("SELECT pg_stat_force_next_flush()").list(_ -> 1); // Statistics are reported at the end of a statement.
        return db.sql("SELECT seq_scan + idx_scan AS scans FROM pg_stat_user_tables WHERE relname = 'event'")
                .one(row -> row.number("scans"))
                .orElseThrow();
    }
}

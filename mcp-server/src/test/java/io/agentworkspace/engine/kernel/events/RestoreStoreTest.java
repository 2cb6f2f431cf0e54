package io.agentworkspace.engine.kernel.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.identity.users.TenantStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.testing.TestClock;
import io.agentworkspace.engine.testing.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The numbers of a feed and of deliveries after the restore of a backup: here a copy of the database, as a whole. */
class RestoreStoreTest {
    private final TestClock clock = new TestClock();

    private static List<Long> numbers(Db db) {
        return db.sql("""
                        SELECT f.last_seq, w.last_sequence, f.epoch
                          FROM event_feed f JOIN webhook_endpoint w ON w.tenant_id = f.tenant_id
                        """)
                .one(row -> List.of(row.number("last_seq"), row.number("last_sequence"), row.number("epoch")))
                .orElseThrow();
    }

    @Test
    void noNumberComesAgainHoweverOftenABackupIsRestored() {
        try (var db = TestDatabase.fresh("numbers_backup")) {
            new TenantStore(db).create(Name.of("t"), "unlimited", clock.instant());
            db.sql("UPDATE event_feed SET last_seq = 800").run();
            db.sql("""
                            INSERT INTO webhook_endpoint (tenant_id, id, url, events, secret, created_at, updated_at, last_sequence)
                            SELECT tenant_id, :id, 'https://example.com', ARRAY['*'], '\\x00', now(), now(), 700 FROM tenant
                            """).set("id", UUID.randomUUID()).run();
            new RestoreStore(db, clock, "").notice();
            new RestoreStore(db, clock, "").notice();
            assertThat(numbers(db)).as("the first start").containsExactly(800L, 700L, 0L);
        }
        var before = 900L; // Readers got events up to this one after the backup.
        for (var name : List.of("numbers_first", "numbers_second")) {
            try (var db = TestDatabase.restored("numbers_backup", name)) {
                new RestoreStore(db, clock, "").notice();
                var numbers = numbers(db);
                assertThat(numbers.getFirst()).isGreaterThan(before);
                assertThat(numbers.get(1)).isGreaterThan(before);
                new RestoreStore(db, clock, "").notice();
                assertThat(numbers(db)).as("another replica").isEqualTo(numbers);
                before = numbers.getFirst() + 1_000;
            }
            clock.advance(Duration.ofMinutes(1));
        }
    }

    @Test
    void aDatabaseThatDoesNotLetUsKnowIsServed() {
        try (var db = TestDatabase.fresh("numbers_unknown")) {
            new TenantStore(db).create(Name.of("t"), "unlimited", clock.instant());
            var store = new RestoreStore(db, clock, "");
            var function = "FUNCTION pg_control_system() ";
            db.sql("CREATE ROLE not_allowed LOGIN PASSWORD 'not-allowed'").run();
            db.sql("GRANT ALL ON ALL TABLES IN SCHEMA public TO not_allowed").run();
            db.sql("REVOKE EXECUTE ON " + function + "FROM public").run();
            var address = TestDatabase.url("numbers_unknown").replaceFirst("\\?.*", "");
            try (var theirs = new Db(address, "not_allowed", "not-allowed", 1)) {
                new RestoreStore(theirs, clock, "").notice();
            }
            db.sql("ALTER DATABASE numbers_unknown SET default_transaction_read_only = on")
                    .run();
            try (var theirs = TestDatabase.connect(address, 2)) {
                new RestoreStore(theirs, clock, "").notice();
            }
            assertThat(db.sql("SELECT home FROM event_feed").one(row -> row.text("home")))
                    .contains("");
            store.notice();
            assertThat(db.sql("SELECT home FROM event_feed WHERE home <> ''").one(row -> row.text("home")))
                    .isPresent();
        }
    }

    @Test
    void aCopyOfTheFilesThatWasPutBackIsNoticed() {
        try (var db = TestDatabase.fresh("numbers_copied")) {
            new TenantStore(db).create(Name.of("t"), "unlimited", clock.instant());
            new RestoreStore(db, clock, "original").notice();
            for (var files : List.of("original", "copy")) {
                new RestoreStore(db, clock, files).notice();
                var last = db.sql("SELECT last_seq FROM event_feed")
                        .one(row -> row.number("last_seq"))
                        .orElseThrow();
                assertThat(last > 0).as(files).isEqualTo(files.equals("copy"));
            }
        }
    }
}

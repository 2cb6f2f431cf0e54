package io.agentworkspace.engine.identity.credentials;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.identity.credentials.DirectoryStore.Kind;
import io.agentworkspace.engine.identity.keys.KeyStore;
import io.agentworkspace.engine.identity.users.TenantStore;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.testing.TestDatabase;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class DirectoryPurgeStoreTest {
    private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");

    private static final Duration KEPT = Duration.ofDays(2);

    @Test
    void anEntryIsDeletedAfterWhatItFinds() {
        try (var db = TestDatabase.fresh("directory_test");
                var watch = TestDatabase.watch()) {
            var directory = new DirectoryStore(db);
            var purging = new DirectoryPurgeStore(db);
            var keys = new KeyStore(db, Clock.systemUTC(), watch);
            var tenants = new TenantStore(db);
            var tenant = tenants.create(Name.of("one"), "unlimited", NOW);
            var user = tenants.createUser(tenant, Name.of("ann"), Role.OWNER, NOW);
            var kept = ApiKey.generate(new SecureRandom());
            var gone = ApiKey.generate(new SecureRandom());
            for (var key : List.of(kept, gone)) {
                keys.insert(key, new KeyStore.KeyOwner(tenant, user, "k", List.of("*")), NOW);
            }
            for (var end : List.of(NOW.plusSeconds(2), NOW)) { // The later one is kept.
                db.sql(DirectoryStore.expiringEntryOf(Kind.SESSION))
                        .set("entry", "s")
                        .set("tenant", tenant)
                        .set("expires", end)
                        .run();
            }
            db.sql("DELETE FROM api_key WHERE id = :id").set("id", gone.id()).run();

            purging.purge(NOW.plus(KEPT).plusSeconds(1));
            assertThat(directory.find(Kind.KEY, gone.id()))
                    .as("a key may become visible after its entry")
                    .contains(tenant);
            purging.purge(NOW.plus(KEPT).plusMillis(1_500));
            assertThat(directory.find(Kind.KEY, kept.id())).contains(tenant);
            assertThat(directory.find(Kind.KEY, gone.id())).isEmpty();
            assertThat(directory.find(Kind.SESSION, "s")).contains(tenant);
            assertThat(directory.find(Kind.KEY, "s")).isEmpty();
            assertThat(keys.authenticate(kept).tenant()).isEqualTo(tenant);

            db.sql(
                            "INSERT INTO directory (kind, id, tenant_id) SELECT 'key', 'gone' || n, :tenant FROM generate_series(1, 2500) n")
                    .set("tenant", tenant)
                    .run();
            purging.purge(NOW.plus(KEPT).plusSeconds(3)); // In one round, from wherever it begins.
            purging.purge(NOW.plus(KEPT).plusSeconds(4));
            assertThat(db.sql("SELECT id FROM directory WHERE kind = 'key'").list(row -> row.text("id")))
                    .containsExactly(kept.id());
            assertThat(directory.find(Kind.SESSION, "s")).isEmpty();
            assertThat(directory.find(Kind.KEY, kept.id())).contains(tenant);
        }
    }
}

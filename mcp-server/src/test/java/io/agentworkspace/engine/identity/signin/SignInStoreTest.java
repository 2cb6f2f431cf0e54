package io.agentworkspace.engine.identity.signin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.identity.audit.AuditEntry;
import io.agentworkspace.engine.identity.audit.AuditEvent;
import io.agentworkspace.engine.identity.users.TenantStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.audit.RequestSource;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SignInStoreTest {
    private final Db db = TestDatabase.db();
    private final long tenant = new TestTenant().id(ClientApi.REST);
    private final SignInStore store = new SignInStore(db, TestDatabase.audit());

    private String join(String subject) {
        var identity = new SignInStore.Identity(tenant, "https://issuer.example", subject);
        var person = store.join(identity, Name.of("Same"), Instant.now(), SignInStoreTest::entry);
        return db.sql("SELECT name FROM app_user WHERE tenant_id = :tenant AND id = :id")
                .set("tenant", tenant)
                .set("id", person.user())
                .one(row -> row.text("name"))
                .orElseThrow();
    }

    private static AuditEntry entry(String user) {
        var subject = new AuditEntry.Subject("user", user, null);
        return AuditEntry.event(
                AuditEvent.USER_JOINED,
                Instant.now(),
                new AuditEntry.Actor(user, "oidc", null),
                subject,
                RequestSource.NOWHERE,
                "r");
    }

    @Test
    void whoeverJoinsByTheSameNameAtTheSameMomentGetsTheNext() {
        try (var crowd = Executors.newFixedThreadPool(6)) {
            var joining = IntStream.range(0, 6)
                    .mapToObj(i -> CompletableFuture.supplyAsync(() -> join("s" + i), crowd))
                    .toList();
            assertThat(joining.stream().map(CompletableFuture::join))
                    .containsExactlyInAnyOrder("Same", "Same 2", "Same 3", "Same 4", "Same 5", "Same 6");
        }
    }

    @Test
    void aNameThatAnAdminGivesAtTheSameMomentIsPassedBy() {
        try (var other = Executors.newFixedThreadPool(1)) {
            var joining = db.transaction(() -> {
                new TenantStore(db).createUser(tenant, Name.of("same"), Role.MEMBER, Instant.now());
                var future = CompletableFuture.supplyAsync(() -> join("one"), other);
                await().until(() -> db.sql(
                                "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'")
                        .one(row -> row.number(1) > 0)
                        .orElse(false));
                return future;
            });
            assertThat(joining.join()).isEqualTo("Same 2");
        }
    }
}

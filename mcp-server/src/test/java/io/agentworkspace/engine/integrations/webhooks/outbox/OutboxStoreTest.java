package io.agentworkspace.engine.integrations.webhooks.outbox;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.identity.users.TenantStore;
import io.agentworkspace.engine.integrations.webhooks.sender.AttemptResult;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.events.EventLog;
import io.agentworkspace.engine.kernel.secrets.MasterKey;
import io.agentworkspace.engine.kernel.secrets.MasterKeys;
import io.agentworkspace.engine.kernel.secrets.Vault;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.testing.TestDatabase;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How the deliveries of several tenants are claimed. */
class OutboxStoreTest {
    private static final Instant NOW = Instant.parse("2026-11-20T12:00:00Z");
    private static final int DUE = 50;

    private final Db db = TestDatabase.fresh("outbox_store_test");
    private final Vault vault =
            new Vault(db, new MasterKeys(MasterKey.parse(TestDatabase.SECRETS_KEY), Path.of("none")));
    private final OutboxStore store = new OutboxStore(db, vault, new EventLog());

    @AfterEach
    void close() {
        db.close();
    }

    /** Makes a tenant with receivers that each have many due deliveries. */
    private long tenant(String name, int receivers) {
        var tenant = new TenantStore(db).create(Name.of(name), "unlimited", NOW);
        for (var receiver = 0; receiver < receivers; receiver++) {
            db.sql("""
                    WITH w AS (
                        INSERT INTO webhook_endpoint (tenant_id, id, url, events, created_at, updated_at, secret)
                        VALUES (:tenant, :id, 'https://example.com/', '{*}', :now, :now, 'x')),
                    e AS (
                        INSERT INTO event (tenant_id, id, type, created_at, data)
                        SELECT :tenant, gen_random_uuid(), 'agent.deployment.updated', :now, '{}' FROM generate_series(1, :due)
                        RETURNING id)
                    INSERT INTO webhook_delivery (tenant_id, id, endpoint_id, event_id, event_type, sequence, due_at, created_at)
                    SELECT :tenant, gen_random_uuid(), :id, id, 'agent.deployment.updated', row_number() OVER (), :now, :now FROM e
                    """)
                    .set("tenant", tenant)
                    .set("id", UUID.randomUUID())
                    .set("now", NOW)
                    .set("due", DUE)
                    .run();
        }
        return tenant;
    }

    private Map<Long, Long> claimed(int room) {
        return store.claim(NOW, NOW.plusSeconds(20), 2, 32, room).stream()
                .collect(groupingBy(claim -> claim.target().tenant(), counting()));
    }

    @Test
    void theReceiversOfAllTenantsShareTheRoom() {
        var one = tenant("one", 1);
        var two = tenant("two", 3);
        assertThat(claimed(32)).as("half of the room").isEqualTo(Map.of(one, 4L, two, 12L));
        assertThat(claimed(16))
                .as("a half again, since nobody else needs the rest")
                .isEqualTo(Map.of(one, 2L, two, 6L));
        var three = tenant("three", 2);
        assertThat(claimed(6)).as("its turn comes after the last one served").containsEntry(three, 2L);
    }

    @Test
    void whatATenantLeavesIsForTheOthers() {
        var one = tenant("one", 1);
        var two = tenant("two", 1);
        db.sql("DELETE FROM webhook_delivery WHERE tenant_id = :tenant AND sequence > 1")
                .set("tenant", one)
                .run();
        assertThat(claimed(20)).isEqualTo(Map.of(one, 1L, two, 9L));
    }

    @Test
    void aTenantWhoseDeliveriesCannotBeClaimedDoesNotBlockTheOthers() {
        tenant("one", 1);
        var two = tenant("two", 1);
        refuseUpdatesOfOthers(two);
        assertThat(claimed(8).keySet()).containsExactly(two);
    }

    private void refuseUpdatesOfOthers(long tenant) {
        db.sql("""
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$
                """).run();
        db.sql("CREATE TRIGGER refused BEFORE UPDATE ON webhook_delivery FOR EACH ROW WHEN (OLD.tenant_id <> " + tenant
                        + ") EXECUTE FUNCTION refuse()")
                .run();
    }

    @Test
    void resultsThatCannotBeWrittenDoNotHoldUpThoseOfOtherTenants() {
        var one = tenant("one", 1);
        var two = tenant("two", 1);
        var claims = store.claim(NOW, NOW.plusSeconds(20), 2, 32, 8).stream()
                .collect(groupingBy(claim -> claim.target().tenant()));
        refuseUpdatesOfOthers(two);
        var rounds = new AtomicInteger();
        var schedule = new RetrySchedule(List.of(Duration.ZERO));
        try (var writer = new AttemptWriter(store, schedule, Clock.systemUTC(), rounds::incrementAndGet)) {
            writer.start();
            for (var tenant : List.of(one, two)) {
                claims.get(tenant)
                        .forEach(claim -> writer.add(new AttemptWriter.Attempted(
                                claim, NOW, new AttemptResult(200, null, Duration.ofMillis(5), null, null))));
                await().until(() -> rounds.get() > 0);
            }
            await().until(() -> isDelivered(two));
            db.sql("DROP TRIGGER refused ON webhook_delivery").run();
            await().until(() -> isDelivered(one)); // The writer has gone on trying.
        }
    }

    private boolean isDelivered(long tenant) {
        return db.sql("SELECT 1 FROM webhook_delivery WHERE tenant_id = :tenant AND state = 'delivered'")
                .set("tenant", tenant)
                .one(_ -> true)
                .isPresent();
    }
}

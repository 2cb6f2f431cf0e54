package io.agentworkspace.engine.memory.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.memory.embedding.EmbeddingStore.Waiting;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who is next in the queue of memories that wait for vectors. */
class EmbeddingStoreTest {
    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final int MANY = 12_000;
    private static final int PORTION = 2_000;

    private final EmbeddingStore store = new EmbeddingStore(TestDatabase.db());

    /** What other tests stored waits too, or has vectors of other models. */
    @BeforeEach
    void nothingWaits() {
        TestDatabase.db().sql("DELETE FROM memory_vector").run();
    }

    /** Returns a tenant that has stored one memory. */
    private static long tenant() {
        var tenant = new TestTenant();
        var key = tenant.key(ClientApi.REST, "ann", Role.MEMBER, List.of("*"));
        TestCaller ann = (name, input) -> ClientApi.REST.call(TestServer.url(), key, name, input);
        ann.call("MB_Create", "{'vx':{'name':'b'}}").ok();
        ann.call("MB_Store", "{'target':{'bank':'b'},'content':'The ferry leaves at noon.'}")
                .ok();
        return tenant.id(ClientApi.REST);
    }

    private static void copy(long tenant, int times) {
        TestDatabase.db().sql("""
                INSERT INTO memory (tenant_id, bank_id, id, text, tags, author_id, contributors, derived_from, created_at, updated_at)
                SELECT m.tenant_id, m.bank_id, gen_random_uuid(), m.text, '{}', m.author_id, m.contributors, '{}', now(), now()
                  FROM (SELECT * FROM memory o WHERE o.tenant_id = :tenant LIMIT 1) m, generate_series(1, :times)
                """).set("tenant", tenant).set("times", times).run();
    }

    private List<Long> claim(int most, long after) {
        var tenants = store.next(most, after);
        var shares = tenants.stream()
                .map(tenant -> store.claim(tenant, most / tenants.size(), LEASE))
                .toList();
        return EmbeddingQueue.inTurns(shares).stream().map(Waiting::tenant).toList();
    }

    @Test
    void aTenantWithManyMemoriesDoesNotMakeTheOthersWait() {
        var first = tenant();
        for (var i = 0; i < MANY; i += PORTION) { // Each statement has a time limit.
            copy(first, PORTION);
        }
        var second = tenant();
        var third = tenant();
        assertThat(claim(6, 0)).as("two of each, where there are two").containsExactly(first, second, third, first);
        assertThat(claim(6, 0)).hasSize(6).containsOnly(first);
        assertThat(store.lag().memories()).isEqualTo(10_000);
        TestDatabase.db()
                .sql("UPDATE memory_vector SET queued_at = now() - INTERVAL '1 hour' WHERE tenant_id = :tenant")
                .set("tenant", third)
                .run();
        assertThat(store.lag().longest()).isBetween(Duration.ofMinutes(59), Duration.ofHours(2));
    }

    @Test
    void moreTenantsThanFitHaveTheirTurnsOneAfterTheOther() {
        var tenants =
                LongStream.generate(EmbeddingStoreTest::tenant).limit(5).boxed().toList();
        tenants.forEach(tenant -> copy(tenant, 3));
        assertThat(claim(2, 0)).containsExactlyElementsOf(tenants.subList(0, 2));
        assertThat(claim(2, tenants.get(1))).containsExactlyElementsOf(tenants.subList(2, 4));
        assertThat(claim(2, tenants.get(3))).containsExactly(tenants.get(4), tenants.get(4));
        assertThat(claim(2, tenants.get(4))).isEmpty();
    }

    @Test
    void whatAnotherConnectionHasLockedIsSkipped() {
        var first = tenant();
        var second = tenant();
        copy(first, 1);
        TestDatabase.db().transaction(() -> {
            TestDatabase.db()
                    .sql("SELECT 1 FROM memory_vector WHERE tenant_id = :tenant ORDER BY queued_at LIMIT 1 FOR UPDATE")
                    .set("tenant", first)
                    .one(_ -> true);
            // A thread of its own has another connection.
            assertThat(CompletableFuture.supplyAsync(() -> claim(6, 0)).join()).containsExactly(first, second);
            return true;
        });
        assertThat(claim(6, 0)).containsExactly(first);
    }

    @Test
    void vectorsOfOtherModelsAreComputedAgain() {
        var tenant = tenant();
        copy(tenant, 3);
        TestDatabase.db().sql("""
                UPDATE memory_vector v
                   SET vectors = '', model = (ARRAY['0', 'own', 'own', '~'])[n.number]
                  FROM (SELECT memory_id, row_number() OVER () AS number FROM memory_vector WHERE tenant_id = :tenant) n
                 WHERE v.tenant_id = :tenant AND v.memory_id = n.memory_id
                """).set("tenant", tenant).run();
        assertThat(store.renew("own", 1)).isTrue();
        assertThat(store.renew("own", 1)).isFalse();
        assertThat(claim(10, 0)).containsExactly(tenant, tenant);
        assertThat(TestDatabase.db()
                        .sql("SELECT model FROM memory_vector WHERE tenant_id = :tenant AND vectors IS NOT NULL")
                        .set("tenant", tenant)
                        .list(row -> row.text("model")))
                .containsExactly("own", "own");
    }
}

package io.agentworkspace.engine.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.memory.banks.BankFixture;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The engine deletes what has expired, and nothing else. Each store is registered for this by hand. */
class ClearingTest {
    private static Replica engine;

    private final long tenant = new TestTenant().id(ClientApi.REST);

    @BeforeAll
    static void start() {
        engine = Replica.start(Map.of());
    }

    @AfterAll
    static void stop() {
        engine.close();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            idempotency | (tenant_id, principal, key, request_hash, created_at) VALUES (:tenant, 'p', :name, '', %s) | 23 | 25
            context     | (tenant_id, principal, name, used_at) VALUES (:tenant, 'p', :name, %s) | 2159 | 2161
            mcp_task    | (tenant_id, id, server, principal, user_id, request, status, memory, leased_until, created_at, updated_at, expires_at) \
            VALUES (:tenant, :name, 's', 'p', 1, '{}', 'completed', '{}', now(), now(), now(), %s) | -1 | 1
            """)
    void whatHasExpiredIsCleared(String table, String row, int keptHours, int expiredHours) {
        insert(table, row, "kept", keptHours);
        insert(table, row, "expired", expiredHours);
        engine.clear();
        var name = Map.of("idempotency", "key", "context", "name", "mcp_task", "id")
                .get(table);
        assertThat(TestDatabase.db()
                        .sql("SELECT %s AS name FROM %s WHERE tenant_id = :tenant".formatted(name, table))
                        .set("tenant", tenant)
                        .list(found -> found.text("name")))
                .containsExactly("kept");
    }

    @Test
    void whatExpiredOrWasReplacedAMonthAgoIsCleared() {
        var people = new BankFixture();
        BankFixture.bank(people.ann, "b");
        for (var text : List.of("one", "two", "three", "four")) {
            BankFixture.storeNamed(people.ann, "b", "", "plan", text).ok();
        }
        for (var name : List.of("kept", "expired")) {
            BankFixture.storeNamed(people.ann, "b", "", name, name).ok();
        }
        people.ann
                .call("AP_Create", "{'vx':{'name':'Ada','description':'one'}}")
                .ok();
        for (var text : List.of("two", "three", "four")) {
            people.ann
                    .call("AP_Modify", "{'target':{'agent':'Ada'},'vx':{'description':'%s'}}".formatted(text))
                    .ok();
        }
        var tenant = people.tenant.id(ClientApi.REST);
        for (var change : List.of(
                "UPDATE memory_revision SET replaced_at = now() - (33 - revision * 2) * INTERVAL '1 day' WHERE tenant_id = :t",
                "UPDATE agent_revision SET replaced_at = now() - (33 - revision * 2) * INTERVAL '1 day' WHERE tenant_id = :t",
                "UPDATE memory SET expires_at = now() - INTERVAL '29 days' WHERE tenant_id = :t AND name = 'kept'",
                "UPDATE memory SET expires_at = now() - INTERVAL '31 days' WHERE tenant_id = :t AND name = 'expired'")) {
            TestDatabase.db().sql(change).set("t", tenant).run();
        }
        engine.clear();
        assertThat(TestDatabase.db()
                        .sql("SELECT text FROM memory_revision WHERE tenant_id = :t")
                        .set("t", tenant)
                        .list(row -> row.text("text")))
                .containsExactlyInAnyOrder("two", "three");
        assertThat(TestDatabase.db()
                        .sql("SELECT description FROM agent_revision WHERE tenant_id = :t")
                        .set("t", tenant)
                        .list(row -> row.text("description")))
                .containsExactlyInAnyOrder("two", "three");
        assertThat(TestDatabase.db()
                        .sql("SELECT text FROM memory WHERE tenant_id = :t")
                        .set("t", tenant)
                        .list(row -> row.text("text")))
                .containsExactlyInAnyOrder("four", "kept");
    }

    private void insert(String table, String row, String name, int hoursAgo) {
        var at = "now() - INTERVAL '%d hours'".formatted(hoursAgo);
        TestDatabase.db()
                .sql("INSERT INTO " + table + " " + row.formatted(at))
                .set("tenant", tenant)
                .set("name", name)
                .run();
    }
}

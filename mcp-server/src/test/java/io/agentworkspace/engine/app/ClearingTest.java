package io.agentworkspace.engine.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.testing.Door;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The engine clears away what has expired, and nothing else: each store is registered for it by hand. */
class ClearingTest {
    private final long tenant = new TestTenant().id(Door.REST);

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
        try (var engine = Replica.start(Map.of())) {
            engine.clear();
        }
        var name = Map.of("idempotency", "key", "context", "name", "mcp_task", "id")
                .get(table);
        assertThat(TestDatabase.db()
                        .sql("SELECT %s AS name FROM %s WHERE tenant_id = :tenant".formatted(name, table))
                        .set("tenant", tenant)
                        .list(found -> found.text("name")))
                .containsExactly("kept");
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

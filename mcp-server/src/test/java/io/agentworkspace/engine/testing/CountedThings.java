package io.agentworkspace.engine.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.plan.Scope;
import java.util.Map;

/** Compares the counts of what a plan limits with the things themselves. */
public final class CountedThings {
    private static final Map<Scope, String> THINGS = Map.of(
            Scope.AGENTS, "agent WHERE destroyed_at IS NULL",
            Scope.DOMAINS, "domain WHERE true",
            Scope.BANKS, "bank WHERE true",
            Scope.MEMORIES, "memory WHERE true",
            Scope.DOCUMENTS, "document WHERE true",
            Scope.WEBHOOK_ENDPOINTS, "webhook_endpoint WHERE deleted_at IS NULL",
            Scope.TASKS, "task WHERE state NOT IN ('done', 'cancelled')");

    private CountedThings() {}

    public static long count(long tenant, Scope scope) {
        return number("SELECT count_now(:tenant, '%s') AS n".formatted(scope.word()), tenant);
    }

    /** Checks each scope that counts what exists. */
    public static void assertCounted(long tenant, String after) {
        for (var scope : Scope.values()) {
            if (scope.isStanding()) {
                assertThat(count(tenant, scope))
                        .as("%s after %s", scope, after)
                        .isEqualTo(number(
                                "SELECT count(*) AS n FROM %s AND tenant_id = :tenant".formatted(THINGS.get(scope)),
                                tenant));
            }
        }
    }

    private static long number(String sql, long tenant) {
        return TestDatabase.db()
                .sql(sql)
                .set("tenant", tenant)
                .one(row -> row.number("n"))
                .orElseThrow();
    }
}

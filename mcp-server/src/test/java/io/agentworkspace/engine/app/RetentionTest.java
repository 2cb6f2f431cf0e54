package io.agentworkspace.engine.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.integrations.webhooks.WebhookFixture;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How long data is kept, as configured. */
class RetentionTest {
    @Test
    void dataGoesWhenTheDaysOfItsSettingAreOver() {
        try (var fixture = new WebhookFixture(Map.of("ENGINE_EVENTS_DAYS", "4", "ENGINE_TASKS_DAYS", "6"));
                var replica = fixture.replica()) {
            fixture.call(
                    "POST",
                    "/demo/v1/Engine/tps/domain/create",
                    "{'vx':{'name':'Yard','description':'A yard.','access':'public'}}");
            var task = fixture.call("POST", "/api/tasks", "{'target':{'domain':'Yard'},'vx':{'name':'paint'}}")
                    .at("/task/id")
                    .asString();
            fixture.call("PATCH", "/api/tasks/" + task, "{'state':'done'}");

            fixture.clock.advance(Duration.ofDays(4).minusMinutes(5));
            replica.clear();
            assertThat(rows(fixture, "event")).isPositive();

            fixture.clock.advance(Duration.ofMinutes(6));
            await().until(() -> {
                replica.clear();
                return rows(fixture, "event") == 0;
            });
            assertThat(rows(fixture, "task")).isOne();

            fixture.clock.advance(Duration.ofDays(2));
            await().until(() -> {
                replica.clear();
                return rows(fixture, "task") == 0;
            });
        }
    }

    private static long rows(WebhookFixture fixture, String table) {
        return fixture.db
                .sql("SELECT count(*) AS n FROM " + table)
                .one(row -> row.number("n"))
                .orElseThrow();
    }
}

package io.agentworkspace.engine.webhooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The retention period of events, as configured. */
class EventRetentionTest {
    @Test
    void eventsGoWhenTheDaysOfTheSettingAreOver() {
        try (var fixture = new WebhookFixture(Map.of("ENGINE_EVENTS_DAYS", "4"));
                var replica = fixture.replica()) {
            fixture.happens("Ada");
            fixture.clock.advance(Duration.ofDays(4).minusMinutes(5));
            replica.clear();
            assertThat(events(fixture)).isPositive();
            fixture.clock.advance(Duration.ofMinutes(6));
            await().until(() -> {
                replica.clear();
                return events(fixture) == 0;
            });
        }
    }

    private static long events(WebhookFixture fixture) {
        return fixture.db
                .sql("SELECT count(*) AS n FROM event")
                .one(row -> row.number("n"))
                .orElseThrow();
    }
}

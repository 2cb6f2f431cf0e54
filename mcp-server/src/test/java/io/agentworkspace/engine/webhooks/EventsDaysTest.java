package io.agentworkspace.engine.webhooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How long the engine keeps events, by its setting. */
class EventsDaysTest {
    @Test
    void eventsGoWhenTheDaysOfTheSettingAreOver() {
        try (var stage = new WebhookStage(Map.of("ENGINE_EVENTS_DAYS", "4"));
                var replica = stage.replica()) {
            stage.happens("Ada");
            stage.clock.advance(Duration.ofDays(4).minusMinutes(5));
            replica.clear();
            assertThat(events(stage)).isPositive();
            stage.clock.advance(Duration.ofMinutes(6));
            await().until(() -> {
                replica.clear();
                return events(stage) == 0;
            });
        }
    }

    private static long events(WebhookStage stage) {
        return stage.db
                .sql("SELECT count(*) AS n FROM event")
                .one(row -> row.number("n"))
                .orElseThrow();
    }
}

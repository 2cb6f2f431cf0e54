package io.agentworkspace.engine.integrations.webhooks.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RetryScheduleTest {
    private static final Duration STEP = Duration.ofMinutes(30);

    private final Random random = new Random(7);
    private final RetrySchedule schedule = new RetrySchedule(List.of(Duration.ZERO, STEP));

    private Duration next(Duration retryAfter) {
        return schedule.next(1, retryAfter, random).orElseThrow();
    }

    @Test
    void attemptsSpreadOverAFifthToEitherSide() {
        var shares = IntStream.range(0, 1_000)
                .mapToDouble(_ -> schedule.next(1, null, random).orElseThrow().toMillis() / (double) STEP.toMillis())
                .summaryStatistics();
        assertThat(shares.getMin()).isBetween(0.8, 0.85);
        assertThat(shares.getMax()).isBetween(1.15, 1.2);
        assertThat(shares.getAverage()).isBetween(0.98, 1.02);
    }

    @Test
    void theFirstAttemptIsNotPutOff() {
        assertThat(schedule.next(0, null, random)).contains(Duration.ZERO);
    }

    @Test
    void whatTheReceiverAsksForOnlyDelays() {
        for (var i = 0; i < 1_000; i++) {
            assertThat(next(Duration.ofSeconds(1))).isGreaterThanOrEqualTo(Duration.ofMinutes(24));
        }
        assertThat(next(Duration.ofMinutes(45))).isEqualTo(Duration.ofMinutes(45));
    }

    @Test
    void itIsGrantedUpToTwiceTheStep() {
        assertThat(next(Duration.ofMinutes(60))).isEqualTo(Duration.ofMinutes(60));
        assertThat(next(Duration.ofMinutes(61))).isEqualTo(Duration.ofMinutes(60));
        assertThat(next(Duration.ofDays(365))).isEqualTo(Duration.ofMinutes(60));
    }

    @Test
    void afterTheLastStepThereIsNone() {
        assertThat(schedule.next(2, null, random)).isEmpty();
        assertThat(schedule.next(2, Duration.ofMinutes(1), random)).isEmpty();
        assertThat(schedule.next(3, null, random)).isEmpty();
    }
}

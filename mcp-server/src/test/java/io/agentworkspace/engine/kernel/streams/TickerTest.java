package io.agentworkspace.engine.kernel.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.mcp.endpoint.Fixtures;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TickerTest {
    @Test
    void aTimeIsLeftOutWhileTheWorkOfAnEarlierOneGoesOn() {
        var starts = new AtomicInteger();
        var hanging = new CountDownLatch(1);
        try (var ticker = new Ticker()) {
            ticker.every(Duration.ofMillis(5), () -> {
                starts.incrementAndGet();
                try {
                    hanging.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            await().until(() -> starts.get() > 0);
            Fixtures.pause(300);
            assertThat(starts).hasValue(1);
            hanging.countDown();
            await().until(() -> starts.get() > 3);
        }
    }
}

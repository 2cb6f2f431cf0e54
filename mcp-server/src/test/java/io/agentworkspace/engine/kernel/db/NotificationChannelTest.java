package io.agentworkspace.engine.kernel.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.testing.TestDatabase;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A channel of notifications. */
class NotificationChannelTest {
    /** Otherwise each stop of the engine takes as long as the channel waits for its next beat. */
    @Test
    void closingDoesNotWaitForTheNextBeat() {
        var opened = new CompletableFuture<Boolean>();
        var ends = new AtomicInteger();
        var channel = TestDatabase.db().channels("closing", Duration.ofHours(1), new NotificationChannel.Receiver() {
            @Override
            public void opened() {
                opened.complete(true);
            }

            @Override
            public void received(String payload) {}

            @Override
            public void late() {
                ends.incrementAndGet();
            }
        });
        channel.open();
        await().until(opened::isDone);
        channel.close();
        assertThat(ends).hasValue(1);
    }
}

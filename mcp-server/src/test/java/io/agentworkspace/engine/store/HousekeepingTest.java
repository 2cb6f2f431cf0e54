package io.agentworkspace.engine.store;

import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.TestDatabase;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class HousekeepingTest {
    @Test
    void whatIsNotedIsWrittenWhileMuchIsClearedAway() throws Exception {
        var db = TestDatabase.db();
        var clearing = new CountDownLatch(1);
        var flushes = new AtomicInteger();
        try (var housekeeping = new Housekeeping(
                db, new Presence(db), List.of(flushes::incrementAndGet), Clock.systemUTC(), List.of(_ -> {
                    clearing.countDown();
                    LockSupport.parkNanos(Duration.ofMinutes(1).toNanos());
                }))) {
            housekeeping.start(Duration.ZERO);
            clearing.await();
            var before = flushes.get();
            await().atMost(Duration.ofSeconds(10)).until(() -> flushes.get() >= before + 2);
        }
    }
}

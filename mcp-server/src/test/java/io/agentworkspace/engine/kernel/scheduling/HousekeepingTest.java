package io.agentworkspace.engine.kernel.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.problem.Problem;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class HousekeepingTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration SHORT = Duration.ofMillis(160);

    private final Housekeeping housekeeping = new Housekeeping(Clock.systemUTC());

    @Test
    void whatIsNotedIsWrittenWhileMuchIsClearedAway() throws Exception {
        var clearing = new CountDownLatch(1);
        var flushes = new AtomicInteger();
        housekeeping.every(SECOND, "counts", flushes::incrementAndGet).clearing("much", _ -> {
            clearing.countDown();
            LockSupport.parkNanos(Duration.ofMinutes(1).toNanos());
        });
        try (housekeeping) {
            housekeeping.start(Duration.ZERO);
            clearing.await();
            var before = flushes.get();
            await().until(() -> flushes.get() >= before + 2);
        }
    }

    @Test
    void nothingWaitsForASlowNeighbour() {
        var release = new CountDownLatch(1);
        var flushes = new AtomicInteger();
        housekeeping.every(SHORT, "slow", () -> waitFor(release)).every(SHORT, "quick", flushes::incrementAndGet);
        try (housekeeping) {
            housekeeping.start(Duration.ofHours(1));
            try {
                await().until(() -> flushes.get() >= 3);
            } finally {
                release.countDown();
            }
        }
    }

    private static void waitFor(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The pause includes the task's own duration; otherwise a slow task would run half as often. */
    @Test
    void theTimeThatItTakesIsNoPauseBesides() {
        var runs = new AtomicInteger();
        var others = new AtomicInteger();
        housekeeping
                .every(SECOND, "takes long", () -> {
                    LockSupport.parkNanos(SECOND.minusMillis(200).toNanos());
                    runs.incrementAndGet();
                })
                .every(SECOND, "takes no time", others::incrementAndGet);
        try (housekeeping) {
            housekeeping.start(Duration.ofHours(1));
            await().until(() -> others.get() >= 10);
            assertThat(runs).hasValueGreaterThanOrEqualTo(7);
        }
    }

    @Test
    void whatFailsKeepsNothingElseFromBeingClearedAway() {
        var cleared = new AtomicInteger();
        housekeeping
                .clearing("refused", _ -> {
                    throw Problem.unavailable();
                })
                .clearing("broken", _ -> {
                    throw new IllegalStateException("as a test wants it");
                })
                .clearing("good", _ -> cleared.incrementAndGet());
        try (housekeeping) {
            housekeeping.clear();
            housekeeping.clear();
        }
        assertThat(cleared).hasValue(2);
    }

    @Test
    void whatIsBeingWrittenIsWaitedForAndThenTheLastIsWritten() throws Exception {
        var start = new CountDownLatch(1);
        var end = new CountDownLatch(1);
        var order = new CopyOnWriteArrayList<String>();
        housekeeping.every(SHORT, "counts", () -> {
            order.add("begun");
            start.countDown();
            waitFor(end);
            order.add("done");
        });
        housekeeping.start(Duration.ofHours(1));
        waitFor(start);
        var closing = Thread.ofPlatform().start(housekeeping::close);
        await().until(() -> closing.getState() == Thread.State.TIMED_WAITING);
        end.countDown();
        closing.join();
        assertThat(List.copyOf(order)).containsExactly("begun", "done", "begun", "done");
    }

    @Test
    void onlyWhatWouldBeLostIsWrittenAtTheEnd() {
        var runs = new CopyOnWriteArrayList<String>();
        var hour = Duration.ofHours(1);
        housekeeping.every(hour, "counts", () -> runs.add("counts")).whileOpen(hour, "looks", () -> runs.add("looks"));
        housekeeping.start(hour);
        housekeeping.close();
        assertThat(List.copyOf(runs)).containsExactly("counts");
    }
}

package io.agentworkspace.engine.kernel.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.kernel.scheduling.FairQueue.Owner;
import io.agentworkspace.engine.kernel.scheduling.FairQueue.SlotResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Which caller gets the next of twelve connections. Nothing here depends on time: connections
 * are held until they are released.
 */
class FairQueueTest {
    private static final Duration AT_ONCE = Duration.ZERO;
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Owner GREEDY = new Owner(1, "greedy");
    private static final Owner OTHER = new Owner(1, "other");
    private static final Owner NEIGHBOUR = new Owner(2, "neighbour");

    private FairQueue queue = new FairQueue(12);
    private final BlockingQueue<Owner> served = new LinkedBlockingQueue<>();

    private int takeAll(Owner owner) throws InterruptedException {
        var taken = 0;
        while (queue.take(owner, AT_ONCE) == SlotResult.TAKEN) {
            taken++;
        }
        return taken;
    }

    /** Queues waiting callers one by one, so that their order is known. */
    private void line(Owner owner, int count) {
        for (var i = 0; i < count; i++) {
            var before = queue.waiting();
            Thread.startVirtualThread(() -> {
                try {
                    if (queue.take(owner, LONG) == SlotResult.TAKEN) {
                        served.add(owner);
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            await().until(() -> queue.waiting() == before + 1);
        }
    }

    private Owner next() throws InterruptedException {
        return java.util.Objects.requireNonNull(served.poll(LONG.toSeconds(), TimeUnit.SECONDS));
    }

    @Test
    void aKeyGetsAThirdHoweverManyAreFree() throws InterruptedException {
        assertThat(takeAll(GREEDY)).isEqualTo(4);
        assertThat(takeAll(NEIGHBOUR)).isEqualTo(4);
        assertThat(takeAll(OTHER)).isEqualTo(4);
    }

    @Test
    void aQueueThatLendsLeavesAThirdForWhoeverComesNext() throws InterruptedException {
        queue = FairQueue.lending(12);
        assertThat(takeAll(GREEDY)).isEqualTo(8);
        assertThat(takeAll(NEIGHBOUR)).isEqualTo(4);
    }

    @Test
    void aTenantWithManyKeysLeavesAThirdToo() throws InterruptedException {
        var taken = 0;
        for (var i = 0; i < 20; i++) {
            taken += takeAll(new Owner(1, "key " + i));
        }
        assertThat(taken).isEqualTo(8);
        assertThat(takeAll(NEIGHBOUR)).isEqualTo(4);
    }

    @Test
    void theEnginesOwnWorkHasTheShareOfATenant() throws InterruptedException {
        assertThat(takeAll(Owner.current())).isEqualTo(8);
        assertThat(takeAll(NEIGHBOUR)).isEqualTo(4);
    }

    @Test
    void whatIsLentComesBackToThoseWhoWait() throws InterruptedException {
        queue = FairQueue.lending(12);
        assertThat(takeAll(GREEDY)).isEqualTo(8);
        assertThat(takeAll(NEIGHBOUR)).isEqualTo(4);
        line(GREEDY, 10);
        line(OTHER, 2);
        line(NEIGHBOUR, 2);
        for (var i = 0; i < 2; i++) {
            queue.giveBack(GREEDY, true);
            assertThat(next()).isEqualTo(OTHER);
            queue.giveBack(NEIGHBOUR, true);
            assertThat(next()).isEqualTo(NEIGHBOUR);
        }
        assertThat(queue.waiting()).isEqualTo(10);
    }

    @Test
    void keysTakeTurnsWhoeverAskedFirst() throws InterruptedException {
        var owners = List.of(new Owner(3, "a"), new Owner(4, "b"), new Owner(5, "c"));
        for (var owner : owners) {
            for (var i = 0; i < 4; i++) {
                assertThat(queue.take(owner, AT_ONCE)).isEqualTo(SlotResult.TAKEN);
            }
        }
        line(GREEDY, 5);
        line(NEIGHBOUR, 1);
        line(OTHER, 1);
        queue.giveBack(owners.get(0), true);
        assertThat(next()).isEqualTo(GREEDY);
        queue.giveBack(owners.get(0), true);
        assertThat(next()).as("the tenant is next").isEqualTo(NEIGHBOUR);
        queue.giveBack(owners.get(0), true);
        assertThat(next()).as("it is next within the tenant").isEqualTo(OTHER);
        queue.giveBack(owners.get(0), true);
        assertThat(next()).isEqualTo(GREEDY);
    }

    @Test
    void whoIsKeptWaitingByItsOwnCallsAloneIsToldSo() throws InterruptedException {
        assertThat(takeAll(GREEDY)).isEqualTo(4);
        assertThat(queue.take(GREEDY, Duration.ofMillis(100)))
                .as("nobody was served")
                .isEqualTo(SlotResult.BUSY);
        var done = new AtomicBoolean();
        var others = Thread.startVirtualThread(() -> {
            try {
                while (!done.get() && queue.take(NEIGHBOUR, LONG) == SlotResult.TAKEN) {
                    queue.giveBack(NEIGHBOUR, true);
                    Thread.yield();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        assertThat(queue.take(GREEDY, Duration.ofSeconds(1))).isEqualTo(SlotResult.OWN_FAULT);
        done.set(true);
        others.join();
    }

    /** Ten milliseconds of a clock that only the test moves, so that no call gives up by itself. */
    @ParameterizedTest
    @CsvSource({"true, TAKEN", "false, OWN_FAULT"})
    void patienceBeginsAnewWheneverACallIsServed(boolean isServed, SlotResult outcome) throws Exception {
        var patience = Duration.ofMillis(10);
        var before = 5;
        var clock = new AtomicLong();
        var single = new FairQueue(1, 1, 1, clock::get);
        assertThat(single.take(GREEDY, AT_ONCE)).isEqualTo(SlotResult.TAKEN);
        for (var i = 0; i < before; i++) {
            Thread.startVirtualThread(() -> waited(single, LONG));
        }
        await().until(() -> single.waiting() == before);
        var last = CompletableFuture.supplyAsync(() -> waited(single, patience), Thread::startVirtualThread);
        await().until(() -> single.waiting() == before + 1);
        for (var i = 0; i < before; i++) {
            assertThat(last).isNotDone();
            clock.addAndGet(patience.toNanos() - 1);
            single.giveBack(GREEDY, true);
        }
        assertThat(last).isNotDone();
        if (isServed) {
            single.giveBack(GREEDY, true);
        } else {
            clock.addAndGet(patience.toNanos());
        }
        assertThat(last.get()).isEqualTo(outcome);
    }

    private static SlotResult waited(FairQueue queue, Duration patience) {
        try {
            return queue.take(GREEDY, patience);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Lets this many calls wait for the only slot, and serves ten of them, each after a time on a clock that the test moves. */
    private void busy(int count, Duration each) throws InterruptedException {
        var clock = new AtomicLong();
        queue = new FairQueue(1, 1, 1, clock::get);
        assertThat(queue.take(GREEDY, AT_ONCE)).isEqualTo(SlotResult.TAKEN);
        line(GREEDY, count + 10);
        for (var i = 0; i < 10; i++) {
            clock.addAndGet(each.toNanos());
            queue.giveBack(GREEDY, true);
            assertThat(next()).isEqualTo(GREEDY);
        }
    }

    @Test
    void whoWouldWaitLongBehindManyOfItsOwnIsRefusedAtOnceAndOthersAreNot() throws InterruptedException {
        busy(FairQueue.FEW, Duration.ofMillis(100));
        assertThat(queue.take(GREEDY, LONG)).isEqualTo(SlotResult.OWN_FAULT);
        assertThat(queue.pause(GREEDY)).as("65 times a tenth of a second").isEqualTo(Duration.ofSeconds(7));
        assertThat(queue.pause(NEIGHBOUR)).isEqualTo(Duration.ofSeconds(1));
        line(NEIGHBOUR, FairQueue.FEW + 1);
        line(OTHER, 1);
    }

    @Test
    void fewWaitEvenIfItTakesLongerButNotLongerThanTheirClientsWait() throws InterruptedException {
        busy(28, Duration.ofSeconds(1));
        assertThat(queue.take(GREEDY, LONG, Duration.ofSeconds(28))).isEqualTo(SlotResult.OWN_FAULT);
        line(GREEDY, 2);
        assertThat(queue.take(GREEDY, LONG)).as("after 31 s").isEqualTo(SlotResult.OWN_FAULT);
    }

    @Test
    void manyWaitIfTheyAreServedSoon() throws InterruptedException {
        busy(10 * FairQueue.FEW, Duration.ofMillis(2));
        line(GREEDY, 1);
    }

    @Test
    void aCallThatHasRunAndWaitedOnPurposeIsNotRefused() throws InterruptedException {
        busy(FairQueue.FEW, Duration.ofMillis(100));
        var again = Thread.startVirtualThread(() -> {
            try {
                queue.takeAgain(GREEDY, LONG);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        await().until(() -> queue.waiting() == FairQueue.FEW + 1);
        again.interrupt();
    }

    @Test
    void aSlotOfSeveralUnitsIsReturnedInParts() throws InterruptedException {
        queue = new FairQueue(90, 10, System::nanoTime);
        assertThat(takeAll(GREEDY)).isEqualTo(3);
        queue.giveBack(GREEDY, 4, true);
        assertThat(queue.take(GREEDY, AT_ONCE)).isNotEqualTo(SlotResult.TAKEN);
        queue.giveBack(GREEDY, 6, true);
        assertThat(queue.take(GREEDY, AT_ONCE)).isEqualTo(SlotResult.TAKEN);
        assertThat(queue.free()).isEqualTo(60);
    }

    @Test
    void whoGivesUpWaitingLeavesNothingBehind() throws InterruptedException {
        assertThat(takeAll(GREEDY)).isEqualTo(4);
        assertThat(takeAll(NEIGHBOUR)).isEqualTo(4);
        assertThat(takeAll(OTHER)).isEqualTo(4);
        var waiter = Thread.startVirtualThread(() -> {
            try {
                queue.take(new Owner(3, "third"), LONG);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        await().until(() -> queue.waiting() == 1);
        waiter.interrupt();
        waiter.join();
        assertThat(queue.waiting()).isZero();
        var owners = List.of(GREEDY, NEIGHBOUR, OTHER);
        for (var owner : owners) {
            for (var i = 0; i < 4; i++) {
                queue.giveBack(owner, true);
            }
        }
        for (var owner : owners) {
            assertThat(takeAll(owner)).isEqualTo(4);
        }
    }

    @Test
    void evenTheSmallestPoolServesEverybody() throws InterruptedException {
        for (var size = 1; size <= 4; size++) {
            var small = new FairQueue(size);
            assertThat(small.take(GREEDY, AT_ONCE)).isEqualTo(SlotResult.TAKEN);
            small.giveBack(GREEDY, true);
            assertThat(small.take(NEIGHBOUR, AT_ONCE)).isEqualTo(SlotResult.TAKEN);
        }
    }
}

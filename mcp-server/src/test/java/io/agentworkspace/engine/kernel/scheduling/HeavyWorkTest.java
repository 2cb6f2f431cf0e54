package io.agentworkspace.engine.kernel.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.kernel.scheduling.FairQueue.Owner;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.testing.HangLimit;
import io.agentworkspace.engine.testing.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whose turn it is to use the processors. Turns are counted, not timed. */
class HeavyWorkTest {
    private static final Owner GREEDY = new Owner(1, "greedy");
    private static final Owner COLLEAGUE = new Owner(1, "colleague");
    private static final Owner NEIGHBOUR = new Owner(2, "neighbour");

    private final HeavyWork heavy = new HeavyWork(1, HangLimit.TIME);
    private final List<Owner> order = Collections.synchronizedList(new ArrayList<>());
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void close() {
        threads.shutdownNow();
    }

    /** Begins work that runs until the latch is open. */
    private Future<?> begin(Owner owner, CountDownLatch end) {
        var start = new CountDownLatch(1);
        var work = threads.submit(() -> heavy.run(owner, () -> {
            start.countDown();
            awaitEnd(end);
            return true;
        }));
        await().until(() -> start.getCount() == 0);
        return work;
    }

    private static void awaitEnd(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Queues work, one after the other, that notes when its turn is. */
    private List<Future<?>> line(Owner owner, int count) {
        var works = new ArrayList<Future<?>>();
        for (var i = 0; i < count; i++) {
            var before = heavy.waiting();
            works.add(threads.submit(() -> heavy.run(owner, () -> order.add(owner))));
            await().until(() -> heavy.waiting() == before + 1);
        }
        return works;
    }

    @Test
    void tenantsTakeTurnsAndSoDoTheKeysOfATenant() {
        var end = new CountDownLatch(1);
        begin(GREEDY, end);
        line(GREEDY, 24);
        line(COLLEAGUE, 2);
        line(NEIGHBOUR, 2);
        end.countDown();
        await().until(() -> order.size() == 28);
        assertThat(order.indexOf(NEIGHBOUR)).isLessThanOrEqualTo(1);
        assertThat(order.lastIndexOf(NEIGHBOUR)).isLessThanOrEqualTo(3);
        assertThat(order.indexOf(COLLEAGUE)).isLessThanOrEqualTo(3);
        assertThat(order.lastIndexOf(COLLEAGUE)).isLessThanOrEqualTo(7);
    }

    @Test
    void longWorkLetsOthersHaveTheirTurnsBetweenItsParts() {
        var end = new CountDownLatch(1);
        var start = new CountDownLatch(1);
        var work = threads.submit(() -> heavy.run(GREEDY, () -> {
            start.countDown();
            awaitEnd(end);
            for (var part = 0; part < 5; part++) {
                HeavyWork.pass();
                order.add(GREEDY);
            }
            return true;
        }));
        await().until(() -> start.getCount() == 0);
        line(NEIGHBOUR, 2);
        end.countDown();
        await().until(work::isDone);
        assertThat(order).startsWith(NEIGHBOUR, GREEDY, NEIGHBOUR, GREEDY);
    }

    @Test
    void workThatWaitsForSomethingElseLetsOthersRun() {
        var end = new CountDownLatch(1);
        var waits = new CountDownLatch(1);
        var work = threads.submit(() -> heavy.run(
                GREEDY,
                () -> HeavyWork.outside(() -> {
                    waits.countDown();
                    awaitEnd(end);
                    return true;
                })));
        await().until(() -> waits.getCount() == 0);
        assertThat(heavy.run(NEIGHBOUR, () -> order.add(NEIGHBOUR))).isTrue();
        end.countDown();
        await().until(work::isDone);
        assertThat(heavy.run(NEIGHBOUR, () -> order.add(NEIGHBOUR))).isTrue();
    }

    /** The thread of a call whose client has gone is interrupted. */
    @Test
    void whoHasGoneLeavesTheQueue() {
        var end = new CountDownLatch(1);
        begin(GREEDY, end);
        var gone = Thread.startVirtualThread(() -> {
            try {
                heavy.run(COLLEAGUE, () -> order.add(COLLEAGUE));
            } catch (Problem left) {
                assertThat(left.failure()).isEqualTo(Failure.UNAVAILABLE);
            }
        });
        await().until(() -> heavy.waiting() == 1);
        gone.interrupt();
        await().until(() -> heavy.waiting() == 0);
        end.countDown();
        await().until(() -> !gone.isAlive());
        assertThat(order).isEmpty();
    }

    @Test
    void workInTheBackgroundWaitsHoweverLongItTakes() {
        var hasty = new HeavyWork(1, Duration.ZERO);
        var end = new CountDownLatch(1);
        var start = new CountDownLatch(1);
        threads.submit(() -> hasty.runInBackground(GREEDY, () -> {
            start.countDown();
            awaitEnd(end);
            return true;
        }));
        await().until(() -> start.getCount() == 0);
        var work = threads.submit(() -> hasty.runInBackground(COLLEAGUE, () -> order.add(COLLEAGUE)));
        await().until(() -> hasty.waiting() == 1);
        assertThatThrownBy(() -> hasty.run(NEIGHBOUR, () -> true)).isInstanceOf(Problem.class);
        assertThat(hasty.waiting()).isEqualTo(1);
        end.countDown();
        await().until(work::isDone);
        assertThat(order).containsExactly(COLLEAGUE);
    }

    @Test
    void searchesEvaluationsAndReplaysTakeTurns() {
        assertThat(TestDatabase.catalogue().tools().stream()
                        .filter(Tool::isHeavy)
                        .map(Tool::name))
                .containsExactlyInAnyOrder("AP_Search", "MB_Search", "MB_Evaluate", "RL_Check", "TK_Reserve");
    }
}

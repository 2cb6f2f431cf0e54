package io.agentworkspace.engine.kernel.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A worker and a queue of numbers. Nothing but wake-ups and renewals makes it look: its pause never ends. */
class WorkerTest implements Worker.Queue<Integer> {
    private static final int PLACES = 2;
    private static final int DEFECT = -1;

    private final List<Integer> waiting = new ArrayList<>();
    private final Map<Integer, CountDownLatch> begun = new ConcurrentHashMap<>();
    private final Set<Integer> done = ConcurrentHashMap.newKeySet();
    private final Set<Integer> stopped = ConcurrentHashMap.newKeySet();
    private final Set<Integer> lost = ConcurrentHashMap.newKeySet();
    private final AtomicInteger most = new AtomicInteger();
    private final Worker<Integer> worker = new Worker<>(
            "numbers", Thread.ofVirtual(), new Worker.Pace(PLACES, Duration.ofDays(1), Duration.ZERO), this);

    @Override
    public synchronized List<Integer> claim(int room) {
        var claims = List.copyOf(waiting.subList(0, Math.min(room, waiting.size())));
        waiting.subList(0, claims.size()).clear();
        claims.forEach(claim -> begun.put(claim, new CountDownLatch(1)));
        return claims;
    }

    @Override
    public boolean work(Integer claim) {
        if (claim == DEFECT) {
            throw new IllegalStateException("a defect");
        }
        most.accumulateAndGet(worker.running().size(), Math::max);
        try {
            begun.get(claim).await();
            done.add(claim);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return true;
    }

    @Override
    public boolean renew(Integer claim) {
        return !lost.contains(claim);
    }

    @Override
    public void stop(Integer claim) {
        stopped.add(claim);
        begun.get(claim).countDown();
    }

    private synchronized void queue(int from, int to) {
        IntStream.range(from, to).forEach(waiting::add);
    }

    private synchronized int left() {
        return waiting.size();
    }

    private void begin() {
        worker.start();
        await().until(() -> worker.running().size() == PLACES);
    }

    @AfterEach
    void close() {
        worker.close();
    }

    @Test
    void eachPlaceIsTakenAgainAtOnce() {
        queue(0, 10);
        begin();
        for (var i = 0; i < 10; i++) {
            var number = i;
            await().until(() -> begun.containsKey(number));
            begun.get(number).countDown();
        }
        await().until(() -> done.size() == 10 && worker.running().isEmpty());
        assertThat(most).hasValue(PLACES);
        assertThat(stopped).isEmpty();
    }

    @Test
    void whatIsLostIsStoppedAndNothingElse() {
        queue(0, 2);
        begin();
        lost.add(1);
        worker.renew();
        await().until(() -> done.contains(1));
        assertThat(worker.running()).containsExactly(0);
        assertThat(stopped).containsExactly(1);
    }

    @Test
    void aDefectTakesNoPlace() {
        queue(DEFECT, 2);
        worker.start();
        await().until(() -> {
            worker.wake();
            return worker.running().containsAll(Set.of(0, 1));
        });
    }

    @Test
    void closingStopsWhatRunsAndClaimsNothingMore() {
        queue(0, 10);
        begin();
        worker.close();
        assertThat(worker.running()).isEmpty();
        assertThat(done).isEqualTo(stopped).hasSize(PLACES);
        assertThat(left()).isEqualTo(10 - PLACES);
    }
}

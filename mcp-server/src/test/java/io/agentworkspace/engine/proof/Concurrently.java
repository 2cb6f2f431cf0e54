package io.agentworkspace.engine.proof;

import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Runs many actions at the same moment. */
public final class Concurrently {
    private Concurrently() {}

    public static <T> List<T> of(int size, IntFunction<T> work) {
        var start = new CyclicBarrier(size);
        try (var threads = Executors.newFixedThreadPool(size)) {
            var running = IntStream.range(0, size)
                    .mapToObj(i -> threads.submit(() -> {
                        start.await();
                        return work.apply(i);
                    }))
                    .toList();
            return running.stream().map(Concurrently::outcome).toList();
        }
    }

    private static <T> T outcome(Future<T> future) {
        try {
            return future.get();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}

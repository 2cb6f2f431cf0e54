package io.agentworkspace.engine.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Runs work in threads of its own at the same time. */
public final class Concurrently {
    private Concurrently() {}

    /** Starts the work for 0 to {@code size - 1} at the same moment, and returns the results in that order. */
    public static <T> List<T> of(int size, IntFunction<T> work) {
        var start = new CyclicBarrier(size);
        return all(IntStream.range(0, size)
                .<Callable<T>>mapToObj(i -> () -> {
                    start.await();
                    return work.apply(i);
                })
                .toList());
    }

    /** Returns the results in the order of the work. */
    public static <T> List<T> all(List<Callable<T>> work) {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var results = new ArrayList<T>();
            for (var task : work.stream().map(threads::submit).toList()) {
                results.add(task.get());
            }
            return results;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}

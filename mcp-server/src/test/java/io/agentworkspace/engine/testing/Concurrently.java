package io.agentworkspace.engine.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;

/** Runs work in threads of its own at the same time. */
public final class Concurrently {
    private Concurrently() {}

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

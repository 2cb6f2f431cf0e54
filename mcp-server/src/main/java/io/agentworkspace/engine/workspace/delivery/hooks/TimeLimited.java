package io.agentworkspace.engine.workspace.delivery.hooks;

import io.agentworkspace.engine.kernel.scheduling.Cancellation;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Work that is answered in time or with nothing. What it remembers, it must claim first: then the answer is waited for,
 * so that nothing is remembered as said that was not sent.
 */
final class TimeLimited {
    private static final Executor THREADS = Thread::startVirtualThread;

    private final AtomicReference<@Nullable Outcome> outcome = new AtomicReference<>();
    private final long deadline;
    private final Cancellation lateness = new Cancellation();

    private enum Outcome {
        SENT,
        LATE
    }

    private TimeLimited(Duration limit) {
        this.deadline = System.nanoTime() + limit.toNanos();
    }

    static ObjectNode run(Duration limit, Function<TimeLimited, ObjectNode> work) {
        var limited = new TimeLimited(limit);
        var result = CompletableFuture.supplyAsync(() -> work.apply(limited), THREADS);
        var late = CompletableFuture.supplyAsync(
                () -> limited.decide(Outcome.LATE) ? limited.endWork() : null,
                CompletableFuture.delayedExecutor(limited.left(), TimeUnit.NANOSECONDS, THREADS));
        try {
            return result.applyToEither(
                            late.thenCompose(
                                    nothing -> nothing == null ? result : CompletableFuture.completedFuture(nothing)),
                            answer -> answer)
                    .join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof Problem problem) {
                throw problem;
            }
            throw e;
        } finally {
            late.cancel(false);
        }
    }

    /** Returns whether the answer will be sent. A transaction that is repeated gets the same answer. */
    boolean claim() {
        return decide(Outcome.SENT);
    }

    private boolean decide(Outcome choice) {
        return outcome.compareAndSet(null, choice) || outcome.get() == choice;
    }

    /** Runs work that ends when its answer is late: nobody waits for it then, and it remembers nothing. */
    <T> T untilLate(Supplier<T> work) {
        return lateness.call(work::get);
    }

    private ObjectNode endWork() {
        lateness.cancelSoon();
        return Json.object();
    }

    /** Runs work at the same time, and gives it up shortly before the answer is due. */
    <T> Supplier<T> alongside(Supplier<T> work, T otherwise) {
        var result = CompletableFuture.supplyAsync(work, THREADS);
        return () -> result.completeOnTimeout(otherwise, left() * 4 / 5, TimeUnit.NANOSECONDS)
                .exceptionally(_ -> otherwise)
                .join();
    }

    private long left() {
        return Math.max(0, deadline - System.nanoTime());
    }
}

package io.agentworkspace.engine.kernel.scheduling;

import io.agentworkspace.engine.model.problem.Problem;
import java.lang.ScopedValue.CallableOp;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Ends the work of a request whose client has gone: its statement at the database is cancelled, or its wait for a turn
 * ends, and it begins no other. Its transaction is then rolled back, so its idempotency key and its locks are free.
 */
public final class Cancellation {
    private static final ScopedValue<Cancellation> CURRENT = ScopedValue.newInstance();

    private boolean isCancelled;
    private @Nullable Runnable stop;

    /** Runs the work of the request. Only the calling thread can be stopped. */
    public <T, E extends Throwable> T call(CallableOp<T, E> work) throws E {
        return ScopedValue.where(CURRENT, this).call(work);
    }

    /** Returns the cancellation of the work that the calling thread does, if it can be cancelled. */
    public static Optional<Cancellation> current() {
        return CURRENT.isBound() ? Optional.of(CURRENT.get()) : Optional.empty();
    }

    /** Stops the work, and does not wait until it is stopped. */
    public void cancelSoon() {
        Thread.ofVirtual().name("cancel").start(this::cancel);
    }

    /** Stops what the request is doing, if it can be stopped. This may take as long as a connection to the database. */
    public synchronized void cancel() {
        isCancelled = true;
        if (stop != null) {
            stop.run();
        }
    }

    /**
     * Runs a step that ends early, with any exception, when {@code stop} is called from another thread.
     *
     * @throws Problem {@code unavailable} if the request is cancelled
     */
    public static <T, E extends Throwable> T stoppable(Runnable stop, CallableOp<T, E> step) throws E {
        if (!CURRENT.isBound()) {
            return step.call();
        }
        var cancellation = CURRENT.get();
        cancellation.begin(stop);
        try {
            return step.call();
        } catch (Throwable e) {
            cancellation.check();
            throw e;
        } finally {
            cancellation.end();
        }
    }

    /**
     * Runs a step that ends early when its thread is interrupted.
     *
     * @throws Problem {@code unavailable} if the request is cancelled
     */
    public static <T, E extends Throwable> T interruptible(CallableOp<T, E> step) throws E {
        if (!CURRENT.isBound()) {
            return step.call();
        }
        try {
            return stoppable(Thread.currentThread()::interrupt, step);
        } finally {
            CURRENT.get().clearInterrupt();
        }
    }

    /**
     * Ends computation that no other thread can stop. Long work calls this often.
     *
     * @throws Problem {@code unavailable} if the request is cancelled
     */
    public static void checkCurrent() {
        if (CURRENT.isBound()) {
            CURRENT.get().check();
        }
    }

    private synchronized void begin(Runnable how) {
        check();
        stop = how;
    }

    private synchronized void end() {
        stop = null;
    }

    private synchronized void check() {
        if (isCancelled) {
            throw Problem.unavailable(
                    "the client closed the connection before the response, so the call was stopped and nothing was done; send it again",
                    Duration.ZERO);
        }
    }

    /** The thread still has to refuse the call; an interrupted one would close the connections that it uses. */
    private synchronized void clearInterrupt() {
        if (isCancelled) {
            var _ = Thread.interrupted();
        }
    }
}

package io.agentworkspace.engine.workspace.delivery.wait;

import io.agentworkspace.engine.kernel.scheduling.Cancellation;
import io.agentworkspace.engine.kernel.scheduling.OpenRequest;
import io.agentworkspace.engine.kernel.streams.Hub;
import io.agentworkspace.engine.model.problem.Problem;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** One call that waits: it holds a virtual thread, and no connection, transaction or memory for a response. */
final class WaitingCall implements Hub.Subscriber {
    private final long tenant;
    private final long party;
    private final Narrowing narrowing;
    private final OpenRequest request;
    private final Instant until;
    private final ReentrantLock lock = new ReentrantLock();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final Condition changed = lock.newCondition();
    private String seen = "";
    private boolean isWoken;
    private @Nullable Problem end;

    WaitingCall(long tenant, long party, Narrowing narrowing, OpenRequest request, Instant until) {
        this.tenant = tenant;
        this.party = party;
        this.narrowing = narrowing;
        this.request = request;
        this.until = until;
    }

    @Override
    public long tenant() {
        return tenant;
    }

    long party() {
        return party;
    }

    Narrowing narrowing() {
        return narrowing;
    }

    OpenRequest request() {
        return request;
    }

    Instant until() {
        return until;
    }

    @Override
    public BooleanSupplier validity() {
        return request.validity();
    }

    @Override
    public CompletableFuture<Void> ended() {
        return ended;
    }

    /** Wakes the call if what may wait for it is not what it was at its last look. */
    void changed(String now) {
        lock.lock();
        try {
            if (!now.equals(seen)) {
                seen = now;
                wake();
            }
        } finally {
            lock.unlock();
        }
    }

    void wake() {
        lock.lock();
        try {
            isWoken = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Refuses the call, since its credential is no longer valid. */
    @Override
    public void end() {
        lock.lock();
        try {
            end = revoked();
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until something may have changed, but not longer than this.
     *
     * @throws Problem if the call must end: its client has gone, its credential is no longer valid
     */
    void await(Duration longest) {
        try {
            Cancellation.interruptible(() -> {
                awaitChange(longest.toNanos());
                return true;
            });
        } catch (InterruptedException e) { // What serves the client interrupts the thread when the client has gone.
            Thread.currentThread().interrupt();
            throw gone();
        }
        check();
    }

    private void awaitChange(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            for (var left = nanos; !isWoken && end == null && left > 0; ) {
                left = changed.awaitNanos(left);
            }
            isWoken = false;
        } finally {
            lock.unlock();
        }
    }

    /** @throws Problem if the call must not be shown anything */
    void check() {
        var problem = ending();
        if (problem != null) {
            throw problem;
        } else if (!request.validity().getAsBoolean()) {
            throw revoked();
        }
        checkClient(request);
    }

    /** @throws Problem if the client has closed the connection, so that nothing can be shown */
    static void checkClient(OpenRequest request) {
        if (request.gone().getAsBoolean()) {
            throw gone();
        }
    }

    private @Nullable Problem ending() {
        lock.lock();
        try {
            return end;
        } finally {
            lock.unlock();
        }
    }

    private static Problem revoked() {
        return Problem.unauthenticated("your credential became invalid while the call waited, so it ended");
    }

    private static Problem gone() {
        return Problem.unavailable(
                "the client closed the connection while the call waited, so nothing was read", Duration.ZERO);
    }
}

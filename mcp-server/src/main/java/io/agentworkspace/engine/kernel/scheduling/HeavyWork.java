package io.agentworkspace.engine.kernel.scheduling;

import io.agentworkspace.engine.kernel.scheduling.FairQueue.Owner;
import io.agentworkspace.engine.model.problem.Problem;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * Work that takes much processor time, such as searches: only a few of these calls run at once, so that others always find a free
 * processor. Tenants take turns, and so do the keys of a tenant. A waiting call holds no connection, transaction or lock.
 */
public final class HeavyWork {
    private static final ScopedValue<Slot> CURRENT = ScopedValue.newInstance();
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final FairQueue queue;
    private final Duration patience;

    /** @param most how many calls may run at once */
    public HeavyWork(int most) {
        this(most, PATIENCE);
    }

    /** @param patience how long a call waits for its turn */
    HeavyWork(int most, Duration patience) {
        this.queue = FairQueue.lending(most);
        this.patience = patience;
    }

    /** Returns the limit for this machine: one processor stays free for other calls, if there are several. */
    public static HeavyWork ofMachine() {
        return new HeavyWork(Math.max(1, Runtime.getRuntime().availableProcessors() - 1));
    }

    /** A way to get a slot of the queue. */
    @FunctionalInterface
    private interface SlotRequest {
        FairQueue.SlotResult await(Owner owner, Duration patience) throws InterruptedException;
    }

    /** The right of one call to run. The call may return it for a while. */
    private static final class Slot {
        private final FairQueue queue;
        private final Owner owner;
        private final Duration patience;
        private boolean isTaken;

        Slot(FairQueue queue, Owner owner, Duration patience) {
            this.queue = queue;
            this.owner = owner;
            this.patience = patience;
        }

        void take() {
            await(queue::take);
        }

        void takeAgain() {
            await(queue::takeAgain);
        }

        void pass() {
            isTaken = false;
            await(queue::pass);
        }

        private void await(SlotRequest request) {
            try {
                isTaken = switch (Cancellation.interruptible(() -> request.await(owner, patience))) {
                    case TAKEN -> true;
                    case OWN_FAULT ->
                        throw Problem.rateLimited(
                                "your key has too many searches and other long computations at once, so this one did not run to its end; wait for their responses, then try again",
                                queue.pause(owner));
                    case BUSY -> throw busy();
                };
            } catch (InterruptedException e) { // The client has gone.
                Thread.currentThread().interrupt();
                throw busy();
            }
        }

        private Problem busy() {
            return Problem.unavailable(
                    "the engine is busy with searches and other long computations; try again shortly",
                    queue.pause(owner));
        }

        void end() {
            if (isTaken) {
                isTaken = false;
                queue.giveBack(owner, true);
            }
        }
    }

    /**
     * Runs the work when it is the current caller's turn.
     *
     * @throws Problem {@code rate_limited} or {@code unavailable} if its turn does not come in time
     */
    public <T> T run(Supplier<T> work) {
        return run(Owner.current(), work);
    }

    /** Runs the work when it is the owner's turn. */
    public <T> T run(Owner owner, Supplier<T> work) {
        if (CURRENT.isBound()) { // A part of such work.
            return work.get();
        }
        return run(new Slot(queue, owner, patience), work);
    }

    /** Runs the work when it is the owner's turn, however long that takes and however many calls wait: nobody waits for its result. */
    public <T> T runInBackground(Owner owner, Supplier<T> work) {
        return CURRENT.isBound() ? work.get() : run(new Slot(queue, owner, FairQueue.UNLIMITED), work);
    }

    private static <T> T run(Slot slot, Supplier<T> work) {
        slot.take();
        try {
            return ScopedValue.where(CURRENT, slot).call(work::get);
        } finally {
            slot.end();
        }
    }

    /** Lets waiting calls have their turns first. Long work calls this often, while it holds no connection and no lock. */
    public static void pass() {
        if (CURRENT.isBound()) {
            CURRENT.get().pass();
        }
    }

    /** Waits for something that takes no processor time here, while others may have their turns. */
    public static <T> T outside(Supplier<T> waiting) {
        if (!CURRENT.isBound()) {
            return waiting.get();
        }
        CURRENT.get().end();
        var result = waiting.get();
        CURRENT.get().takeAgain();
        return result;
    }

    /** Returns how many calls are waiting for their turn. */
    public int waiting() {
        return queue.waiting();
    }
}

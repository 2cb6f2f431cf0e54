package io.agentworkspace.engine.kernel.http;

import io.agentworkspace.engine.kernel.scheduling.FairQueue.Owner;
import io.agentworkspace.engine.model.problem.Problem;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/**
 * A limited resource that callers share. One caller gets at most a third of it, and all callers of one tenant
 * together at most two thirds. So only several tenants can use it up. A caller without an entry has taken nothing. Nobody waits.
 */
public final class FairShare {
    private static final int CALLERS = 3;
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final String what;
    private final int each;
    private final CallerShare all;
    private final ConcurrentHashMap<Object, CallerShare> holders = new ConcurrentHashMap<>();

    private static final class CallerShare {
        private final Semaphore free;
        private int parts;

        CallerShare(int most) {
            free = new Semaphore(most);
        }
    }

    /** @param what the resource's name, for the note of a refusal */
    public FairShare(String what, long all) {
        var units = Math.clamp(all, CALLERS, Integer.MAX_VALUE);
        this.what = what;
        this.each = units / CALLERS;
        this.all = new CallerShare(units);
    }

    /** Returns the most that one caller can have. */
    int each() {
        return each;
    }

    public int free() {
        return all.free.availablePermits();
    }

    /**
     * Takes this much, or all that one caller can have.
     *
     * @throws Problem {@code rate_limited} if the caller has too much, {@code unavailable} if all callers
     *     together have
     */
    public Reservation take(Owner caller, long amount) {
        var part = new Reservation(caller);
        try {
            part.grow(amount);
            return part;
        } catch (Problem refused) {
            part.close();
            throw refused;
        }
    }

    private CallerShare enter(Object name, int most) {
        return holders.compute(name, (_, present) -> {
            var holder = present == null ? new CallerShare(most) : present;
            holder.parts++;
            return holder;
        });
    }

    private void leave(Object name) {
        holders.computeIfPresent(name, (_, holder) -> --holder.parts == 0 ? null : holder);
    }

    /** The part that one request holds. */
    public final class Reservation implements AutoCloseable {
        private final Owner caller;
        private final CallerShare own;
        private final CallerShare tenant;
        private int amount;
        private boolean closed;

        private Reservation(Owner caller) {
            this.caller = caller;
            this.own = enter(caller, each);
            this.tenant = enter(caller.tenant(), 2 * each);
        }

        /** @throws Problem as {@link FairShare#take} */
        public synchronized void grow(long target) {
            var more = (int) Math.min(target, each) - amount;
            if (closed || more <= 0) {
                return;
            } else if (!own.free.tryAcquire(more)) {
                throw Problem.rateLimited(
                        "your open requests use as %s as one caller may: read their responses before you send more"
                                .formatted(what),
                        PAUSE);
            } else if (!tenant.free.tryAcquire(more)) {
                own.free.release(more);
                throw Problem.rateLimited(
                        "your tenant's requests, or all requests without a credential, use as %s as they may at once: try again shortly"
                                .formatted(what),
                        PAUSE);
            } else if (!all.free.tryAcquire(more)) {
                own.free.release(more);
                tenant.free.release(more);
                throw Problem.unavailable(
                        "all requests together use as %s as the server has: try again shortly".formatted(what), PAUSE);
            }
            amount += more;
        }

        public synchronized void shrink(long target) {
            var less = amount - (int) Math.min(target, amount);
            amount -= less;
            own.free.release(less);
            tenant.free.release(less);
            all.free.release(less);
        }

        @Override
        public synchronized void close() {
            if (!closed) {
                closed = true;
                shrink(0);
                leave(caller);
                leave(caller.tenant());
            }
        }
    }

    /**
     * Returns the key that an address is counted by. It covers a whole /64 network, since an IPv6 host has one to
     * itself.
     */
    public static String network(String address) {
        var parts = address.split(":", -1);
        return parts.length < 5 ? address : String.join(":", parts[0], parts[1], parts[2], parts[3]);
    }
}

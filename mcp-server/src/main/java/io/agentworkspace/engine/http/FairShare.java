package io.agentworkspace.engine.http;

import io.agentworkspace.engine.model.Problem;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * A limited resource that callers share. One caller gets at most a third of it, so that only several can use it up. A
 * caller without an entry has taken nothing.
 */
final class FairShare {
    private static final int CALLERS = 3;
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final String what;
    private final int each;
    private final Semaphore all;
    private final ConcurrentHashMap<Object, Holder> holders = new ConcurrentHashMap<>();

    private static final class Holder {
        private final Semaphore free;
        private int parts;

        Holder(int each) {
            free = new Semaphore(each, true);
        }
    }

    /** @param the resource's name, for the note of a refusal */
    FairShare(String what, long all) {
        var units = Math.clamp(all, CALLERS, Integer.MAX_VALUE);
        this.what = what;
        this.each = units / CALLERS;
        this.all = new Semaphore(units, true);
    }

    /** The most that one caller can have. */
    int each() {
        return each;
    }

    int free() {
        return all.availablePermits();
    }

    /**
     * Takes this much, or all that one caller can have.
     *
     * @param patience how long to wait for it
     * @throws Problem {@code rate_limited} if the caller has too much, {@code unavailable} if all together have
     */
    Part take(Object caller, long amount, Duration patience) {
        var part = new Part(caller);
        try {
            part.grow(amount, patience);
            return part;
        } catch (Problem refused) {
            part.close();
            throw refused;
        }
    }

    private Holder enter(Object caller) {
        return holders.compute(caller, (_, known) -> {
            var holder = known == null ? new Holder(each) : known;
            holder.parts++;
            return holder;
        });
    }

    private void leave(Object caller) {
        holders.computeIfPresent(caller, (_, holder) -> --holder.parts == 0 ? null : holder);
    }

    private static boolean acquire(Semaphore free, int amount, Duration patience) {
        try {
            return free.tryAcquire(amount) || free.tryAcquire(amount, patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** What one request holds of it. */
    final class Part implements AutoCloseable {
        private final Object caller;
        private final Holder holder;
        private int amount;
        private boolean closed;

        private Part(Object caller) {
            this.caller = caller;
            this.holder = enter(caller);
        }

        /** @throws Problem as {@link FairShare#take} */
        synchronized void grow(long wanted, Duration patience) {
            var more = (int) Math.min(wanted, each) - amount;
            if (more <= 0) {
                return;
            } else if (!acquire(holder.free, more, patience)) {
                throw Problem.rateLimited(
                        "your requests use as %s as one caller may use at once: read their responses before you send more"
                                .formatted(what),
                        PAUSE);
            } else if (!acquire(all, more, patience)) {
                holder.free.release(more);
                throw Problem.unavailable(
                        "the requests of all callers use as %s as the server has: try again shortly".formatted(what),
                        PAUSE);
            }
            amount += more;
        }

        synchronized void shrink(long wanted) {
            var less = amount - (int) Math.min(wanted, amount);
            amount -= less;
            holder.free.release(less);
            all.release(less);
        }

        @Override
        public synchronized void close() {
            if (!closed) {
                closed = true;
                shrink(0);
                leave(caller);
            }
        }
    }
}

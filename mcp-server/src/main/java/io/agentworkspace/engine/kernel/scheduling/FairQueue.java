package io.agentworkspace.engine.kernel.scheduling;

import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.RequestContext;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Shares slots fairly, such as the pool's connections: tenants take turns, the keys of a tenant take turns, and the calls
 * of a key are served in order. A key holds at most a third of the slots, a tenant two thirds, the engine's own work, too. So
 * the next caller is served at once. A queue that {@linkplain #lending lends} gives them more while more than a third is free.
 */
public final class FairQueue {
    /** The maximum number of waiting calls of one key, and of all keys together. */
    static final int MOST_OF_ONE = 500;

    static final int MOST = 5_000;

    static final Duration UNLIMITED = Duration.ofDays(10_000);

    /** An engine that has just started knows no key, so the first calls of all keys wait together to have theirs looked up. */
    private static final int MOST_OF_ANONYMOUS = MOST / 2;

    /** A call waits this many times its patience, if calls before it are served all the time. */
    static final int MOST_PATIENCE = 6;

    /**
     * The result of a request for a slot. {@code OWN_FAULT}: others were served, and only the owner's other
     * calls block this one.
     */
    public enum SlotResult {
        TAKEN,
        OWN_FAULT,
        BUSY
    }

    /** An owner of slots: a key, session or token of a tenant, or the engine itself. */
    public record Owner(long tenant, String principal) {
        private static final Owner ENGINE = new Owner(0, "engine");

        /** The owner for requests whose credential has not been looked up yet. */
        private static final Owner ANONYMOUS = new Owner(0, "anonymous");

        public static Owner current() {
            if (RequestContext.CURRENT_CALLER.isBound()) {
                Caller caller = RequestContext.CURRENT_CALLER.get();
                return new Owner(caller.tenant(), caller.principal());
            }
            return RequestContext.CURRENT_ID.isBound() ? ANONYMOUS : ENGINE;
        }

        boolean isCaller() {
            return tenant != 0;
        }
    }

    private static final class Tenant {
        private final Map<String, KeyQueue> keys = new LinkedHashMap<>();
        private int inUse;
    }

    private static final class KeyQueue {
        private final Deque<Waiter> waiting = new ArrayDeque<>();
        private int inUse;
        private long servedAt;

        KeyQueue(long now) {
            servedAt = now;
        }
    }

    private static final class Waiter {
        private final Condition served;
        private boolean isServed;

        Waiter(Condition served) {
            this.served = served;
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    /** The owners that hold or wait for slots, in the order of their turns. */
    private final Map<Long, Tenant> tenants = new LinkedHashMap<>();

    private final int share;
    /** The slots that are not lent. */
    private final int reserve;

    private final LongSupplier nanos;

    private int free;
    private int waiting;
    private long succeeded;
    private long succeededAt;

    public FairQueue(int slots) {
        this(slots, slots, System::nanoTime);
    }

    /**
     * @param reserve the slots that are not lent
     * @param nanos the clock by which patience ends
     */
    FairQueue(int slots, int reserve, LongSupplier nanos) {
        this.nanos = nanos;
        this.reserve = reserve;
        succeededAt = nanos.getAsLong();
        free = slots;
        share = Math.max(1, slots / 3);
    }

    /** Returns a queue that lends what is free beyond a third of its slots to those who hold their share. */
    static FairQueue lending(int slots) {
        return new FairQueue(slots, slots / 3, System::nanoTime);
    }

    /**
     * Waits for a slot; the caller must return it.
     *
     * @param patience how long it waits while nothing moves, see {@link #left}; {@link #UNLIMITED} for background work of the
     *     engine, which is not refused
     */
    public SlotResult take(Owner owner, Duration patience) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            var isLimited = patience.compareTo(UNLIMITED) < 0;
            if (isLimited && waiting >= MOST) {
                return SlotResult.BUSY;
            }
            var key = key(owner);
            if (isLimited && key.waiting.size() >= (owner.equals(Owner.ANONYMOUS) ? MOST_OF_ANONYMOUS : MOST_OF_ONE)) {
                return owner.isCaller() ? SlotResult.OWN_FAULT : SlotResult.BUSY;
            }
            var waiter = queued(key);
            handOut();
            return await(owner, key, waiter, patience);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns a slot while others wait, and takes another one after them.
     *
     * @return whether the owner has a slot
     */
    public SlotResult pass(Owner owner, Duration patience) throws InterruptedException {
        lock.lock(); // Not interruptibly: the slot is returned in any case.
        try {
            if (waiting == 0) {
                return SlotResult.TAKEN;
            }
            var key = key(owner);
            var waiter = queued(key); // First, so that its tenant keeps its place.
            putLast(owner);
            returned(owner);
            return await(owner, key, waiter, patience);
        } finally {
            lock.unlock();
        }
    }

    private Waiter queued(KeyQueue key) {
        var waiter = new Waiter(lock.newCondition());
        key.waiting.add(waiter);
        waiting++;
        return waiter;
    }

    private SlotResult await(Owner owner, KeyQueue key, Waiter waiter, Duration patience) throws InterruptedException {
        var before = succeeded;
        var begin = nanos.getAsLong();
        try {
            for (var left = patience.toNanos(); !waiter.isServed && left > 0; left = left(key, begin, patience)) {
                var _ = waiter.served.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            if (waiter.isServed) {
                returned(owner);
            } else {
                leave(owner, key, waiter);
            }
            throw e;
        }
        if (waiter.isServed) {
            return SlotResult.TAKEN;
        }
        leave(owner, key, waiter);
        return owner.isCaller() && key.inUse >= share && succeeded > before ? SlotResult.OWN_FAULT : SlotResult.BUSY;
    }

    /**
     * Returns how much longer a call waits. Patience begins again whenever a call is served: many calls that arrive at once at a
     * slow machine only need time. A key that holds its share waits only for its own calls.
     */
    private long left(KeyQueue key, long begin, Duration patience) {
        if (patience.compareTo(UNLIMITED) >= 0) {
            return Long.MAX_VALUE;
        }
        var now = nanos.getAsLong();
        var idle = Math.min(now - begin, now - (key.inUse >= share ? key.servedAt : succeededAt));
        return Math.min(
                patience.toNanos() - idle, patience.multipliedBy(MOST_PATIENCE).toNanos() - (now - begin));
    }

    private void leave(Owner owner, KeyQueue key, Waiter waiter) {
        key.waiting.remove(waiter);
        waiting--;
        forget(owner);
    }

    /**
     * Returns a slot.
     *
     * @param success whether the work was done
     */
    public void giveBack(Owner owner, boolean success) {
        lock.lock();
        try {
            if (success) {
                succeeded++;
                succeededAt = nanos.getAsLong();
            }
            returned(owner);
        } finally {
            lock.unlock();
        }
    }

    private void returned(Owner owner) {
        tenant(owner).inUse--;
        key(owner).inUse--;
        free++;
        forget(owner);
        handOut();
    }

    private Tenant tenant(Owner owner) {
        return tenants.computeIfAbsent(owner.tenant(), _ -> new Tenant());
    }

    private KeyQueue key(Owner owner) {
        return tenant(owner).keys.computeIfAbsent(owner.principal(), _ -> new KeyQueue(nanos.getAsLong()));
    }

    private void forget(Owner owner) {
        var tenant = tenant(owner);
        var key = key(owner);
        if (key.inUse == 0 && key.waiting.isEmpty()) {
            tenant.keys.remove(owner.principal());
        }
        if (tenant.keys.isEmpty()) {
            tenants.remove(owner.tenant());
        }
    }

    private void handOut() {
        while (free > 0 && waiting > 0 && (serveOne(true) || (free > reserve && serveOne(false)))) {
            // Serves one call at a time.
        }
    }

    /** Serves the next owner. That owner then becomes the last in its tenant, and the tenant the last of all. */
    private boolean serveOne(boolean withinShares) {
        for (var tenant : tenants.entrySet()) {
            if (withinShares && tenant.getValue().inUse >= 2 * share) {
                continue;
            }
            for (var key : tenant.getValue().keys.entrySet()) {
                var owner = new Owner(tenant.getKey(), key.getKey());
                var waiter = withinShares && owner.isCaller() && key.getValue().inUse >= share
                        ? null
                        : key.getValue().waiting.poll();
                if (waiter != null) {
                    serve(owner, waiter);
                    return true;
                }
            }
        }
        return false;
    }

    /** Makes the owner the last in its tenant, and the tenant the last of all. */
    private void putLast(Owner owner) {
        var tenant = tenant(owner);
        var key = key(owner);
        tenants.remove(owner.tenant());
        tenants.put(owner.tenant(), tenant);
        tenant.keys.remove(owner.principal());
        tenant.keys.put(owner.principal(), key);
    }

    private void serve(Owner owner, Waiter waiter) {
        putLast(owner);
        var tenant = tenant(owner);
        var key = key(owner);
        tenant.inUse++;
        key.inUse++;
        key.servedAt = nanos.getAsLong();
        free--;
        waiting--;
        waiter.isServed = true;
        waiter.served.signal();
    }

    /** Returns how many calls are waiting. */
    public int waiting() {
        lock.lock();
        try {
            return waiting;
        } finally {
            lock.unlock();
        }
    }
}

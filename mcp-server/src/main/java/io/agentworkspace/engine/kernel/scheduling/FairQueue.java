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
 *
 * <p>The queue measures how often it serves each key that waits. A call that would wait too long is refused when it comes.
 */
public final class FairQueue {
    /** The maximum number of waiting calls. */
    static final int MOST = 5_000;

    /** An engine that has just started knows no key, so the first calls of all keys wait together to have theirs looked up. */
    private static final int MOST_OF_ANONYMOUS = MOST / 2;

    /** How many calls of one key wait, so that others find a place even while nothing is served. */
    private static final int MOST_OF_KEY = MOST / 3;

    static final Duration UNLIMITED = Duration.ofDays(10_000);

    /** How long a client waits for its response. */
    public static final Duration LONGEST = Duration.ofSeconds(30);

    /** The longest wait of a call that comes while {@link #FEW} or more calls of its key wait. */
    static final Duration LONG = Duration.ofMillis(1_500);

    /** Fewer waiting calls of a key are not many, however slow the machine is. */
    static final int FEW = 64;

    /** The last calls of a key that its interval depends on. */
    private static final int SAMPLES = 128;

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

        /** Returns the owner for requests without a credential. No tenant has this number. */
        public static Owner stranger(String network) {
            return new Owner(-1, network);
        }

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
        /** The average time between two calls that were served while the key waited; 0 if there were none. */
        private long interval;

        private int samples;

        KeyQueue(long now) {
            servedAt = now;
        }

        void measure(Waiter waiter, long now) {
            if (waiter.since < servedAt) {
                samples = Math.min(samples + 1, SAMPLES);
                interval += (now - servedAt - interval) / samples;
            }
            servedAt = now;
        }

        /** Returns how long a call that comes now would wait. */
        Duration expected() {
            return Duration.ofNanos(interval * (waiting.size() + 1));
        }
    }

    private static final class Waiter {
        private final Condition served;
        private final long since;
        private final Duration longest;
        private boolean isServed;

        Waiter(Condition served, long since, Duration longest) {
            this.served = served;
            this.since = since;
            this.longest = longest;
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    /** The owners that hold or wait for slots, in the order of their turns. */
    private final Map<Long, Tenant> tenants = new LinkedHashMap<>();

    /** The units of a slot. */
    private final int slot;

    private final int share;
    /** The units that are not lent. */
    private final int reserve;

    private final LongSupplier nanos;

    private int free;
    private int waiting;
    private long succeeded;
    private long succeededAt;

    public FairQueue(int slots) {
        this(slots, 1, slots, System::nanoTime);
    }

    /**
     * @param units what is shared, such as memory
     * @param slot how much of it a call takes; it may return some earlier than the rest
     * @param nanos the clock by which calls wait
     */
    public FairQueue(int units, int slot, LongSupplier nanos) {
        this(units, slot, units, nanos);
    }

    /**
     * @param reserve the units that are not lent
     * @param nanos the clock by which calls wait
     */
    FairQueue(int units, int slot, int reserve, LongSupplier nanos) {
        this.nanos = nanos;
        this.reserve = reserve;
        succeededAt = nanos.getAsLong();
        free = units;
        share = Math.max(1, units / 3);
        this.slot = Math.min(slot, share);
    }

    /** Returns a queue that lends what is free beyond a third of its slots to those who hold their share. */
    static FairQueue lending(int slots) {
        return new FairQueue(slots, 1, slots / 3, System::nanoTime);
    }

    /**
     * Waits for a slot; the caller must return it. A call that would wait too long is refused at once.
     *
     * @param patience how long it waits while nothing moves, see {@link #left}; {@link #UNLIMITED} for background work of the
     *     engine, which is not refused
     */
    public SlotResult take(Owner owner, Duration patience) throws InterruptedException {
        return take(owner, patience, LONGEST);
    }

    /** @param longest how long its client waits for it */
    public SlotResult take(Owner owner, Duration patience, Duration longest) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            var key = key(owner);
            if (patience.compareTo(UNLIMITED) < 0 && isTooLong(owner, key, longest)) {
                return refused(owner, key, true);
            }
            return join(owner, key, patience, longest);
        } finally {
            lock.unlock();
        }
    }

    /** Waits for a slot for a call that has already run and had returned its slot. So it is not refused at once. */
    public SlotResult takeAgain(Owner owner, Duration patience) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            return join(owner, key(owner), patience, LONGEST);
        } finally {
            lock.unlock();
        }
    }

    private SlotResult join(Owner owner, KeyQueue key, Duration patience, Duration longest)
            throws InterruptedException {
        var waiter = queued(key, longest);
        handOut();
        return await(owner, key, waiter, patience);
    }

    private boolean isTooLong(Owner owner, KeyQueue key, Duration longest) {
        var ahead = key.waiting.size();
        return waiting >= MOST
                || ahead >= (owner.equals(Owner.ANONYMOUS) ? MOST_OF_ANONYMOUS : MOST_OF_KEY)
                || (ahead > 0
                        && key.expected().compareTo(ahead >= FEW && LONG.compareTo(longest) < 0 ? LONG : longest) > 0);
    }

    /** Returns after how long a refused call should come again: the calls before it have then been served. */
    public Duration pause(Owner owner) {
        lock.lock();
        try {
            var tenant = tenants.get(owner.tenant());
            var key = tenant == null ? null : tenant.keys.get(owner.principal());
            var seconds = key == null
                    ? 0
                    : key.expected().plusSeconds(1).minusNanos(1).toSeconds();
            return Duration.ofSeconds(Math.clamp(seconds, 1, LONGEST.toSeconds()));
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns a slot while others wait, and takes another one after them.
     *
     * @return whether the owner has a slot, and if not, whose fault that is
     */
    public SlotResult pass(Owner owner, Duration patience) throws InterruptedException {
        lock.lock(); // Not interruptibly: the slot is returned in any case.
        try {
            if (waiting == 0) {
                return SlotResult.TAKEN;
            }
            var key = key(owner);
            var waiter = queued(key, LONGEST); // First, so that its tenant keeps its place.
            putLast(owner);
            returned(owner, slot);
            return await(owner, key, waiter, patience);
        } finally {
            lock.unlock();
        }
    }

    private Waiter queued(KeyQueue key, Duration longest) {
        var waiter = new Waiter(lock.newCondition(), nanos.getAsLong(), longest);
        key.waiting.add(waiter);
        waiting++;
        return waiter;
    }

    private SlotResult await(Owner owner, KeyQueue key, Waiter waiter, Duration patience) throws InterruptedException {
        var before = succeeded;
        try {
            for (var left = left(owner, key, waiter, patience);
                    !waiter.isServed && left > 0;
                    left = left(owner, key, waiter, patience)) {
                var _ = waiter.served.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            if (waiter.isServed) {
                returned(owner, slot);
            } else {
                leave(owner, key, waiter);
            }
            throw e;
        }
        if (waiter.isServed) {
            return SlotResult.TAKEN;
        }
        leave(owner, key, waiter);
        return refused(owner, key, succeeded > before);
    }

    private SlotResult refused(Owner owner, KeyQueue key, boolean othersAreServed) {
        forget(owner);
        return owner.isCaller() && key.inUse + slot > share && othersAreServed ? SlotResult.OWN_FAULT : SlotResult.BUSY;
    }

    /**
     * Returns how much longer a call waits. Patience begins again whenever a call is served: many calls that arrive at once at a
     * slow machine only need time. A key that holds its share waits only for its own calls.
     */
    private long left(Owner owner, KeyQueue key, Waiter waiter, Duration patience) {
        if (patience.compareTo(UNLIMITED) >= 0) {
            return Long.MAX_VALUE;
        }
        var now = nanos.getAsLong();
        var ownCallsOnly = owner.isCaller() && key.inUse + slot > share;
        var idle = Math.min(now - waiter.since, now - (ownCallsOnly ? key.servedAt : succeededAt));
        return Math.min(patience.toNanos() - idle, waiter.longest.toNanos() - (now - waiter.since));
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
        giveBack(owner, slot, success);
    }

    /** Returns some units of a slot. */
    public void giveBack(Owner owner, int units, boolean success) {
        lock.lock();
        try {
            if (success) {
                succeeded++;
                succeededAt = nanos.getAsLong();
            }
            returned(owner, units);
        } finally {
            lock.unlock();
        }
    }

    private void returned(Owner owner, int units) {
        tenant(owner).inUse -= units;
        key(owner).inUse -= units;
        free += units;
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
        while (free >= slot && waiting > 0 && (serveOne(true) || (free > reserve && serveOne(false)))) {
            // Serves one call at a time.
        }
    }

    /** Serves the next owner. That owner then becomes the last in its tenant, and the tenant the last of all. */
    private boolean serveOne(boolean withinShares) {
        for (var tenant : tenants.entrySet()) {
            if (withinShares && tenant.getValue().inUse + slot > 2 * share) {
                continue;
            }
            for (var key : tenant.getValue().keys.entrySet()) {
                var owner = new Owner(tenant.getKey(), key.getKey());
                var waiter = withinShares && owner.isCaller() && key.getValue().inUse + slot > share
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
        tenant.inUse += slot;
        key.inUse += slot;
        key.measure(waiter, nanos.getAsLong());
        free -= slot;
        waiting--;
        waiter.isServed = true;
        waiter.served.signal();
    }

    /** Returns the units of a slot. */
    public int slot() {
        return slot;
    }

    /** Returns how many units are free. */
    public int free() {
        lock.lock();
        try {
            return free;
        } finally {
            lock.unlock();
        }
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

package io.agentworkspace.engine.identity.account;

import io.agentworkspace.engine.kernel.changes.CallerChanges;
import java.time.Clock;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * What this replica knows about the tenants that use it. It is read again every second, and before the next use after
 * a plan has changed.
 */
final class UsageCounters {
    private static final Duration REMEMBERED = Duration.ofMinutes(10);
    private static final String TENANT = "tenant:";

    private final Map<Long, UsageCounter> tallies = new ConcurrentHashMap<>();
    private final AtomicLong changes = new AtomicLong();
    private final ReadWriteLock flushing = new ReentrantReadWriteLock();
    private final UsageStore store;
    private final Clock clock;

    /** @param watch reports changed plans */
    UsageCounters(UsageStore store, CallerChanges watch, Clock clock) {
        this.store = store;
        this.clock = clock;
        watch.onChange(this::changed);
    }

    /**
     * Commands to add to the database's count.
     *
     * @param upTo how many commands had been run here by then
     */
    record Made(UsageCounter.Day day, UsageStore.CountedCall ran, long upTo) {}

    /** Handles a reported change. A change that is missed here takes effect with the counts, a second later. */
    private void changed(String what) {
        if (what.startsWith(TENANT)) {
            changes.incrementAndGet();
            forget(Long.parseLong(what.substring(TENANT.length())));
        }
    }

    /** Discards what is known about the tenant, since its plan has changed. */
    void forget(long tenant) {
        find(tenant).ifPresent(UsageCounter::forget);
    }

    /** Returns what is known about a tenant; empty if nothing is. */
    Optional<UsageCounter> find(long tenant) {
        return Optional.ofNullable(tallies.get(tenant));
    }

    /** Returns a tenant's counter. If its data is missing or stale, it is read first: one round trip. */
    UsageCounter of(long tenant) {
        var counter = tallies.computeIfAbsent(tenant, UsageCounter::new);
        counter.used(clock.millis());
        if (!counter.isKnown()) {
            read(counter);
        }
        return counter;
    }

    /**
     * Reads a counter, but never while commands are being added. So the result contains either all commands that
     * this replica treats as counted, or none. The lock for flushing is taken before the counter's own, as in a
     * flush.
     */
    private void read(UsageCounter counter) {
        flushing.readLock().lock();
        try {
            synchronized (counter) {
                if (!counter.isKnown()) {
                    readAll(List.of(counter));
                }
            }
        } catch (RuntimeException e) {
            counter.forget();
            throw e;
        } finally {
            flushing.readLock().unlock();
        }
    }

    private void readAll(List<UsageCounter> some) {
        var day = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
        var before = changes.get();
        var created = new HashMap<Long, long[]>();
        some.forEach(counter -> created.put(counter.tenant, counter.beforeRead()));
        var found = store.read(created.keySet(), day).stream()
                .collect(Collectors.toMap(UsageStore.TenantUsage::tenant, usage -> usage));
        for (var counter : some) {
            var usage = found.get(counter.tenant);
            if (usage != null) {
                var createdBefore = Objects.requireNonNull(created.get(counter.tenant));
                counter.read(usage.plan(), usage.counts(), createdBefore, day.toEpochDay());
            }
        }
        if (changes.get() != before) {
            some.forEach(UsageCounter::forget); // A change was reported meanwhile, so what was read may be outdated.
        }
    }

    /** Writes the commands run since the last flush, and reads the counts of all replicas. */
    void flush(Consumer<List<Made>> write) {
        flushing.writeLock().lock();
        try {
            write.accept(made());
            var idle = clock.instant().minus(REMEMBERED).toEpochMilli();
            tallies.values().removeIf(counter -> counter.isIdle(idle));
            if (!tallies.isEmpty()) {
                readAll(List.copyOf(tallies.values()));
            }
        } finally {
            flushing.writeLock().unlock();
        }
    }

    private List<Made> made() {
        var made = new ArrayList<Made>();
        for (var counter : tallies.values()) {
            for (var day : counter.days()) {
                var upTo = day.made();
                if (upTo > day.flushed()) {
                    var key = new UsageStore.CountedCall.Day(counter.tenant, LocalDate.ofEpochDay(day.number));
                    made.add(new Made(day, new UsageStore.CountedCall(key, upTo - day.flushed()), upTo));
                }
            }
        }
        return made;
    }
}

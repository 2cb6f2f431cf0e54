package io.agentworkspace.engine.account;

import io.agentworkspace.engine.model.plan.Plan;
import io.agentworkspace.engine.model.plan.Scope;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/** What one replica knows of one tenant: its plan, what the database has counted, and what was done here since. */
final class UsageCounter {
    private static final int SCOPES = Scope.values().length;

    final long tenant;
    private volatile @Nullable Counts latest;
    private volatile Day today = new Day(Long.MIN_VALUE);
    /** Until all of it is counted. */
    private volatile @Nullable Day before;

    private final AtomicLongArray created = new AtomicLongArray(SCOPES);
    private volatile boolean stale = true;
    private volatile long usedAt;

    UsageCounter(long tenant) {
        this.tenant = tenant;
    }

    /**
     * What was read last.
     *
     * @param created what had been created here before it was read
     */
    private record Counts(Plan plan, long[] counts, long[] created) {}

    /** The commands of a UTC day, by its number since 1970. */
    static final class Day {
        final long number;
        private final AtomicLong made = new AtomicLong();
        private volatile Counted counted = new Counted(0, 0);

        private Day(long number) {
            this.number = number;
        }

        /** @param flushed how many of those made here are in the count */
        private record Counted(long count, long flushed) {}

        long count() {
            var known = counted;
            return known.count + made.get() - known.flushed;
        }

        private boolean take(long limit) {
            while (true) {
                var known = counted;
                var before = made.get();
                if (known.count + before - known.flushed >= limit) {
                    return false;
                } else if (made.compareAndSet(before, before + 1)) {
                    return true;
                }
            }
        }

        long made() {
            return made.get();
        }

        /** How many of those made here are in the database's count. */
        long flushed() {
            return counted.flushed;
        }

        /** The database has counted so many, with the first {@code flushed} of those made here. */
        void counted(long count, long flushed) {
            counted = new Counted(count, flushed);
        }

        /** What was read while nothing was being counted. */
        void read(long count) {
            counted = new Counted(count, counted.flushed);
        }
    }

    boolean isKnown() {
        return !stale && latest != null;
    }

    /** Its plan is another one: to be read before it is used again. */
    void forget() {
        stale = true;
    }

    /** Before reading: what is changed from now on makes it stale again. */
    long[] beforeRead() {
        stale = false;
        var now = new long[SCOPES];
        for (var i = 0; i < SCOPES; i++) {
            now[i] = created.get(i);
        }
        return now;
    }

    /** @param createdBefore what {@link #beforeRead} said */
    void read(Plan plan, Map<Scope, Long> counts, long[] createdBefore, long day) {
        var found = new long[SCOPES];
        counts.forEach((scope, count) -> found[scope.ordinal()] = count);
        latest = new Counts(plan, found, createdBefore);
        var commands = on(day);
        if (commands.number == day) {
            commands.read(found[Scope.COMMANDS.ordinal()]);
        }
    }

    Plan plan() {
        var known = latest;
        return known == null ? Plan.UNLIMITED : known.plan;
    }

    /** How many there are, as far as this replica knows. */
    long count(Scope scope, long day) {
        if (!scope.isStanding()) {
            return on(day).count();
        }
        var known = latest;
        var i = scope.ordinal();
        return known == null ? 0 : known.counts[i] + created.get(i) - known.created[i];
    }

    void created(Scope scope, long count) {
        created.addAndGet(scope.ordinal(), count);
    }

    /** Counts a call of a tool, unless there were as many already. */
    boolean run(long day, long limit) {
        return on(day).take(limit);
    }

    void used(long now) {
        usedAt = now;
    }

    private Day on(long day) {
        var current = today;
        if (current.number == day) {
            return current;
        }
        synchronized (this) {
            if (today.number < day) {
                before = today;
                today = new Day(day);
            }
            return today;
        }
    }

    /** The days of which something may be waiting to be counted. */
    Day[] days() {
        var earlier = before;
        return earlier == null ? new Day[] {today} : new Day[] {earlier, today};
    }

    /** Whether nobody has asked for it since then, and nothing waits to be counted. */
    boolean isIdle(long since) {
        for (var day : days()) {
            if (day.made() != day.flushed()) {
                return false;
            }
        }
        return usedAt < since;
    }
}

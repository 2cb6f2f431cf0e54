package io.agentworkspace.engine.identity.account;

import io.agentworkspace.engine.model.plan.Plan;
import io.agentworkspace.engine.model.plan.Scope;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/** What one replica knows about one tenant: its plan, the database's counts, and what was done here since. */
final class UsageCounter {
    private static final int SCOPES = Scope.values().length;

    final long tenant;
    private volatile @Nullable Counts latest;
    private volatile Day today = new Day(Long.MIN_VALUE);
    /** The previous day. It is kept until all of its commands are counted. */
    private volatile @Nullable Day before;

    private final AtomicLongArray created = new AtomicLongArray(SCOPES);
    private volatile boolean stale = true;
    private volatile long usedAt;

    UsageCounter(long tenant) {
        this.tenant = tenant;
    }

    /**
     * The counts as last read.
     *
     * @param created what had been created here before the read, less what had ended
     */
    private record Counts(Plan plan, long[] counts, long[] created) {}

    /** The commands of a UTC day, identified by its number since 1970. */
    static final class Day {
        final long number;
        private final AtomicLong made = new AtomicLong();
        private volatile Count counted = new Count(0, 0);

        private Day(long number) {
            this.number = number;
        }

        /** @param flushed how many of the commands run here are in the count */
        private record Count(long count, long flushed) {}

        long count() {
            var snapshot = counted;
            return snapshot.count + made.get() - snapshot.flushed;
        }

        private boolean take(long limit) {
            while (true) {
                var snapshot = counted;
                var before = made.get();
                if (snapshot.count + before - snapshot.flushed >= limit) {
                    return false;
                } else if (made.compareAndSet(before, before + 1)) {
                    return true;
                }
            }
        }

        long made() {
            return made.get();
        }

        /** Returns how many of the commands run here are in the database's count. */
        long flushed() {
            return counted.flushed;
        }

        /** Sets the database's count, which includes the first {@code flushed} commands run here. */
        void counted(long count, long flushed) {
            counted = new Count(count, flushed);
        }

        /** Sets the count as read while no commands were being added. */
        void read(long count) {
            counted = new Count(count, counted.flushed);
        }
    }

    boolean isKnown() {
        return !stale && latest != null;
    }

    /** Marks the tenant's data as stale: it is read again before its next use, since the plan has changed. */
    void forget() {
        stale = true;
    }

    /** Begins a read: a change from now on marks the data as stale again. Returns what was created here so far, less what ended. */
    long[] beforeRead() {
        stale = false;
        var now = new long[SCOPES];
        for (var i = 0; i < SCOPES; i++) {
            now[i] = created.get(i);
        }
        return now;
    }

    /** @param createdBefore the result of {@link #beforeRead} */
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
        var snapshot = latest;
        return snapshot == null ? Plan.UNLIMITED : snapshot.plan;
    }

    /** Returns the count of a scope, as far as this replica knows. */
    long count(Scope scope, long day) {
        if (!scope.isStanding()) {
            return on(day).count();
        }
        var snapshot = latest;
        var i = scope.ordinal();
        return snapshot == null ? 0 : snapshot.counts[i] + created.get(i) - snapshot.created[i];
    }

    void created(Scope scope, long count) {
        created.addAndGet(scope.ordinal(), count);
    }

    /** Counts a call of a tool. Returns false, without counting, if the limit is reached. */
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

    /** Returns the days that may have commands still to be counted. */
    Day[] days() {
        var earlier = before;
        return earlier == null ? new Day[] {today} : new Day[] {earlier, today};
    }

    /** Returns whether the tenant was not used since then, and has nothing left to be counted. */
    boolean isIdle(long since) {
        for (var day : days()) {
            if (day.made() != day.flushed()) {
                return false;
            }
        }
        return usedAt < since;
    }
}

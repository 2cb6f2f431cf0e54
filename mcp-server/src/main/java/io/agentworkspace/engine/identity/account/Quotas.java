package io.agentworkspace.engine.identity.account;

import io.agentworkspace.engine.kernel.changes.CallerChanges;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.events.EventLog;
import io.agentworkspace.engine.model.event.Event;
import io.agentworkspace.engine.model.event.EventData;
import io.agentworkspace.engine.model.event.EventType;
import io.agentworkspace.engine.model.plan.Scope;
import io.agentworkspace.engine.model.problem.LimitExceeded;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Allowance;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Caller;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * The limits of tenants' plans. Commands are counted in memory. Every second the counts are written and those of all
 * replicas are read, so that no request waits for it. What other replicas counted in the last two seconds is not
 * known. Counts (agents, banks, …) are limited exactly, by the database; this class only reports them.
 */
public final class Quotas {
    private static final long DAY_SECONDS = Duration.ofDays(1).toSeconds();
    private static final int MOST_WAITING = 10_000;

    private final Map<UsageStore.QuotaNotice.NoticeKey, UsageStore.QuotaNotice> rejected = new ConcurrentHashMap<>();
    private final Db db;
    private final UsageStore store;
    private final UsageCounters counters;
    private final EventLog events;
    private final Clock clock;

    /** @param watch reports changed plans */
    public Quotas(Db db, CallerChanges watch, EventLog events, Clock clock) {
        this.db = db;
        this.store = new UsageStore(db);
        this.counters = new UsageCounters(store, watch, clock);
        this.events = events;
        this.clock = clock;
    }

    /**
     * Counts a call of a metered tool.
     *
     * @throws Problem {@code quota_exceeded} if the plan allows no more today
     */
    public void count(Call call) {
        var counter = counters.of(call.caller().tenant());
        var day = day(call.now());
        var limit = counter.plan().limit(Scope.COMMANDS).orElse(Long.MAX_VALUE);
        if (!counter.run(day, limit)) {
            var excess = new LimitExceeded(Scope.COMMANDS, limit, counter.count(Scope.COMMANDS, day), counter.plan());
            throw Problem.quotaExceeded(excess, call.now(), midnight(day + 1));
        }
    }

    /** Records what the call created and ended, once its transaction is committed. */
    public void done(Call call) {
        counters.find(call.caller().tenant())
                .ifPresent(counter -> call.counted().forEach(counter::created));
        if (call.events().stream().anyMatch(event -> event.type() == EventType.BILLING_PLAN_CHANGED)) {
            counters.forget(call.caller().tenant());
        }
    }

    /** Records that a call was refused because of this limit. An event reports it soon. */
    public void rejected(Caller caller, String service, LimitExceeded excess) {
        if (rejected.size() < MOST_WAITING) {
            var key = new UsageStore.QuotaNotice.NoticeKey(caller.tenant(), excess.scope(), "rejected", 0);
            rejected.computeIfAbsent(key, _ -> rejection(key, service, excess));
        }
    }

    private UsageStore.QuotaNotice rejection(
            UsageStore.QuotaNotice.NoticeKey key, String service, LimitExceeded excess) {
        var data =
                new EventData.RequestRejected(excess.scope(), excess.limit(), excess.count(), excess.plan(), service);
        var now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        var event = Event.of(EventType.QUOTA_REQUEST_REJECTED, now, data);
        return new UsageStore.QuotaNotice(key, now, event);
    }

    /** Returns what is left of today's commands; empty if they are not limited, or the count is not known now. */
    public List<Allowance> commands(Caller caller) {
        return left(caller, Scope.COMMANDS);
    }

    /** Returns today's commands, as far as this replica knows; 0 if the count is not known now. */
    long ran(Caller caller) {
        try {
            return counters.of(caller.tenant()).count(Scope.COMMANDS, day(clock.instant()));
        } catch (Problem unreachable) {
            return 0;
        }
    }

    /** Returns what is left of a scope; empty if it is not limited, or the count is not known now. */
    List<Allowance> left(Caller caller, Scope scope) {
        UsageCounter counter;
        try {
            counter = counters.of(caller.tenant());
        } catch (Problem unreachable) {
            return List.of();
        }
        var limit = counter.plan().limit(scope);
        if (limit.isEmpty()) {
            return List.of();
        }
        var now = clock.instant();
        var left = Math.max(0, limit.getAsLong() - counter.count(scope, day(now)));
        return List.of(
                scope.isStanding()
                        ? new Allowance(scope.word(), limit.getAsLong(), left, null, null)
                        : new Allowance(scope.word(), limit.getAsLong(), left, DAY_SECONDS, untilMidnight(now)));
    }

    private static long untilMidnight(Instant now) {
        return DAY_SECONDS - Math.floorMod(now.getEpochSecond(), DAY_SECONDS);
    }

    /** Returns the number of the UTC day since 1970. */
    private static long day(Instant now) {
        return Math.floorDiv(now.getEpochSecond(), DAY_SECONDS);
    }

    private static Instant midnight(long day) {
        return Instant.ofEpochSecond(day * DAY_SECONDS);
    }

    /** Deletes what has expired. */
    public void purge(Instant now) {
        store.purge(now);
    }

    /** Writes the new counts with the events about them, and reads the counts of all replicas. */
    public void flush() {
        counters.flush(this::write);
    }

    private record Written(List<UsageStore.Raised> commands, boolean hasNotices) {}

    private void write(List<UsageCounters.Made> made) {
        var refusals = List.copyOf(rejected.values());
        var written = db.transaction(() -> write(made, refusals));
        var counts = new HashMap<UsageStore.CountedCall.Day, Long>();
        written.commands()
                .forEach(raised -> counts.put(
                        new UsageStore.CountedCall.Day(raised.tenant(), Objects.requireNonNull(raised.day())),
                        raised.after()));
        made.forEach(one -> one.day().counted(counts.getOrDefault(one.ran().key(), 0L), one.upTo()));
        refusals.forEach(notice -> rejected.remove(notice.key(), notice));
        if (written.hasNotices()) {
            events.committed();
        }
    }

    private Written write(List<UsageCounters.Made> made, List<UsageStore.QuotaNotice> refusals) {
        var commands = made.isEmpty()
                ? List.<UsageStore.Raised>of()
                : store.add(made.stream().map(UsageCounters.Made::ran).toList());
        var now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        var notices = new LinkedHashMap<UsageStore.QuotaNotice.NoticeKey, UsageStore.QuotaNotice>();
        refusals.forEach(one -> notices.put(one.key(), one));
        Stream.concat(commands.stream(), store.rollUp().stream())
                .flatMap(raised -> Thresholds.crossed(raised, now))
                .forEach(one -> notices.put(one.key(), one));
        return new Written(commands, !notices.isEmpty() && store.publish(notices.values()));
    }
}

package io.agentworkspace.engine.account;

import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.events.EventLog;
import io.agentworkspace.engine.keys.CallerChanges;
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
 * The limits of tenants' plans. Commands are counted in memory and written every second, when the counts of all replicas are
 * read too, so that no request waits for it: what others did in the last two seconds is not known. Counts (agents, banks, …) are
 * limited exactly, by the database itself; here they are only reported.
 */
public final class Quotas {
    private static final long DAY_SECONDS = Duration.ofDays(1).toSeconds();
    private static final int MOST_WAITING = 10_000;

    private final Map<UsageStore.News.Key, UsageStore.News> rejected = new ConcurrentHashMap<>();
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
     * @throws Problem {@code quota_exceeded} when the plan allows no more today
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

    /** The call's transaction is committed. */
    public void done(Call call) {
        counters.find(call.caller().tenant())
                .ifPresent(counter -> call.created().forEach(counter::created));
        if (call.events().stream().anyMatch(event -> event.type() == EventType.BILLING_PLAN_CHANGED)) {
            counters.forget(call.caller().tenant());
        }
    }

    /** Records that a call was refused for this; an event reports it soon. */
    public void rejected(Caller caller, String service, LimitExceeded excess) {
        if (rejected.size() < MOST_WAITING) {
            var key = new UsageStore.News.Key(caller.tenant(), excess.scope(), "rejected", 0);
            rejected.computeIfAbsent(key, _ -> rejection(key, service, excess));
        }
    }

    private UsageStore.News rejection(UsageStore.News.Key key, String service, LimitExceeded excess) {
        var data =
                new EventData.RequestRejected(excess.scope(), excess.limit(), excess.count(), excess.plan(), service);
        var now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        var event = Event.of(EventType.QUOTA_REQUEST_REJECTED, now, data);
        return new UsageStore.News(key, now, event);
    }

    /** What is left of today's commands; empty if that is not limited, or not known now. */
    public List<Allowance> commands(Caller caller) {
        return left(caller, Scope.COMMANDS);
    }

    /** The commands of today, as far as this replica knows; 0 if that is not known now. */
    long ran(Caller caller) {
        try {
            return counters.of(caller.tenant()).count(Scope.COMMANDS, day(clock.instant()));
        } catch (Problem unreachable) {
            return 0;
        }
    }

    /** What is left of a scope; empty if it is not limited, or not known now. */
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

    /** The number of the UTC day, since 1970. */
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

    /** Writes what was counted since the last time, with the events about it, and reads what others have counted. */
    public void flush() {
        counters.flush(this::write);
    }

    private record Written(List<UsageStore.Raised> commands, boolean told) {}

    private void write(List<UsageCounters.Made> made) {
        var refusals = List.copyOf(rejected.values());
        var written = db.transaction(() -> write(made, refusals));
        var counts = new HashMap<UsageStore.Ran.Day, Long>();
        written.commands()
                .forEach(raised -> counts.put(
                        new UsageStore.Ran.Day(raised.tenant(), Objects.requireNonNull(raised.day())), raised.after()));
        made.forEach(one -> one.day().counted(counts.getOrDefault(one.ran().key(), 0L), one.upTo()));
        refusals.forEach(news -> rejected.remove(news.key(), news));
        if (written.told()) {
            events.committed();
        }
    }

    private Written write(List<UsageCounters.Made> made, List<UsageStore.News> refusals) {
        var commands = made.isEmpty()
                ? List.<UsageStore.Raised>of()
                : store.add(made.stream().map(UsageCounters.Made::ran).toList());
        var now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        var news = new LinkedHashMap<UsageStore.News.Key, UsageStore.News>();
        refusals.forEach(one -> news.put(one.key(), one));
        Stream.concat(commands.stream(), store.rollUp().stream())
                .flatMap(raised -> Thresholds.crossed(raised, now))
                .forEach(one -> news.put(one.key(), one));
        return new Written(commands, !news.isEmpty() && store.tell(news.values()));
    }
}

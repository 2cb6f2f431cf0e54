package io.agentworkspace.engine.store;

import io.agentworkspace.engine.model.Allowance;
import io.agentworkspace.engine.model.Call;
import io.agentworkspace.engine.model.Caller;
import io.agentworkspace.engine.model.Event;
import io.agentworkspace.engine.model.EventData;
import io.agentworkspace.engine.model.EventType;
import io.agentworkspace.engine.model.Excess;
import io.agentworkspace.engine.model.Problem;
import io.agentworkspace.engine.model.Scope;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the plans of tenants leave them. Commands are counted in memory and written every second, when the counts of all
 * replicas are read too, so that no request waits for it: what others did in the last two seconds is not known. What there is,
 * is counted and limited by the database itself, exactly; here it is only told.
 */
public final class Quotas {
    /** What an owner needs to get on: neither counted nor refused. */
    private static final Set<String> FREE = Set.of("US_Read", "AC_Read", "AC_ChangePlan");

    private static final Duration REMEMBERED = Duration.ofMinutes(10);
    private static final long DAY_SECONDS = Duration.ofDays(1).toSeconds();
    private static final int MOST_WAITING = 10_000;
    private static final String TENANT = "tenant:";

    private final Map<Long, Tally> tallies = new ConcurrentHashMap<>();
    private final Map<UsageStore.News.Key, UsageStore.News> rejected = new ConcurrentHashMap<>();
    private final AtomicLong changes = new AtomicLong();
    private final ReadWriteLock flushing = new ReentrantReadWriteLock();
    private final Db db;
    private final UsageStore store;
    private final EventLog events;
    private final Clock clock;

    /** @param watch hears of changed plans */
    public Quotas(Db db, CallersWatch watch, EventLog events, Clock clock) {
        this.db = db;
        this.store = new UsageStore(db);
        this.events = events;
        this.clock = clock;
        watch.onChange(this::changed);
    }

    /** What is not heard here is read with the counts, a second later. */
    private void changed(String what) {
        if (what.startsWith(TENANT)) {
            changes.incrementAndGet();
            forget(Long.parseLong(what.substring(TENANT.length())));
        }
    }

    private void forget(long tenant) {
        var tally = tallies.get(tenant);
        if (tally != null) {
            tally.forget();
        }
    }

    /** Where nothing is known yet, or no longer, it is read: a round trip for a tenant that comes to this replica. */
    private Tally tally(long tenant) {
        var tally = tallies.computeIfAbsent(tenant, Tally::new);
        if (!tally.isKnown()) {
            synchronized (tally) {
                if (!tally.isKnown()) {
                    read(tally);
                }
            }
        }
        return tally;
    }

    /** Never while commands are being added: what is read has all of them that this replica takes for counted, or none. */
    private void read(Tally tally) {
        flushing.readLock().lock();
        try {
            readAll(List.of(tally));
        } catch (RuntimeException e) {
            tally.forget();
            throw e;
        } finally {
            flushing.readLock().unlock();
        }
    }

    private void readAll(List<Tally> some) {
        var day = today();
        var before = changes.get();
        var created = new HashMap<Long, long[]>();
        some.forEach(tally -> created.put(tally.tenant, tally.beforeRead()));
        var found = store.read(created.keySet(), day).stream()
                .collect(Collectors.toMap(UsageStore.Known::tenant, known -> known));
        for (var tally : some) {
            var known = found.get(tally.tenant);
            if (known != null) {
                var createdBefore = Objects.requireNonNull(created.get(tally.tenant));
                tally.read(known.plan(), known.counts(), createdBefore, day.toEpochDay());
            }
        }
        if (changes.get() != before) {
            some.forEach(Tally::forget); // What was read may be older than what was heard.
        }
    }

    /**
     * Counts a call of a tool.
     *
     * @throws Problem {@code quota_exceeded} when the plan allows no more today
     */
    public void count(Call call) {
        if (FREE.contains(call.service())) {
            return;
        }
        var tally = tally(call.caller().tenant());
        var day = day(call.now());
        var limit = tally.plan().limit(Scope.COMMANDS).orElse(Long.MAX_VALUE);
        if (!tally.run(day, limit, call.now().toEpochMilli())) {
            var excess = new Excess(Scope.COMMANDS, limit, tally.count(Scope.COMMANDS, day), tally.plan());
            throw Problem.quotaExceeded(excess, call.now(), midnight(day + 1));
        }
    }

    /** To be said once the call's transaction is committed. */
    public void done(Call call) {
        var tally = tallies.get(call.caller().tenant());
        if (tally != null) {
            call.created().forEach(tally::created);
        }
        if (call.events().stream().anyMatch(event -> event.type() == EventType.BILLING_PLAN_CHANGED)) {
            forget(call.caller().tenant());
        }
    }

    /** Notes that a call was refused for this, to be told soon. */
    public void rejected(Caller caller, String service, Excess excess) {
        if (rejected.size() < MOST_WAITING) {
            var key = new UsageStore.News.Key(caller.tenant(), excess.scope(), "rejected");
            rejected.computeIfAbsent(key, _ -> rejection(caller, service, excess));
        }
    }

    private UsageStore.News rejection(Caller caller, String service, Excess excess) {
        var data = new EventData.RequestRejected(
                excess.scope().word(),
                excess.limit(),
                excess.count(),
                excess.plan().word(),
                service);
        var now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        var event = Event.of(EventType.QUOTA_REQUEST_REJECTED, now, data);
        return new UsageStore.News(caller.tenant(), excess.scope(), "rejected", now, event);
    }

    /** What is left of today's commands; nothing where that is not limited, or cannot be told now. */
    public List<Allowance> commands(Caller caller) {
        return left(caller, Scope.COMMANDS);
    }

    /** The commands of today, as far as this replica knows; 0 where it cannot tell now. */
    public long ran(Caller caller) {
        try {
            return tally(caller.tenant()).count(Scope.COMMANDS, day(clock.instant()));
        } catch (Problem unreachable) {
            return 0;
        }
    }

    /** What is left of a scope; nothing where it is not limited, or cannot be told now. */
    public List<Allowance> left(Caller caller, Scope scope) {
        Tally tally;
        try {
            tally = tally(caller.tenant());
        } catch (Problem unreachable) {
            return List.of();
        }
        var limit = tally.plan().limit(scope);
        if (limit.isEmpty()) {
            return List.of();
        }
        var now = clock.instant();
        var left = Math.max(0, limit.getAsLong() - tally.count(scope, day(now)));
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

    private LocalDate today() {
        return LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
    }

    /** Clears away what is older than it is kept. */
    public void purge(Instant now) {
        store.purge(LocalDate.ofInstant(now, ZoneOffset.UTC));
    }

    /** Writes what was counted since the last time, tells what there is to tell, and reads what others have counted. */
    public void flush() {
        flushing.writeLock().lock();
        try {
            write();
            var idle = clock.instant().minus(REMEMBERED).toEpochMilli();
            tallies.values().removeIf(tally -> tally.isIdle(idle));
            if (!tallies.isEmpty()) {
                readAll(List.copyOf(tallies.values()));
            }
        } finally {
            flushing.writeLock().unlock();
        }
    }

    /** @param upTo how many had been made here by then */
    private record Made(Tally.Day day, UsageStore.Ran ran, long upTo) {}

    private record Written(List<UsageStore.Raised> commands, boolean told) {}

    private void write() {
        var made = made();
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

    private Written write(List<Made> made, List<UsageStore.News> refusals) {
        var commands = made.isEmpty()
                ? List.<UsageStore.Raised>of()
                : store.add(made.stream().map(Made::ran).toList());
        var now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        var news = new LinkedHashMap<UsageStore.News.Key, UsageStore.News>();
        refusals.forEach(one -> news.put(one.key(), one));
        Stream.concat(commands.stream(), store.rollUp().stream())
                .flatMap(raised -> Thresholds.crossed(raised, now))
                .forEach(one -> news.put(one.key(), one));
        return new Written(commands, !news.isEmpty() && store.tell(news.values()));
    }

    private List<Made> made() {
        var made = new ArrayList<Made>();
        for (var tally : tallies.values()) {
            for (var day : tally.days()) {
                var upTo = day.made();
                if (upTo > day.flushed()) {
                    var key = new UsageStore.Ran.Day(tally.tenant, LocalDate.ofEpochDay(day.number));
                    made.add(new Made(day, new UsageStore.Ran(key, upTo - day.flushed()), upTo));
                }
            }
        }
        return made;
    }
}

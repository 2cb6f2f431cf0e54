package io.agentworkspace.engine.http.limits;

import io.agentworkspace.engine.account.RateStore;
import io.agentworkspace.engine.account.RateStore.Asker;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Allowance;
import io.agentworkspace.engine.model.tool.Caller;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.http.HttpFields;

/**
 * The rate limit of each key or session. Each has a bucket on each replica, which decides, and one in the database, with which
 * those are synchronised every second: requests that other replicas admitted count here from then on. With a single replica
 * the synchronisation changes nothing.
 */
public final class CallerLimit implements Allowance.Meter {
    /** How many bursts at most a caller has to wait off that got too much from several replicas at once. */
    private static final int MOST_OWED = 25;

    /** How long a statement may take to arrive. */
    private static final Duration LEEWAY = Duration.ofMillis(250);

    private final RequestRate rate;
    private final RateBuckets<Asker> buckets;

    /** Admitted requests that are not settled yet; a caller stays, with none, until its bucket is full. */
    private final Map<Asker, Long> spent = new ConcurrentHashMap<>();

    private long settledAt = System.nanoTime();

    public CallerLimit(RequestRate rate, Clock clock) {
        this.rate = rate;
        this.buckets = new RateBuckets<>(rate, most(rate), clock);
    }

    /** How far a bucket can be from being full. */
    private static Duration most(RequestRate rate) {
        return rate.window().multipliedBy(1 + MOST_OWED);
    }

    private static Asker asker(Caller caller) {
        return new Asker(caller.tenant(), caller.principal());
    }

    /**
     * Takes one token.
     *
     * @throws Problem {@code rate_limited} when there is none
     */
    public void take(Caller caller, HttpFields.Mutable headers) {
        var asker = asker(caller);
        buckets.take(asker, headers);
        if (!rate.isOff() && (spent.size() < RateBuckets.MAX || spent.containsKey(asker))) {
            spent.merge(asker, 1L, Long::sum);
        }
    }

    /** What is left; empty where there is no limit. */
    @Override
    public List<Allowance> left(Caller caller) {
        return buckets.left(asker(caller)).stream().toList();
    }

    /**
     * Adds what was admitted here to the database, and reads what was admitted elsewhere. What cannot be written is dropped: while
     * the database is unavailable each replica counts alone, and callers are not charged for that afterwards.
     */
    public synchronized void settle(RateStore store) {
        var now = System.nanoTime();
        var age = Duration.ofNanos(now - settledAt).plus(LEEWAY);
        settledAt = now;
        var made = drained();
        if (!made.isEmpty()) {
            var waits = store.add(new RateStore.Spent(made, age, rate.perSecond(), most(rate)));
            var late = Duration.ofNanos(System.nanoTime() - now).minus(LEEWAY); // The age was that much too low.
            waits.forEach((asker, wait) ->
                    settle(asker, late.isPositive() ? wait.minus(late) : wait, made.getOrDefault(asker, 0L)));
        }
    }

    private Map<Asker, Long> drained() {
        var made = new HashMap<Asker, Long>();
        spent.keySet().forEach(asker -> made.put(asker, Objects.requireNonNull(spent.put(asker, 0L))));
        return made;
    }

    private void settle(Asker asker, Duration untilFull, long made) {
        var missing = Math.max(0, (long) Math.ceil(untilFull.toNanos() / 1e9 * rate.perSecond()));
        buckets.leave(asker, rate.burst() - missing - spent.getOrDefault(asker, 0L));
        if (missing == 0 && made == 0) {
            spent.remove(asker, 0L);
        }
    }
}

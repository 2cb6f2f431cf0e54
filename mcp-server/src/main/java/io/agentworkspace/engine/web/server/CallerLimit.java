package io.agentworkspace.engine.web.server;

import io.agentworkspace.engine.identity.account.RateStore;
import io.agentworkspace.engine.identity.account.RateStore.CallerId;
import io.agentworkspace.engine.kernel.http.RateBuckets;
import io.agentworkspace.engine.kernel.http.RequestRate;
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
 * The rate limit of each key or session. The bucket on each replica decides. Every second it is synchronized with one
 * in the database, so that requests that other replicas admitted count here from then on. With a single replica, the
 * synchronisation changes nothing.
 */
public final class CallerLimit implements Allowance.Meter {
    /** The most that a caller can owe, in bursts, after several replicas admitted too many requests at once. */
    private static final int MOST_OWED = 25;

    /** How long a statement may take to arrive. */
    private static final Duration LEEWAY = Duration.ofMillis(250);

    private final RequestRate rate;
    private final RateBuckets<CallerId> buckets;

    /** Admitted requests that are not written yet. A caller stays here, with zero, until its bucket is full. */
    private final Map<CallerId, Long> spent = new ConcurrentHashMap<>();

    private long settledAt = System.nanoTime();

    public CallerLimit(RequestRate rate, Clock clock) {
        this.rate = rate;
        this.buckets = new RateBuckets<>(rate, most(rate), clock);
    }

    /** Returns the longest time that a bucket can need to fill. */
    private static Duration most(RequestRate rate) {
        return rate.window().multipliedBy(1 + MOST_OWED);
    }

    private static CallerId callerId(Caller caller) {
        return new CallerId(caller.tenant(), caller.principal());
    }

    /**
     * Takes one token.
     *
     * @throws Problem {@code rate_limited} if there is none
     */
    public void take(Caller caller, HttpFields.Mutable headers) {
        var id = callerId(caller);
        buckets.take(id, headers);
        if (!rate.isOff() && (spent.size() < RateBuckets.MAX || spent.containsKey(id))) {
            spent.merge(id, 1L, Long::sum);
        }
    }

    /** Takes one token for a further call of a request, whose response has the limits already. */
    public void take(Caller caller) {
        take(caller, HttpFields.build());
    }

    /** Returns what is left; empty if there is no limit. */
    @Override
    public List<Allowance> left(Caller caller) {
        return buckets.left(callerId(caller)).stream().toList();
    }

    /**
     * Adds what was admitted here to the database, and reads what was admitted elsewhere. What cannot be written is
     * dropped: while the database is unavailable, each replica counts alone, and callers are not charged for that
     * afterwards.
     */
    public synchronized void settle(RateStore store) {
        var now = System.nanoTime();
        var age = Duration.ofNanos(now - settledAt).plus(LEEWAY);
        settledAt = now;
        var made = drained();
        if (!made.isEmpty()) {
            var waits = store.add(new RateStore.Spent(made, age, rate.perSecond(), most(rate)));
            var late = Duration.ofNanos(System.nanoTime() - now).minus(LEEWAY); // The age was too low by this time.
            waits.forEach(
                    (id, wait) -> settle(id, late.isPositive() ? wait.minus(late) : wait, made.getOrDefault(id, 0L)));
        }
    }

    private Map<CallerId, Long> drained() {
        var made = new HashMap<CallerId, Long>();
        spent.keySet().forEach(id -> made.put(id, Objects.requireNonNull(spent.put(id, 0L))));
        return made;
    }

    private void settle(CallerId id, Duration untilFull, long made) {
        var missing = Math.max(0, (long) Math.ceil(untilFull.toNanos() / 1e9 * rate.perSecond()));
        buckets.leave(id, rate.burst() - missing - spent.getOrDefault(id, 0L));
        if (missing == 0 && made == 0) {
            spent.remove(id, 0L);
        }
    }
}

package io.agentworkspace.engine.kernel.http;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Allowance;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.TimeMeter;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.PreEncodedHttpField;

/**
 * A token bucket for each caller or address {@code K}, shown in the headers {@code RateLimit-Policy} and
 * {@code RateLimit} of the IETF draft (draft-ietf-httpapi-ratelimit-headers-11). A full bucket that is not used is
 * dropped, so their number is limited.
 */
public final class RateBuckets<K> {
    public static final int MAX = 100_000;

    private final RequestRate rate;
    private final TimeMeter time;
    private final Cache<K, Bucket> buckets;
    private final HttpField policy;

    public RateBuckets(RequestRate rate, Clock clock) {
        this(rate, rate.window(), clock);
    }

    /** @param most how long a bucket can take to fill */
    public RateBuckets(RequestRate rate, Duration most, Clock clock) {
        this.rate = rate;
        this.time = new ClockTime(clock);
        this.buckets = Caffeine.newBuilder()
                .maximumSize(MAX)
                .expireAfterAccess(most.plusMinutes(1))
                .executor(Runnable::run)
                .build();
        this.policy = new PreEncodedHttpField(
                "RateLimit-Policy", "\"default\";q=%d;w=%d".formatted(rate.burst(), rate.windowSeconds()));
    }

    /**
     * Takes one token.
     *
     * @throws Problem {@code rate_limited} if there is none
     */
    public void take(K asker, HttpFields.Mutable headers) {
        if (rate.isOff()) {
            return;
        }
        var probe = buckets.get(asker, _ -> newBucket()).tryConsumeAndReturnRemaining(1);
        headers.put(policy);
        headers.put(
                "RateLimit",
                "\"default\";r=" + Math.max(0, probe.getRemainingTokens()) + ";t="
                        + TimeUnit.NANOSECONDS.toSeconds(probe.getNanosToWaitForReset()));
        if (!probe.isConsumed()) {
            throw refusal(Duration.ofNanos(probe.getNanosToWaitForRefill()));
        }
    }

    /**
     * Checks that there is a token, without taking it.
     *
     * @throws Problem {@code rate_limited} if there is none
     */
    public void check(K asker) {
        if (rate.isOff()) {
            return;
        }
        var probe = buckets.get(asker, _ -> newBucket()).estimateAbilityToConsume(1);
        if (!probe.canBeConsumed()) {
            throw refusal(Duration.ofNanos(probe.getNanosToWaitForRefill()));
        }
    }

    /** Returns what is left; empty if there is no limit. */
    public Optional<Allowance> left(K asker) {
        if (rate.isOff()) {
            return Optional.empty();
        }
        var bucket = buckets.get(asker, _ -> newBucket());
        var tokens = bucket.getAvailableTokens();
        var wait = (rate.burst() - tokens) / rate.perSecond();
        return Optional.of(
                new Allowance(Allowance.RATE, rate.burst(), Math.max(0, tokens), rate.windowSeconds(), wait));
    }

    /** Leaves at most this many tokens. A negative number must be refilled first. */
    public void leave(K asker, long most) {
        var bucket = buckets.get(asker, _ -> newBucket());
        var excess = bucket.getAvailableTokens() - most;
        if (excess > 0) {
            bucket.consumeIgnoringRateLimits(excess);
        }
    }

    /** Returns how many buckets there are at the moment. */
    public long count() {
        buckets.cleanUp();
        return buckets.estimatedSize();
    }

    private Problem refusal(Duration wait) {
        return Problem.rateLimited(
                "too many requests: %d a second are allowed, in bursts of %d at most; wait before the next one"
                        .formatted(rate.perSecond(), rate.burst()),
                wait);
    }

    private Bucket newBucket() {
        return Bucket.builder()
                .addLimit(limit -> limit.capacity(rate.burst()).refillGreedy(rate.perSecond(), Duration.ofSeconds(1)))
                .withCustomTimePrecision(time)
                .build();
    }

    private record ClockTime(Clock clock) implements TimeMeter {
        @Override
        public long currentTimeNanos() {
            return TimeUnit.MILLISECONDS.toNanos(clock.millis());
        }

        @Override
        public boolean isWallClockBased() {
            return true;
        }
    }
}

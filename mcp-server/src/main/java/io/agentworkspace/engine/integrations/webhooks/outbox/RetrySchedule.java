package io.agentworkspace.engine.integrations.webhooks.outbox;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Computes when a delivery is attempted (decisions, section 8): each attempt follows the one before it after
 * a step, plus or minus a fifth.
 *
 * @param steps the first precedes the first attempt; there are as many attempts as steps
 */
public record RetrySchedule(List<Duration> steps) {
    private static final double JITTER = 0.2;
    private static final int MOST_STEPS = 50;

    public RetrySchedule {
        steps = List.copyOf(steps);
        if (steps.isEmpty() || steps.size() > MOST_STEPS || steps.stream().anyMatch(Duration::isNegative)) {
            throw new IllegalArgumentException("from 1 to %d steps".formatted(MOST_STEPS));
        }
    }

    /**
     * Returns the delay before the next attempt. Empty if there is none.
     *
     * @param made the number of attempts so far
     * @param retryAfter the receiver's {@code Retry-After}, which is honoured up to twice the step
     */
    Optional<Duration> next(int made, @Nullable Duration retryAfter, RandomGenerator random) {
        if (made >= steps.size()) {
            return Optional.empty();
        }
        var step = steps.get(made);
        var wait = Duration.ofMillis(Math.round(step.toMillis() * random.nextDouble(1 - JITTER, 1 + JITTER)));
        if (retryAfter == null || retryAfter.compareTo(wait) <= 0) {
            return Optional.of(wait);
        }
        var most = step.multipliedBy(2);
        return Optional.of(retryAfter.compareTo(most) < 0 ? retryAfter : most);
    }

    /** Returns the step before the second attempt, which is also the first pause of the circuit breaker. */
    Duration firstPause() {
        return steps.size() > 1 ? steps.get(1) : steps.getFirst();
    }
}

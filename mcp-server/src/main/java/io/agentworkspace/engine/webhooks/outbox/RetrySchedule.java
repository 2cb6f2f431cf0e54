package io.agentworkspace.engine.webhooks.outbox;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * When a delivery is attempted (decisions, section 8): each attempt so long after the one before it, give or take a fifth.
 *
 * @param steps the first before the first attempt; there are as many attempts as steps
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
     * How long to wait before the next attempt; nothing when there is none.
     *
     * @param made how many attempts there were
     * @param asked what the receiver's {@code Retry-After} asks for: granted up to twice the step
     */
    Optional<Duration> next(int made, @Nullable Duration asked, RandomGenerator random) {
        if (made >= steps.size()) {
            return Optional.empty();
        }
        var step = steps.get(made);
        var wait = Duration.ofMillis(Math.round(step.toMillis() * random.nextDouble(1 - JITTER, 1 + JITTER)));
        if (asked == null || asked.compareTo(wait) <= 0) {
            return Optional.of(wait);
        }
        var most = step.multipliedBy(2);
        return Optional.of(asked.compareTo(most) < 0 ? asked : most);
    }

    /** The step before the first repetition, which is also how long a circuit stays open at first. */
    Duration firstPause() {
        return steps.size() > 1 ? steps.get(1) : steps.getFirst();
    }
}

package io.agentworkspace.engine.webhooks.sender;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What came of one attempt.
 *
 * @param status of the answer; null where none came
 * @param error why it counts as failed, in words for the endpoint's owner; null exactly when the answer was a 2xx
 * @param duration from the look-up of the name to the end of the answer
 * @param retryAfter when the receiver wants to be asked again, as its {@code Retry-After} says; null where it does not
 */
public record AttemptResult(
        @Nullable Integer status,
        @Nullable String error,
        Duration duration,
        @Nullable Duration retryAfter) {

    /** Whether the receiver has taken it. */
    public boolean delivered() {
        return error == null;
    }
}

package io.agentworkspace.engine.integrations.webhooks.sender;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The result of one attempt.
 *
 * @param status of the response; null if there was none
 * @param error why the attempt failed, in words for the endpoint's owner; null exactly if the response was a 2xx
 * @param duration from the look-up of the name to the end of the response
 * @param retryAfter the delay in the receiver's {@code Retry-After}; null if there is none
 * @param response the beginning of the response's body as text; null if the attempt succeeded or there is none
 */
public record AttemptResult(
        @Nullable Integer status,
        @Nullable String error,
        Duration duration,
        @Nullable Duration retryAfter,
        @Nullable String response) {

    /** Returns the result of an attempt without a response. */
    static AttemptResult none(String error, Duration duration) {
        return new AttemptResult(null, error, duration, null, null);
    }

    /** Returns the result of an attempt for which nothing was sent. */
    public static AttemptResult notSent(String error) {
        return none("not sent: " + error, Duration.ZERO);
    }

    /** Returns whether the receiver accepted the delivery. */
    public boolean delivered() {
        return error == null;
    }
}

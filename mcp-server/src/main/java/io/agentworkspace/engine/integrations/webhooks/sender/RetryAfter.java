package io.agentworkspace.engine.integrations.webhooks.sender;

import java.time.Duration;
import java.time.Instant;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpDateTime;
import org.jspecify.annotations.Nullable;

/** Parses the header {@code Retry-After} (RFC 9110, section 10.2.3): seconds, or a date in any of HTTP's three formats. */
final class RetryAfter {
    private static final Pattern SECONDS = Pattern.compile("[0-9]{1,9}");

    private RetryAfter() {}

    /** Returns the delay; zero for a time in the past, null if the header is missing or invalid. */
    static @Nullable Duration parse(@Nullable String text, Instant now) {
        if (text == null) {
            return null;
        }
        if (SECONDS.matcher(text).matches()) {
            return Duration.ofSeconds(Long.parseLong(text));
        }
        try {
            var wait = Duration.between(now, HttpDateTime.parse(text).toInstant());
            return wait.isNegative() ? Duration.ZERO : wait;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}

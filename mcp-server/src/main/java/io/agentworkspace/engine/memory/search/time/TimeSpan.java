package io.agentworkspace.engine.memory.search.time;

import io.agentworkspace.engine.model.schema.Doc;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The time that a question names. Without a beginning or an end it is open on that side. */
public record TimeSpan(
        @Doc("Its beginning.") @Nullable Instant since,
        @Doc("Its end, which it includes.") @Nullable Instant until) {
    private static final Duration LONGEST = Duration.ofDays(366);

    /**
     * Returns the part of it that tells memories apart: of a time without a beginning its last year. A time without an
     * end that began more than a year ago does not.
     */
    public Optional<TimeSpan> weighed(Instant now) {
        if (since == null && until != null) {
            return Optional.of(new TimeSpan(until.minus(LONGEST), until));
        }
        var isLong = until == null && since != null && since.isBefore(now.minus(LONGEST));
        return isLong ? Optional.empty() : Optional.of(this);
    }
}

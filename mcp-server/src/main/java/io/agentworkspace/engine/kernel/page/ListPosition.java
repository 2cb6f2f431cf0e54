package io.agentworkspace.engine.kernel.page;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The position in a list ordered by time and id at which the next page begins. */
public record ListPosition(@Nullable Instant at, @Nullable UUID id) {
    /** Times outside of these limits were never issued by this service, and PostgreSQL cannot store all of them. */
    private static final Instant EARLIEST = Instant.EPOCH;

    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999Z");

    /** @throws io.agentworkspace.engine.model.problem.Problem if the cursor was not issued by this service */
    public static ListPosition of(@Nullable Page page) {
        return of(Page.after(page, 2));
    }

    /**
     * @param keys those of a cursor, of which the last two are the time and the id; empty for the first page
     * @throws io.agentworkspace.engine.model.problem.Problem if the cursor was not issued by this service
     */
    public static ListPosition of(List<String> keys) {
        if (keys.isEmpty()) {
            return new ListPosition(null, null);
        }
        try {
            return new ListPosition(time(keys.get(keys.size() - 2)), UUID.fromString(keys.getLast()));
        } catch (IllegalArgumentException e) {
            throw Cursor.invalid();
        }
    }

    /** @throws io.agentworkspace.engine.model.problem.Problem if a cursor cannot contain this time */
    public static Instant time(String text) {
        try {
            var at = Instant.parse(text);
            if (!at.isBefore(EARLIEST) && !at.isAfter(LATEST)) {
                return at;
            }
        } catch (DateTimeException e) {
            // Handled below, like any other time that this service did not issue.
        }
        throw Cursor.invalid();
    }
}

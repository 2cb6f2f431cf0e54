package io.agentworkspace.engine.db;

import io.agentworkspace.engine.model.page.Cursor;
import io.agentworkspace.engine.model.page.Page;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The place in a list that is ordered by time and id, from which its next page goes on. */
public record ListPosition(@Nullable Instant at, @Nullable UUID id) {
    /** Beyond these lies what we never gave out, and in the end what PostgreSQL cannot hold. */
    private static final Instant EARLIEST = Instant.EPOCH;

    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999Z");

    /** @throws io.agentworkspace.engine.model.problem.Problem when the cursor is none of ours */
    public static ListPosition of(@Nullable Page page) {
        var keys = Page.after(page, 2);
        if (keys.isEmpty()) {
            return new ListPosition(null, null);
        }
        try {
            return new ListPosition(time(keys.get(0)), UUID.fromString(keys.get(1)));
        } catch (IllegalArgumentException e) {
            throw Cursor.invalid();
        }
    }

    /** @throws io.agentworkspace.engine.model.problem.Problem when a cursor cannot hold this time */
    public static Instant time(String text) {
        try {
            var at = Instant.parse(text);
            if (!at.isBefore(EARLIEST) && !at.isAfter(LATEST)) {
                return at;
            }
        } catch (DateTimeException e) {
            // Answered below, like any other time that is not ours.
        }
        throw Cursor.invalid();
    }
}

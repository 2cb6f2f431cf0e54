package io.agentworkspace.engine.store;

import io.agentworkspace.engine.model.Cursor;
import io.agentworkspace.engine.model.Page;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The place in a list that is ordered by time and id, from which its next page goes on. */
record Position(@Nullable Instant at, @Nullable UUID id) {
    /** Beyond these lies what we never gave out, and in the end what PostgreSQL cannot hold. */
    private static final Instant EARLIEST = Instant.EPOCH;

    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999Z");

    /** @throws io.agentworkspace.engine.model.Problem when the cursor is none of ours */
    static Position of(@Nullable Page page) {
        var keys = Page.after(page, 2);
        if (keys.isEmpty()) {
            return new Position(null, null);
        }
        try {
            return new Position(time(keys.get(0)), UUID.fromString(keys.get(1)));
        } catch (IllegalArgumentException e) {
            throw Cursor.invalid();
        }
    }

    /** @throws io.agentworkspace.engine.model.Problem when a cursor cannot hold this time */
    static Instant time(String text) {
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

package io.agentworkspace.engine.store;

import io.agentworkspace.engine.model.Cursor;
import io.agentworkspace.engine.model.Message;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A page of a list, and where the next one begins; the cursor is null on the last. */
public record Slice<T>(List<T> rows, @Nullable String nextCursor) {
    /** Of one row more than the page holds, which only tells that there is another page. */
    static <T> Slice<T> of(List<T> rows, int limit, Function<T, String> cursor) {
        return rows.size() <= limit
                ? new Slice<>(rows, null)
                : new Slice<>(rows.subList(0, limit), cursor.apply(rows.get(limit - 1)));
    }

    /** The newest of one message more than the page holds, oldest first; the cursor leads to the older ones. */
    static Slice<Message> newest(List<Message> messages, int limit, Function<Message, String> cursor) {
        if (messages.size() <= limit) {
            return new Slice<>(messages, null);
        }
        var page = messages.subList(messages.size() - limit, messages.size());
        return new Slice<>(page, Cursor.of(cursor.apply(page.getFirst())));
    }
}

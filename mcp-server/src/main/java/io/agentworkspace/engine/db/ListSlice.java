package io.agentworkspace.engine.db;

import io.agentworkspace.engine.model.agent.Message;
import io.agentworkspace.engine.model.page.Cursor;
import io.agentworkspace.engine.model.tool.Call;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A page of a list, and where the next one begins; the cursor is null on the last. */
public record ListSlice<T>(List<T> rows, @Nullable String nextCursor) {
    /**
     * From one row more than the page holds, which only shows that there is another page: as many as fit into the
     * response.
     */
    public static <T> ListSlice<T> of(Call call, List<T> rows, int limit, Function<T, String> cursor) {
        var page = rows.subList(0, Math.min(limit, rows.size()));
        return of(call, page, page.size() < rows.size(), cursor);
    }

    /** @param more whether more rows follow */
    public static <T> ListSlice<T> of(Call call, List<T> page, boolean more, Function<T, String> cursor) {
        var rows = call.budget().fit(page);
        return more || rows.size() < page.size()
                ? new ListSlice<>(rows, cursor.apply(rows.getLast()))
                : new ListSlice<>(rows, null);
    }

    /** The newest messages, oldest first, already limited to the room by the statement; the cursor leads to older ones. */
    public static ListSlice<Message> newest(
            Call call, List<Message> messages, boolean more, Function<Message, String> cursor) {
        var page = messages.size() == 1 ? call.budget().fit(messages) : messages;
        return new ListSlice<>(page, more ? Cursor.of(cursor.apply(page.getFirst())) : null);
    }
}

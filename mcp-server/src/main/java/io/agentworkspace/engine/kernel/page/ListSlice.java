package io.agentworkspace.engine.kernel.page;

import io.agentworkspace.engine.model.tool.Call;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A page of a list, and where the next one begins. The cursor of the last page is null. */
public record ListSlice<T>(List<T> rows, @Nullable String nextCursor) {
    /**
     * Returns a page with as many rows as fit into the response. The rows may include one more than the limit, which
     * only shows that there is another page.
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
}

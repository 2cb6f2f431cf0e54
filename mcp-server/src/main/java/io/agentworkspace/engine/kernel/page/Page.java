package io.agentworkspace.engine.kernel.page;

import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Titled;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The requested part of a list: how many entries, and from where. */
@Titled
public record Page(
        @Doc(value = "1–200, default 50.", min = 1, max = 200, mayBeBlank = true) @Nullable
        Integer limit,

        @Doc(value = "A next_cursor.", max = 2_000, mayBeBlank = true) @Nullable
        String cursor) {
    public static final int DEFAULT_LIMIT = 50;

    /** Returns the limit of a page that may be missing. */
    public static int limit(@Nullable Page page) {
        return page == null || page.limit() == null ? DEFAULT_LIMIT : page.limit();
    }

    /** Returns the cursor's keys, or an empty list for the first page. A blank cursor also means the first page. */
    public static List<String> after(@Nullable Page page, int keys) {
        return page == null || page.cursor() == null || page.cursor().isBlank()
                ? List.of()
                : Cursor.read(page.cursor(), keys);
    }
}

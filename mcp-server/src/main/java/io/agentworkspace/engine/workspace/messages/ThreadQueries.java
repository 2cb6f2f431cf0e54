package io.agentworkspace.engine.workspace.messages;

import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.page.Cursor;
import io.agentworkspace.engine.kernel.page.ListSlice;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.agent.Message;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A thread: a message and everything that answers it, at any depth. Answers have higher numbers than what they answer. So a page needs
 * no more answers of one message, and no longer chains, than it has room for. Earlier pages are read again.
 */
public final class ThreadQueries {
    private ThreadQueries() {}

    /**
     * Returns the CTE {@code latest} and the columns of a page of the thread of the message :thread.
     *
     * @param more further columns of {@code latest}, each followed by a comma; they are columns of {@code root}
     * @param root the FROM list and the conditions of the first message {@code m}, which the caller may read
     */
    public static String page(String more, String root) {
        return SqlTemplate.of("""
            latest AS (
                WITH RECURSIVE thread AS (
                    SELECT {root_columns}m.id, m.seq, CASE WHEN m.seq > :after THEN 1 ELSE 0 END AS later
                      FROM {root} AND m.tenant_id = :tenant AND m.id = CAST(:thread AS uuid)
                    UNION ALL
                    SELECT {thread_columns}answer.id, answer.seq, t.later + CASE WHEN answer.seq > :after THEN 1 ELSE 0 END
                      FROM thread t
                      CROSS JOIN LATERAL (
                          SELECT x.id, x.seq FROM message x
                           WHERE x.tenant_id = :tenant AND x.answers = t.id AND x.seq <= :after
                          UNION ALL
                          (SELECT x.id, x.seq FROM message x
                            WHERE x.tenant_id = :tenant AND x.answers = t.id AND x.seq > :after
                            ORDER BY x.seq
                            LIMIT :limit + 1)) answer
                     WHERE t.later <= :limit)
                SELECT {thread_columns}m.*
                  FROM (SELECT * FROM thread WHERE seq > :after ORDER BY seq LIMIT :limit + 1) t
                  CROSS JOIN LATERAL (SELECT * FROM message x WHERE x.tenant_id = :tenant AND x.id = t.id OFFSET 0) m)
            {messages}
            """)
                .with("root_columns", more)
                .with("thread_columns", more.replaceAll("\\S+ AS ", "t."))
                .with("root", root)
                .with("messages", MessagePages.columns(more.replaceAll("\\S+ AS ", "m."), "seq"))
                .sql();
    }

    /** @throws Problem {@code invalid_field} */
    public static @Nullable UUID id(@Nullable String thread) {
        try {
            return thread == null ? null : UUID.fromString(thread);
        } catch (IllegalArgumentException e) {
            throw Problem.invalid("thread", "must be the id of a message");
        }
    }

    /** Returns the number of the last message that was shown, from the cursor; 0 for the first page. */
    public static long after(@Nullable Page page) {
        var keys = Page.after(page, 2);
        try {
            return keys.isEmpty() ? 0 : Long.parseUnsignedLong(keys.getLast());
        } catch (NumberFormatException e) {
            throw Cursor.invalid();
        }
    }

    /**
     * Returns as many of the messages as fit, oldest first.
     *
     * @param oldest oldest first, and perhaps one more than the limit, which only shows that there are more
     * @throws Problem {@code not_found} if there are none: the caller may not read the first one, or it does not exist
     */
    public static ListSlice<Message> fit(Call call, UUID thread, List<StoredMessage> oldest, @Nullable Page page) {
        if (oldest.isEmpty()) {
            throw Problem.notFound("message", thread.toString(), List.of());
        }
        Cursor.requireSame(Page.after(page, 2), oldest.getFirst().conversation());
        var rows = call.budget()
                .fit(oldest.stream()
                        .limit(Page.limit(page))
                        .map(StoredMessage::message)
                        .toList());
        var next = rows.size() < oldest.size()
                ? Cursor.of(
                        Long.toString(oldest.getFirst().conversation()),
                        Long.toString(rows.getLast().place().seq()))
                : null;
        return new ListSlice<>(rows, next);
    }
}

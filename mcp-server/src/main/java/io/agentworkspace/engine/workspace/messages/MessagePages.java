package io.agentworkspace.engine.workspace.messages;

import io.agentworkspace.engine.kernel.context.Unread;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.page.Cursor;
import io.agentworkspace.engine.kernel.page.ListSlice;
import io.agentworkspace.engine.model.agent.Message;
import io.agentworkspace.engine.model.tool.Call;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** Pages of the newest messages: how many fit into a response, and which of them are then read. */
public final class MessagePages {
    /** The most bytes that a character takes in a response that is sent as an object and as text. */
    private static final int ESCAPED = 13;

    /** The most bytes of a message besides its text, and of each name in its chain. */
    private static final int BESIDE_TEXT = 3_000;

    private static final int LINK = 520;

    private static final int ATTACHMENT = 3_500;

    /**
     * Marks messages as read by the party :party. A reading position has no gaps, so the shown messages of a conversation are
     * marked only if no unread message precedes them.
     */
    private static final String MARK =
            SqlTemplate.of("""
            WITH page AS (
                SELECT * FROM unnest(CAST(:conversations AS bigint[]), CAST(:since AS bigint[]), CAST(:upto AS bigint[]))
                              t (conversation_id, since, upto)),
            progress AS (
                SELECT p.conversation_id, p.read_seq, page.upto, passed.own, passed.announced
                  FROM page
                  JOIN participant p ON p.tenant_id = :tenant AND p.party_id = :party AND p.conversation_id = page.conversation_id
                 CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE NOT {waits}) AS own,
                                            count(*) FILTER (WHERE {waits} AND x.changes IS NOT NULL) AS announced
                                       FROM message x
                                      WHERE x.tenant_id = :tenant AND x.conversation_id = p.conversation_id
                                        AND x.seq > p.read_seq AND x.seq <= page.upto) passed
                 WHERE page.upto > p.read_seq
                   AND NOT EXISTS (SELECT 1 FROM message x
                                    WHERE x.tenant_id = :tenant AND x.conversation_id = p.conversation_id
                                      AND x.seq > p.read_seq AND x.seq < page.since
                                      AND {waits} AND x.read_at IS NULL)),
            marked AS (
                UPDATE participant p
                   SET read_seq = progress.upto,
                       own_unread = CASE WHEN p.last_seq <= progress.upto THEN 0 ELSE greatest(p.own_unread - progress.own, 0) END,
                       announced = CASE WHEN p.last_seq <= progress.upto THEN 0 ELSE greatest(p.announced - progress.announced, 0) END,
                       last_seq = CASE WHEN p.last_seq < progress.upto THEN progress.upto ELSE p.last_seq END
                  FROM progress
                 WHERE p.tenant_id = :tenant AND p.party_id = :party AND p.conversation_id = progress.conversation_id
                   AND p.read_seq = progress.read_seq
                RETURNING p.conversation_id),
            receipts AS (
                UPDATE message m
                   SET delivered_at = COALESCE(m.delivered_at, :now),
                       read_at = CASE WHEN m.id = ANY(CAST(:whole AS uuid[])) THEN CAST(:now AS timestamptz) END
                 WHERE m.tenant_id = :tenant AND m.id = ANY(CAST(:direct AS uuid[]))
                   AND m.speaker_id <> :party AND m.read_at IS NULL)
            SELECT progress.conversation_id, progress.read_seq, upto - read_seq - own - announced AS cleared
              FROM progress JOIN marked USING (conversation_id)
            """).with("waits", Unread.WAITS).sql();

    private final Db db;

    public MessagePages(Db db) {
        this.db = db;
    }

    /**
     * Returns the columns and joins for the messages {@code latest} in the order {@code {order}}, without those whose
     * predecessors already fill the response.
     *
     * @param more further columns of {@code latest}, each followed by a comma
     */
    public static String columns(String more, String order) {
        return SqlTemplate.of("""
            SELECT {more}{columns}
              FROM (SELECT x.*, sum(octet_length(x.content)) OVER (ORDER BY {order}) - octet_length(x.content) AS bytes_before
                      FROM latest x) m
              {joins}
             WHERE m.bytes_before <= :room
             ORDER BY {order}
            """)
                .with("more", more)
                .with("columns", MessageRow.COLUMNS)
                .with("joins", MessageRow.JOINS)
                .with("order", order)
                .sql();
    }

    /**
     * Returns as many of the messages as fit, oldest first. The cursor leads to older ones.
     *
     * @param thing the id of what the messages are read of, which the cursor continues
     * @param key the message's key in the cursor
     * @param newest newest first, and perhaps one more than the limit, which only shows that there are more
     */
    public static ListSlice<Message> fit(
            Call call, List<StoredMessage> newest, int limit, long thing, Function<Message, String> key) {
        var page = newest.stream().limit(limit).map(StoredMessage::message).toList();
        var rows = page.stream().mapToLong(MessagePages::most).sum()
                        <= call.budget().left()
                ? page
                : call.budget().fit(page);
        var next = rows.size() < newest.size() ? Cursor.of(Long.toString(thing), key.apply(rows.getLast())) : null;
        return new ListSlice<>(rows.reversed(), next);
    }

    private static long most(Message message) {
        return BESIDE_TEXT
                + (long) LINK * message.text().chain().size()
                + (message.attachments() == null
                        ? 0
                        : (long) ATTACHMENT * message.attachments().size())
                + (long) ESCAPED * message.text().content().length();
    }

    /**
     * Marks the messages of a page as read by the caller's speaker, who must be the party whose messages they are, unless a
     * program only looks at them. A message whose text is cut is not read, nor is a later one.
     */
    public void mark(Call call, List<StoredMessage> newest, ListSlice<Message> page) {
        if (!call.isReadBySpeaker()) {
            return;
        }
        var rows = page.rows();
        var messages = new ArrayList<StoredMessage>();
        for (var i = 0; i < rows.size(); i++) {
            messages.add(new StoredMessage(newest.get(i).conversation(), rows.get(rows.size() - 1 - i)));
        }
        if (call.context().unread() > 0 || rows.stream().anyMatch(MessagePages::mayWait)) {
            mark(call, messages, messages);
        }
    }

    /** Whether a message may wait without being counted as unread. */
    private static boolean mayWait(Message message) {
        return message.place().to() != null && message.receipt().readAt() == null;
    }

    /**
     * What was marked.
     *
     * @param lost the conversations of whole messages that another call has read meanwhile
     * @param before how far the others were read before
     */
    public record Marked(Set<Long> lost, Map<Long, Long> before) {
        /** Returns whether another call has read the message since it was found. */
        public boolean isLost(StoredMessage message) {
            return lost.contains(message.conversation())
                    || message.message().place().seq() <= before.getOrDefault(message.conversation(), 0L);
        }
    }

    /**
     * Marks messages as read by the caller's speaker, and records receipts of direct ones.
     *
     * @param messages the messages as they are shown, in any order
     * @param consecutive those of them between which no message of their conversation is left out
     */
    public Marked mark(Call call, List<StoredMessage> messages, List<StoredMessage> consecutive) {
        if (call.isReadOnly() || messages.isEmpty()) {
            return new Marked(Set.of(), Map.of());
        }
        messages.forEach(each ->
                call.notBefore(each.message().text().createdAt())); // It may have been sent after the call began.
        var ranges = new LinkedHashMap<Long, Range>();
        consecutive.stream().filter(MessagePages::isWhole).forEach(each -> {
            var seq = each.message().place().seq();
            ranges.merge(each.conversation(), new Range(seq, seq), Range::and);
        });
        var direct = messages.stream()
                .filter(each -> each.message().place().to() != null)
                .toList();
        var positions = new HashMap<Long, Long>();
        var cleared = db
                .sql(call, MARK)
                .set("party", call.context().speaker().id())
                .set("conversations", List.copyOf(ranges.keySet()))
                .set("since", ranges.values().stream().map(Range::since).toList())
                .set("upto", ranges.values().stream().map(Range::upto).toList())
                .set("direct", ids(direct))
                .set("whole", ids(direct.stream().filter(MessagePages::isWhole).toList()))
                .list(row -> {
                    positions.put(row.number("conversation_id"), row.number("read_seq"));
                    return row.number("cleared");
                })
                .stream()
                .mapToLong(Long::longValue)
                .sum();
        call.context(call.context().withUnread(Math.max(0, call.context().unread() - cleared)));
        var lost = new HashSet<>(ranges.keySet());
        lost.removeAll(positions.keySet());
        messages.stream()
                .filter(each -> !isWhole(each))
                .map(StoredMessage::conversation)
                .forEach(lost::remove);
        return new Marked(lost, positions);
    }

    private static boolean isWhole(StoredMessage message) {
        return message.message().text().truncated() == null;
    }

    private static List<String> ids(List<StoredMessage> messages) {
        return messages.stream().map(each -> each.message().place().id()).toList();
    }

    private record Range(long since, long upto) {
        Range and(Range other) {
            return new Range(Math.min(since, other.since), Math.max(upto, other.upto));
        }
    }
}

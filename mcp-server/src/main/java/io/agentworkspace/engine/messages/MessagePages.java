package io.agentworkspace.engine.messages;

import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.db.ListSlice;
import io.agentworkspace.engine.db.SqlTemplate;
import io.agentworkspace.engine.model.agent.Message;
import io.agentworkspace.engine.model.page.Cursor;
import io.agentworkspace.engine.model.tool.Call;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Function;

/** Pages of the newest messages: how many fit into a response, and which of them are then read. */
public final class MessagePages {
    /** The most bytes that a character takes in a response that is sent as an object and as text. */
    private static final int ESCAPED = 13;

    /** The most bytes of a message besides its text, and of each name in its chain. */
    private static final int BESIDE_TEXT = 3_000;

    private static final int LINK = 520;

    /**
     * Marks messages as read by the party :party. A reading position has no gaps, so the shown messages of a stream are
     * marked only if no unread message precedes them.
     */
    private static final String MARK = """
            WITH page AS (
                SELECT * FROM unnest(CAST(:streams AS bigint[]), CAST(:since AS bigint[]), CAST(:upto AS bigint[]))
                              t (stream_id, since, upto)),
            progress AS (
                SELECT p.stream_id, p.read_seq, page.upto,
                       (SELECT count(*) FROM message own
                         WHERE own.tenant_id = p.tenant_id AND own.stream_id = p.stream_id
                           AND own.seq > p.read_seq AND own.seq <= page.upto AND own.speaker_id = p.party_id) AS own
                  FROM page
                  JOIN participant p ON p.tenant_id = :tenant AND p.party_id = :party AND p.stream_id = page.stream_id
                 WHERE page.upto > p.read_seq
                   AND NOT EXISTS (SELECT 1 FROM message skipped
                                    WHERE skipped.tenant_id = p.tenant_id AND skipped.stream_id = p.stream_id
                                      AND skipped.seq > p.read_seq AND skipped.seq < page.since
                                      AND skipped.speaker_id <> p.party_id)),
            marked AS (
                UPDATE participant p
                   SET read_seq = progress.upto,
                       own_unread = CASE WHEN p.last_seq <= progress.upto THEN 0 ELSE p.own_unread - progress.own END,
                       last_seq = CASE WHEN p.last_seq < progress.upto THEN progress.upto ELSE p.last_seq END
                  FROM progress
                 WHERE p.tenant_id = :tenant AND p.party_id = :party AND p.stream_id = progress.stream_id
                   AND p.read_seq = progress.read_seq)
            SELECT COALESCE(sum(upto - read_seq - own), 0) AS cleared FROM progress
            """;

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
        var shown = page.stream().mapToLong(MessagePages::most).sum()
                        <= call.budget().left()
                ? page
                : call.budget().fit(page);
        var next = shown.size() < newest.size() ? Cursor.of(Long.toString(thing), key.apply(shown.getLast())) : null;
        return new ListSlice<>(shown.reversed(), next);
    }

    private static long most(Message message) {
        return BESIDE_TEXT
                + (long) LINK * message.chain().size()
                + (long) ESCAPED * message.content().length();
    }

    /**
     * Marks the messages of a page as read by the caller's speaker, who must be the party whose messages they are. A
     * message whose text is cut is not read, nor is a later one.
     */
    public void mark(Call call, List<StoredMessage> newest, ListSlice<Message> page) {
        if (call.isReadOnly() || call.context().unread() == 0 || page.rows().isEmpty()) {
            return;
        }
        var ranges = new LinkedHashMap<Long, Range>();
        var shown = newest.subList(0, page.rows().size());
        for (var i = 0; i < shown.size(); i++) {
            if (page.rows().get(shown.size() - 1 - i).truncated() == null) {
                var seq = shown.get(i).message().seq();
                ranges.merge(shown.get(i).stream(), new Range(seq, seq), Range::and);
            }
        }
        var cleared = db.sql(call, MARK)
                .set("party", call.context().speaker().id())
                .set("streams", List.copyOf(ranges.keySet()))
                .set("since", ranges.values().stream().map(Range::since).toList())
                .set("upto", ranges.values().stream().map(Range::upto).toList())
                .one(row -> row.number("cleared"))
                .orElseThrow();
        call.context(call.context().withUnread(call.context().unread() - cleared));
    }

    private record Range(long since, long upto) {
        Range and(Range other) {
            return new Range(Math.min(since, other.since), Math.max(upto, other.upto));
        }
    }
}

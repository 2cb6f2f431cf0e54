package io.agentworkspace.engine.messages;

import io.agentworkspace.engine.context.Unread;
import io.agentworkspace.engine.db.SqlTemplate;

/** The SQL that reads messages as JSON, marks them as read and counts unread ones. */
public final class MessageRow {
    /**
     * The joins that {@link #RECORD} needs around a message {@code m}. Each is a look-up for each row, whatever number
     * of rows PostgreSQL expects, so no plan reads all of a tenant's streams or agents.
     */
    public static final String JOINS = """
            CROSS JOIN LATERAL (SELECT * FROM stream x WHERE x.tenant_id = m.tenant_id AND x.id = m.stream_id OFFSET 0) st
            CROSS JOIN LATERAL (SELECT * FROM party x WHERE x.tenant_id = m.tenant_id AND x.id = m.speaker_id OFFSET 0) speaker
            LEFT JOIN LATERAL (SELECT * FROM party x
                                WHERE x.tenant_id = m.tenant_id
                                  AND x.id = CASE WHEN st.low_id = m.speaker_id THEN st.high_id ELSE st.low_id END
                               OFFSET 0) addressee ON true
            LEFT JOIN LATERAL (SELECT * FROM zone x
                                WHERE st.low_id IS NULL AND x.tenant_id = m.tenant_id AND x.stream_id = m.stream_id
                               OFFSET 0) mz ON true
            LEFT JOIN LATERAL (SELECT * FROM domain x WHERE x.tenant_id = mz.tenant_id AND x.id = mz.domain_id OFFSET 0) md ON true
            """;

    /** A message {@code m} as JSON. */
    public static final String RECORD = record("'content', m.content");

    /** A message in the response to a write, with a long text cut. */
    public static final String CUT_RECORD =
            record(SqlTemplate.of("""
            'content', {cut},
            'truncated', CASE WHEN m.content <> {cut} THEN true END,
            'length', CASE WHEN m.content <> {cut} THEN char_length(m.content) END
            """).with("cut", TextSize.CUT).sql());

    /**
     * The CTEs {@code progress} and {@code marked}, which mark the messages {@code shown} as read by {@code reader
     * (party_id)}; nothing if {@code :readonly}. A reading position has no gaps, so shown messages are marked only if
     * no unread message precedes them.
     */
    public static final String MARK_SHOWN = """
            progress AS (
                SELECT p.party_id, p.stream_id, p.read_seq, page.upto,
                       (SELECT count(*) FROM message own
                         WHERE own.tenant_id = p.tenant_id AND own.stream_id = p.stream_id
                           AND own.seq > p.read_seq AND own.seq <= page.upto AND own.speaker_id = p.party_id) AS own
                  FROM reader
                  JOIN participant p ON p.tenant_id = :tenant AND p.party_id = reader.party_id
                  JOIN (SELECT stream_id, min(seq) AS since, max(seq) AS upto FROM shown GROUP BY stream_id) page
                    ON page.stream_id = p.stream_id
                 WHERE NOT :readonly AND page.upto > p.read_seq
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
                 WHERE p.tenant_id = :tenant AND p.party_id = progress.party_id AND p.stream_id = progress.stream_id
                   AND p.read_seq = progress.read_seq)
            """;

    /** The number of the party's unread messages that {@link #MARK_SHOWN} marks. */
    public static final String CLEARED =
            "(SELECT COALESCE(sum(upto - read_seq - own), 0) FROM progress WHERE party_id = COALESCE(ctx.self_id, ctx.user_id))";

    /** The number of unread messages of the party {@code :party}. */
    public static final String UNREAD = Unread.of(":party");

    private MessageRow() {}

    private static String record(String content) {
        return SqlTemplate.of("""
            jsonb_build_object('id', m.id, 'from', speaker.name, 'from_kind', speaker.kind,
                               'to', addressee.name, 'to_kind', addressee.kind, 'domain', md.name, 'zone', mz.name,
                               'seq', m.seq, {content}, 'reply_to', m.answers,
                               'chain', CASE WHEN m.chain = '{}' THEN '[]'
                                             ELSE (SELECT COALESCE(jsonb_agg(link.name ORDER BY k.n), '[]')
                                                     FROM unnest(m.chain) WITH ORDINALITY k (id, n)
                                                     CROSS JOIN LATERAL (SELECT x.name FROM party x
                                                                          WHERE x.tenant_id = m.tenant_id AND x.id = k.id
                                                                         OFFSET 0) link) END,
                               'created_at', m.created_at)
            """).with("content", content).sql();
    }
}

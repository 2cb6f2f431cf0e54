package io.agentworkspace.engine.workspace.messages;

import io.agentworkspace.engine.kernel.context.Unread;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.agent.Message;

/** The columns of a message {@code m}, and the record made of them: a new field is added here and to {@link Message}. */
public final class MessageRow {
    /**
     * The joins that the columns need around a message {@code m}. Each is a look-up for each row, whatever number
     * of rows PostgreSQL expects, so no plan reads all of a tenant's conversations or agents.
     */
    public static final String JOINS = """
            CROSS JOIN LATERAL (SELECT * FROM conversation x WHERE x.tenant_id = :tenant AND x.id = m.conversation_id OFFSET 0) st
            CROSS JOIN LATERAL (SELECT * FROM party x WHERE x.tenant_id = :tenant AND x.id = m.speaker_id OFFSET 0) speaker
            LEFT JOIN LATERAL (SELECT * FROM party x
                                WHERE x.tenant_id = :tenant
                                  AND x.id = CASE WHEN st.low_id = m.speaker_id THEN st.high_id ELSE st.low_id END
                               OFFSET 0) addressee ON true
            LEFT JOIN LATERAL (SELECT * FROM zone x
                                WHERE st.low_id IS NULL AND x.tenant_id = :tenant AND x.conversation_id = m.conversation_id
                               OFFSET 0) mz ON true
            LEFT JOIN LATERAL (SELECT * FROM domain x WHERE x.tenant_id = :tenant AND x.id = mz.domain_id OFFSET 0) md ON true
            """;

    /** The columns with the whole text. */
    public static final String COLUMNS = columns("m.content, " + SqlTemplate.WHOLE);

    /** The columns in the response to a write, with a long text cut. */
    static final String CUT_COLUMNS =
            columns(SqlTemplate.of("""
            {cut} AS content,
            CASE WHEN m.content <> {cut} THEN true END AS truncated,
            CASE WHEN m.content <> {cut} THEN char_length(m.content) END AS length
            """).with("cut", TextSize.CUT).sql());

    /** The same as a JSON object. */
    public static final String CUT_JSON =
            "(SELECT to_jsonb(r) - ARRAY['conversation_id', 'delivered_at', 'read_at'] FROM (SELECT " + CUT_COLUMNS
                    + ") r)";

    /** The number of unread messages of the party {@code :party}. */
    public static final String UNREAD = Unread.of(":party");

    private MessageRow() {}

    private static String columns(String content) {
        return SqlTemplate.of("""
            m.id, m.conversation_id, speaker.name AS "from", speaker.kind AS from_kind, NULLIF(m.person, false) AS person, m.by_key, addressee.name AS "to",
            addressee.kind AS to_kind, md.name AS domain, mz.name AS zone, m.seq, {content}, m.answers AS reply_to,
            CASE WHEN m.chain = '{}' THEN CAST('{}' AS text[])
                 ELSE ARRAY(SELECT link.name
                              FROM unnest(m.chain) WITH ORDINALITY k (id, n)
                              CROSS JOIN LATERAL (SELECT x.name FROM party x
                                                   WHERE x.tenant_id = :tenant AND x.id = k.id
                                                  OFFSET 0) link
                             ORDER BY k.n) END AS chain,
            m.created_at, m.delivered_at, m.read_at,
            NULLIF((SELECT count(*) FROM message answer WHERE answer.tenant_id = :tenant AND answer.answers = m.id), 0) AS replies,
            CASE WHEN m.attached IS NOT NULL THEN {attachments} END AS attachments, {question} AS question
            """)
                .with("attachments", attachments("m.attached"))
                .with("question", QuestionRow.OF_MESSAGE)
                .with("content", content)
                .sql();
    }

    /**
     * Returns the records of documents as JSON, which few messages have; null if none of them exists any more.
     *
     * @param ids an expression for their ids, in their order
     */
    static String attachments(String ids) {
        return SqlTemplate.of("""
            (SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
                        'document', d.name, 'version', d.version, 'media_type', COALESCE(d.media_type, d.declared_type),
                        'size', d.size)) ORDER BY k.n)
               FROM unnest({ids}) WITH ORDINALITY k (id, n)
               CROSS JOIN LATERAL (SELECT * FROM document x WHERE x.tenant_id = :tenant AND x.id = k.id OFFSET 0) d)
            """).with("ids", ids).sql();
    }
}

package io.agentworkspace.engine.messages;

import io.agentworkspace.engine.db.Row;
import io.agentworkspace.engine.model.agent.Message;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;

/** A message in a zone, as plain columns: the names of those who talk there are looked up for each message. */
public final class ZoneMessageRow {
    /** The names of those who took part before message {@code m}, null where nobody did. */
    public static final String CHAIN = """
            CASE WHEN m.chain <> '{}'
                 THEN ARRAY(SELECT link.name
                              FROM unnest(m.chain) WITH ORDINALITY k (id, n)
                              CROSS JOIN LATERAL (SELECT x.name FROM party x
                                                   WHERE x.tenant_id = m.tenant_id AND x.id = k.id
                                                  OFFSET 0) link
                             ORDER BY k.n) END AS chain
            """;

    /** The columns that {@link #read} needs of a message {@code m}. */
    public static final String COLUMNS = """
            CAST(m.id AS text) AS id, m.seq, m.content, CAST(m.answers AS text) AS answers, m.created_at,
            (SELECT x.name FROM agent x WHERE x.tenant_id = m.tenant_id AND x.id = m.speaker_id) AS from_agent,
            (SELECT x.name FROM app_user x WHERE x.tenant_id = m.tenant_id AND x.id = m.speaker_id) AS from_user,
            """ + CHAIN;

    private ZoneMessageRow() {}

    public static Message read(Row row, String domain, String zone) throws SQLException {
        var agent = row.textOrNull("from_agent");
        var chain = row.textsOrNull("chain");
        return new Message(
                row.text("id"),
                agent == null ? row.text("from_user") : agent,
                agent == null ? "user" : "agent",
                null,
                null,
                domain,
                zone,
                row.number("seq"),
                row.text("content"),
                null,
                null,
                row.textOrNull("answers"),
                chain == null ? List.of() : chain,
                Objects.requireNonNull(row.instantOrNull("created_at")));
    }
}

package io.agentworkspace.engine.messages;

import io.agentworkspace.engine.db.Row;
import io.agentworkspace.engine.db.SqlTemplate;
import io.agentworkspace.engine.messages.MessageStore.NewMessage;
import io.agentworkspace.engine.model.agent.Message;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;

/** A message that waited for a speaker, as plain columns, with a long text cut. */
final class WaitingMessageRow {
    static final String JOIN = """
            LEFT JOIN LATERAL (SELECT z.name AS zone_name, d.name AS domain_name
                                 FROM zone z JOIN domain d ON d.tenant_id = z.tenant_id AND d.id = z.domain_id
                                WHERE z.tenant_id = m.tenant_id AND z.stream_id = m.stream_id
                               OFFSET 0) place ON true
            """;

    static final String COLUMNS = SqlTemplate.of("""
            CAST(m.id AS text) AS id, m.seq, {cut} AS content,
            CASE WHEN m.content <> {cut} THEN char_length(m.content) END AS length,
            CAST(m.answers AS text) AS answers, m.created_at, place.zone_name, place.domain_name,
            (SELECT x.name FROM agent x WHERE x.tenant_id = m.tenant_id AND x.id = m.speaker_id) AS from_agent,
            CASE WHEN NOT EXISTS (SELECT 1 FROM agent x WHERE x.tenant_id = m.tenant_id AND x.id = m.speaker_id)
                 THEN (SELECT x.name FROM app_user x WHERE x.tenant_id = m.tenant_id AND x.id = m.speaker_id) END AS from_user,
            {chain}
            """)
            .with("cut", TextSize.CUT)
            .with("chain", ZoneMessageRow.CHAIN)
            .sql();

    private WaitingMessageRow() {}

    /** @param draft the message of the speaker whom it waited for: direct messages are addressed to that speaker */
    static Message read(Row row, NewMessage draft) throws SQLException {
        var agent = row.textOrNull("from_agent");
        var zone = row.textOrNull("zone_name");
        var length = row.numberOrNull("length");
        var chain = row.textsOrNull("chain");
        return new Message(
                row.text("id"),
                agent == null ? row.text("from_user") : agent,
                agent == null ? MessageStore.USER : MessageStore.AGENT,
                zone == null ? draft.speaker().name() : null,
                zone == null ? draft.speakerKind() : null,
                row.textOrNull("domain_name"),
                zone,
                row.number("seq"),
                row.text("content"),
                length == null ? null : true,
                length == null ? null : length.intValue(),
                row.textOrNull("answers"),
                chain == null ? List.of() : chain,
                Objects.requireNonNull(row.instantOrNull("created_at")));
    }
}

package io.agentworkspace.engine.workspace.messages;

import io.agentworkspace.engine.kernel.db.SqlTemplate;

/** The record of a question {@code q}. It has the id of the message that asks it, and expires by the clock of the database. */
public final class QuestionRow {
    /** The record as JSON. */
    public static final String RECORD = """
            jsonb_build_object(
                'id', q.id,
                'state', CASE WHEN q.answered_at IS NOT NULL THEN 'answered' WHEN q.withdrawn_at IS NOT NULL THEN 'withdrawn'
                              WHEN q.expires_at <= statement_timestamp() THEN 'expired' ELSE 'open' END,
                'choices', q.choices, 'expires_at', q.expires_at, 'answer', q.answer,
                'answered_by', (SELECT x.name FROM party x WHERE x.tenant_id = :tenant AND x.id = q.answered_by),
                'answered_at', q.answered_at)
            """;

    /** The question that the message {@code m} asks; null if it asks none. */
    static final String OF_MESSAGE = SqlTemplate.of(
                    "(SELECT {record} FROM question q WHERE q.tenant_id = :tenant AND q.id = m.id)")
            .with("record", RECORD)
            .sql();

    private QuestionRow() {}
}

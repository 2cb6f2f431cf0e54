-- Sessions of coding agents that call hooks or follow their messages: what was announced to each.
CREATE TABLE hook_session (
    tenant_id bigint      NOT NULL,
    agent_id  bigint      NOT NULL,
    session   text        NOT NULL COLLATE "C",
    client    text        NOT NULL,
    state     text        NOT NULL CHECK (state IN ('idle', 'busy')),
    announced jsonb       NOT NULL DEFAULT '{}',
    line      bigint      NOT NULL DEFAULT 0,
    undo      jsonb       NOT NULL DEFAULT '{}',
    seen_at   timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, agent_id, session),
    FOREIGN KEY (tenant_id) REFERENCES tenant ON DELETE CASCADE
);
COMMENT ON COLUMN hook_session.announced IS 'Up to which message of each stream the session was told that messages wait, for streams with unread messages.';
COMMENT ON COLUMN hook_session.line IS 'The number of the last wake-up that its listener was sent.';
COMMENT ON COLUMN hook_session.undo IS 'What that wake-up changed in announced, as [before, after], in case its listener did not get it.';
CREATE INDEX hook_session_age ON hook_session (seen_at);

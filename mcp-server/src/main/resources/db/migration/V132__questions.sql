-- Questions that messages ask. Each has the id of its message; the first answer wins.
CREATE TABLE question (
    tenant_id    bigint      NOT NULL REFERENCES tenant ON DELETE CASCADE,
    id           uuid        NOT NULL,
    asker_id     bigint      NOT NULL,
    choices      text[]      NOT NULL DEFAULT '{}',
    expires_at   timestamptz,
    answer       text,
    answered_by  bigint,
    answered_at  timestamptz,
    withdrawn_at timestamptz,
    created_at   timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    CHECK (answered_at IS NULL OR withdrawn_at IS NULL)
);
COMMENT ON TABLE question IS 'The questions that messages ask, and their answers. Each has the id of its message.';
COMMENT ON COLUMN question.asker_id IS 'The agent or user that asked, and may withdraw it.';
COMMENT ON COLUMN question.choices IS 'The texts to choose from; empty if any text answers it.';
CREATE INDEX question_asker ON question (tenant_id, asker_id, created_at);
ALTER TABLE question ALTER COLUMN tenant_id SET (n_distinct = 3);

-- What changes of agents replaced, with the names and access of the time. The present values are in the table agent.
CREATE TABLE agent_revision (
    tenant_id   bigint      NOT NULL,
    agent_id    bigint      NOT NULL,
    revision    bigint      NOT NULL,
    name        text        NOT NULL,
    description text        NOT NULL,
    profile     text,
    access      text        NOT NULL,
    editor_id   bigint      NOT NULL,
    stored_at   timestamptz NOT NULL,
    replaced_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, agent_id, revision),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agent ON DELETE CASCADE
);
COMMENT ON COLUMN agent_revision.editor_id IS 'Who replaced it: the agent that the caller was logged on as, else the user.';
CREATE INDEX agent_revision_age ON agent_revision (replaced_at);
ALTER TABLE agent_revision ALTER COLUMN tenant_id SET (n_distinct = 3);

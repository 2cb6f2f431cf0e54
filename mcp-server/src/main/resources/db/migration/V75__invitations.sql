-- Invitations: each lets one program join as an agent, once. An invitation that was used or withdrawn is deleted.
CREATE TABLE invitation (
    tenant_id  bigint      NOT NULL,
    id         text        NOT NULL,
    code_hash  bytea       NOT NULL,
    user_id    bigint      NOT NULL,
    key_id     text,
    agent      text        NOT NULL,
    terms      jsonb       NOT NULL,
    powers     jsonb       NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES app_user ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, key_id) REFERENCES api_key ON DELETE CASCADE
);
COMMENT ON COLUMN invitation.key_id IS 'The key that made it, without which it is void; null if a person made it.';
COMMENT ON COLUMN invitation.agent IS 'The name of the agent, which exists or is created.';
COMMENT ON COLUMN invitation.terms IS 'What the agent gets: banks, domains, the capabilities and the toolset of its key.';
COMMENT ON COLUMN invitation.powers IS 'What the inviting caller could grant at that time.';
CREATE UNIQUE INDEX invitation_code ON invitation (code_hash);
CREATE INDEX invitation_age ON invitation (expires_at);
CREATE INDEX invitation_user ON invitation (tenant_id, user_id);
CREATE INDEX invitation_key ON invitation (tenant_id, key_id) WHERE key_id IS NOT NULL;

-- API keys, their use, invitations, and the responses that are kept for repeated calls.

CREATE TABLE api_key (
    tenant_id           bigint      NOT NULL,
    id                  text        NOT NULL CHECK (length(id) = 12),
    secret_hash         bytea       NOT NULL,
    user_id             bigint      NOT NULL,
    name                text        NOT NULL,
    capabilities        text[]      NOT NULL,
    agent_id            bigint,
    expires_at          timestamptz,
    revoked_at          timestamptz,
    created_at          timestamptz NOT NULL,
    environment         text,
    toolset             text[],
    confirm_destructive boolean     NOT NULL DEFAULT false,
    parent_id           text,
    ancestors           text[]      NOT NULL DEFAULT '{}',
    rotated_at          timestamptz,
    previous_hash       bytea,
    previous_until      timestamptz,
    revision            bigint      NOT NULL DEFAULT 1,
    known_to_others     boolean     NOT NULL DEFAULT false,
    resource            text,
    proof_key           text,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES app_user ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agent,
    FOREIGN KEY (tenant_id, parent_id) REFERENCES api_key ON DELETE CASCADE
);
COMMENT ON TABLE api_key IS 'The API keys. A key with a parent ends with it.';
COMMENT ON COLUMN api_key.agent_id IS 'The agent that the key acts as; null if it acts for its user.';
COMMENT ON COLUMN api_key.toolset IS 'The toolsets that it is limited to; null for no limit.';
COMMENT ON COLUMN api_key.confirm_destructive IS 'Whether commands that destroy something require a confirmation.';
COMMENT ON COLUMN api_key.ancestors IS 'The keys that it depends on, its parent last. It never has a capability that one of them lacks.';
COMMENT ON COLUMN api_key.previous_hash IS 'The hash of the secret from before the rotation, which works until previous_until.';
COMMENT ON COLUMN api_key.known_to_others IS 'Whether another user was shown its secret, or the secret of the key that created or rotated it.';
COMMENT ON COLUMN api_key.resource IS 'The path of the MCP endpoint that it works at, for the access of a program by OAuth; null for every address.';
COMMENT ON COLUMN api_key.proof_key IS 'The thumbprint of the key that the holder of its secret must prove to have (DPoP); null for none.';
CREATE INDEX api_key_newest ON api_key (tenant_id, created_at DESC, id DESC);
CREATE INDEX api_key_user ON api_key (tenant_id, user_id);
CREATE INDEX api_key_parent ON api_key (tenant_id, parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX api_key_agent ON api_key (tenant_id, agent_id) WHERE agent_id IS NOT NULL;
CREATE INDEX api_key_child_age ON api_key (expires_at) WHERE parent_id IS NOT NULL;

-- Signals that an id that was unknown before is now that of a key. What was cached of others stays.
CREATE FUNCTION tell_key_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('changes', NEW.id);
    RETURN NULL;
END $$;
CREATE TRIGGER api_key_added AFTER INSERT ON api_key FOR EACH ROW EXECUTE FUNCTION tell_key_added();
COMMENT ON TRIGGER api_key_added ON api_key IS 'Every replica forgets that a new key was unknown, whatever creates it.';
CREATE TRIGGER api_key_changed AFTER DELETE OR UPDATE OR TRUNCATE ON api_key FOR EACH STATEMENT EXECUTE FUNCTION tell_callers_changed();
COMMENT ON TRIGGER api_key_changed ON api_key IS 'Every replica forgets a changed key within a second, whatever changes it.';

CREATE TABLE key_seen (
    tenant_id        bigint      NOT NULL,
    key_id           text        NOT NULL,
    used_at          timestamptz,
    client           text,
    previous_used_at timestamptz,
    previous_client  text,
    PRIMARY KEY (tenant_id, key_id),
    FOREIGN KEY (tenant_id, key_id) REFERENCES api_key ON DELETE CASCADE
);
COMMENT ON TABLE key_seen IS 'When each key was last used, to the minute, and by which program. Apart from the key, because each change of a key clears caches.';
COMMENT ON COLUMN key_seen.previous_used_at IS 'When the secret from before the rotation was last used.';
COMMENT ON COLUMN key_seen.previous_client IS 'Which program used that secret: the one that still needs the new one.';

CREATE TABLE key_usage (
    tenant_id bigint      NOT NULL,
    key_id    text        NOT NULL,
    day       date        NOT NULL,
    tool      text        NOT NULL,
    calls     bigint      NOT NULL,
    last_at   timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, key_id, day, tool),
    FOREIGN KEY (tenant_id, key_id) REFERENCES api_key ON DELETE CASCADE
);
COMMENT ON TABLE key_usage IS 'How often each key called each tool on each day.';
CREATE INDEX key_usage_age ON key_usage (day);

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
COMMENT ON TABLE invitation IS 'Invitations: each lets one program join as an agent, once. One that was used or withdrawn is deleted.';
COMMENT ON COLUMN invitation.user_id IS 'The user that invites.';
COMMENT ON COLUMN invitation.key_id IS 'The key that made it, without which it is void; null if a person made it.';
COMMENT ON COLUMN invitation.agent IS 'The name of the agent, which exists or is created.';
COMMENT ON COLUMN invitation.terms IS 'What the agent gets: banks, domains, the capabilities and the toolset of its key.';
COMMENT ON COLUMN invitation.powers IS 'What the inviting caller could grant at that time.';
CREATE UNIQUE INDEX invitation_code ON invitation (tenant_id, code_hash);
CREATE INDEX invitation_age ON invitation (expires_at);
CREATE INDEX invitation_user ON invitation (tenant_id, user_id);
CREATE INDEX invitation_key ON invitation (tenant_id, key_id) WHERE key_id IS NOT NULL;

CREATE TABLE idempotency (
    tenant_id    bigint      NOT NULL REFERENCES tenant ON DELETE CASCADE,
    principal    text        NOT NULL,
    key          text        NOT NULL,
    request_hash bytea       NOT NULL,
    answer       text,
    created_at   timestamptz NOT NULL,
    bytes        integer     GENERATED ALWAYS AS (octet_length(answer)) STORED,
    PRIMARY KEY (tenant_id, principal, key)
);
COMMENT ON TABLE idempotency IS 'The responses to calls with an idempotency key, for their repetition.';
COMMENT ON COLUMN idempotency.principal IS 'The caller: its key, session or token.';
COMMENT ON COLUMN idempotency.answer IS 'The response; null while the call runs.';
COMMENT ON COLUMN idempotency.bytes IS 'The length of the response. Only those longer than 4,096 are counted.';
CREATE INDEX idempotency_age ON idempotency (created_at);
CREATE INDEX idempotency_long ON idempotency (tenant_id, principal) INCLUDE (bytes) WHERE bytes > 4096;

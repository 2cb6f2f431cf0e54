-- Browsers that are signed in, the keys that their access tokens are signed with, and what tells the right master key.

CREATE TABLE browser_session (
    tenant_id    bigint      NOT NULL,
    id           text        NOT NULL,
    secret_hash  bytea       NOT NULL CHECK (length(secret_hash) = 32),
    user_id      bigint      NOT NULL,
    key_id       text,
    created_at   timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES app_user ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, key_id) REFERENCES api_key ON DELETE CASCADE
);
COMMENT ON COLUMN browser_session.key_id IS 'The key that began it: its powers are the session''s, and its end is the session''s end.';
COMMENT ON COLUMN browser_session.last_seen_at IS 'To the minute; the replica that serves it knows better.';
CREATE UNIQUE INDEX browser_session_id ON browser_session (id);
CREATE INDEX browser_session_user ON browser_session (tenant_id, user_id, key_id, created_at);
CREATE INDEX browser_session_key ON browser_session (tenant_id, key_id) WHERE key_id IS NOT NULL;
CREATE INDEX browser_session_expiry ON browser_session (expires_at);

-- Replicas remember whose a session is. Its use is written without a word, its end is told.
CREATE FUNCTION tell_session_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('callers_changed', 'session:' || OLD.id);
    RETURN NULL;
END $$;
CREATE TRIGGER browser_session_ended AFTER DELETE ON browser_session
    FOR EACH ROW EXECUTE FUNCTION tell_session_ended();

CREATE TABLE signing_key (
    id          text        PRIMARY KEY,
    public_key  bytea       NOT NULL,
    private_key text        NOT NULL,
    created_at  timestamptz NOT NULL
);
COMMENT ON TABLE signing_key IS 'What access tokens are signed with: the newest signs, the two newest are believed and published.';
COMMENT ON COLUMN signing_key.private_key IS 'Sealed under the master key.';

CREATE TABLE vault_check (
    one    boolean PRIMARY KEY DEFAULT true CHECK (one),
    sealed text    NOT NULL
);
COMMENT ON TABLE vault_check IS 'A known text under the master key: who cannot open it has another key.';

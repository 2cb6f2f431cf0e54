-- The authorization server. An access token is the secret of a key of its own, bound to an agent, that is renewed by refresh tokens.

CREATE TABLE oauth_client (
    id            text        PRIMARY KEY,
    name          text        NOT NULL,
    redirect_uris text[]      NOT NULL,
    secret_hash   bytea,
    created_at    timestamptz NOT NULL,
    used_at       timestamptz
);
COMMENT ON TABLE oauth_client IS 'The programs that registered themselves at the authorization server. They belong to no tenant.';
COMMENT ON COLUMN oauth_client.secret_hash IS 'The hash of its secret; null for a public client.';
COMMENT ON COLUMN oauth_client.used_at IS 'When a user last gave it access; null if none ever has.';
CREATE INDEX oauth_client_unused ON oauth_client (created_at) WHERE used_at IS NULL;

CREATE TABLE oauth_grant (
    tenant_id    bigint      NOT NULL,
    key_id       text        NOT NULL,
    client_id    text        NOT NULL,
    redirect_uri text        NOT NULL,
    challenge    text        NOT NULL,
    ends_at      timestamptz,
    PRIMARY KEY (tenant_id, key_id),
    FOREIGN KEY (tenant_id, key_id) REFERENCES api_key ON DELETE CASCADE
);
COMMENT ON TABLE oauth_grant IS 'Programs that a user gave access to. The secret of the key is the current access token.';
COMMENT ON COLUMN oauth_grant.challenge IS 'The SHA-256 of the verifier that the program must present with the code (PKCE).';
COMMENT ON COLUMN oauth_grant.ends_at IS 'When the credential of the user who gave it ends; null for never.';

CREATE TABLE oauth_secret (
    tenant_id  bigint      NOT NULL,
    hash       bytea       NOT NULL,
    key_id     text        NOT NULL,
    kind       text        NOT NULL CHECK (kind IN ('code', 'refresh')),
    used_at    timestamptz,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, hash),
    FOREIGN KEY (tenant_id, key_id) REFERENCES oauth_grant ON DELETE CASCADE
);
COMMENT ON TABLE oauth_secret IS 'Authorization codes and refresh tokens, each for one use. Used ones stay until they expire, so that a second use is noticed.';
CREATE UNIQUE INDEX oauth_secret_hash ON oauth_secret (hash);
CREATE INDEX oauth_secret_key ON oauth_secret (tenant_id, key_id);
CREATE INDEX oauth_secret_age ON oauth_secret (expires_at);

ALTER TABLE oauth_grant ALTER COLUMN tenant_id SET (n_distinct = 3);
ALTER TABLE oauth_secret ALTER COLUMN tenant_id SET (n_distinct = 3);

-- An assertion of a user by a trusted issuer gives a client access once.
CREATE TABLE oauth_assertion (
    tenant_id  bigint      NOT NULL,
    hash       bytea       NOT NULL CHECK (length(hash) = 32),
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, hash)
);
COMMENT ON TABLE oauth_assertion IS 'Assertions of users (ID-JAG) that a client used. Each works once.';
COMMENT ON COLUMN oauth_assertion.hash IS 'The hash of its issuer and its id (jti).';
CREATE INDEX oauth_assertion_age ON oauth_assertion (expires_at);

ALTER TABLE oauth_assertion ALTER COLUMN tenant_id SET (n_distinct = 3);

-- Signing in: browser sessions, identities at other providers, the keys that sign and seal, and the authorization server.

CREATE TABLE browser_session (
    tenant_id    bigint      NOT NULL,
    id           text        NOT NULL,
    secret_hash  bytea       NOT NULL CHECK (length(secret_hash) = 32),
    user_id      bigint      NOT NULL,
    key_id       text,
    created_at   timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    key_hash     bytea,
    by_person    boolean     NOT NULL DEFAULT false,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES app_user ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, key_id) REFERENCES api_key ON DELETE CASCADE
);
COMMENT ON TABLE browser_session IS 'The browsers that are signed in.';
COMMENT ON COLUMN browser_session.key_id IS 'The key that started it. The session has the capabilities of the key, and ends with it.';
COMMENT ON COLUMN browser_session.last_seen_at IS 'To the minute.';
COMMENT ON COLUMN browser_session.key_hash IS 'The hash of the key''s secret that started it. The session works as long as that secret does.';
COMMENT ON COLUMN browser_session.by_person IS 'Whether a person signed in, at the page or at a provider. A program''s session speaks for the program.';
CREATE INDEX browser_session_user ON browser_session (tenant_id, user_id, key_id, created_at);
CREATE INDEX browser_session_key ON browser_session (tenant_id, key_id) WHERE key_id IS NOT NULL;
CREATE INDEX browser_session_expiry ON browser_session (expires_at);

-- Signals that a session has ended. Its use is written without a signal.
CREATE FUNCTION tell_session_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('changes', 'session:' || OLD.id);
    RETURN NULL;
END $$;
CREATE TRIGGER browser_session_ended AFTER DELETE ON browser_session FOR EACH ROW EXECUTE FUNCTION tell_session_ended();
COMMENT ON TRIGGER browser_session_ended ON browser_session IS 'Every replica forgets a session that has ended, whatever ends it.';

CREATE TABLE sign_in (
    id         text        PRIMARY KEY,
    provider   text        NOT NULL,
    surface    text        NOT NULL,
    return_to  text        NOT NULL,
    expires_at timestamptz NOT NULL
);
COMMENT ON TABLE sign_in IS 'Sign-ins that were started at a provider. The browser has the secret; its return deletes the row.';
COMMENT ON COLUMN sign_in.surface IS 'Which page the sign-in is for.';
CREATE INDEX sign_in_expiry ON sign_in (expires_at);

CREATE TABLE external_identity (
    tenant_id  bigint      NOT NULL,
    issuer     text        NOT NULL,
    subject    text        NOT NULL,
    user_id    bigint      NOT NULL,
    created_at timestamptz NOT NULL,
    email      text,
    email_at   timestamptz,
    PRIMARY KEY (tenant_id, issuer, subject),
    FOREIGN KEY (tenant_id, user_id) REFERENCES app_user ON DELETE CASCADE
);
COMMENT ON TABLE external_identity IS 'Who a user is at a provider. The identity of a removed user remains, so that a sign-in does not create the user again.';
COMMENT ON COLUMN external_identity.email IS 'The address that the provider last reported as verified, with ASCII letters in lower case. It finds users, but never proves who a caller is.';
COMMENT ON COLUMN external_identity.email_at IS 'When the provider reported it; an older token does not change it. Infinity once the user is removed.';
CREATE INDEX external_identity_user ON external_identity (tenant_id, user_id);
CREATE INDEX external_identity_email ON external_identity (tenant_id, email) WHERE email IS NOT NULL;

-- Not unique: providers reassign addresses, and two providers of a tenant can report the same one. A unique index would refuse
-- the second user's sign-in, or take the address from the first. Who is meant is unknown then, so the address finds neither.
-- It is a function so that statements that name no address do not plan the look-up.
CREATE FUNCTION user_of_email(of_tenant bigint, address text) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT min(e.user_id)
              FROM external_identity e
              JOIN app_user u ON u.tenant_id = e.tenant_id AND u.id = e.user_id AND u.removed_at IS NULL
             WHERE e.tenant_id = of_tenant AND e.email = address
            HAVING min(e.user_id) = max(e.user_id));
END $$;
CREATE TRIGGER external_identity_ended AFTER DELETE OR UPDATE OF tenant_id, issuer, subject, user_id OR TRUNCATE ON external_identity
    FOR EACH STATEMENT EXECUTE FUNCTION tell_callers_changed();
COMMENT ON TRIGGER external_identity_ended ON external_identity IS 'Every replica forgets whose a changed identity is, whatever changes it.';

CREATE TABLE token_grant (
    tenant_id  bigint      NOT NULL,
    principal  text        NOT NULL,
    issuer     text        NOT NULL,
    subject    text        NOT NULL,
    scopes     text[]      NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, principal),
    FOREIGN KEY (tenant_id, issuer, subject) REFERENCES external_identity ON DELETE CASCADE
);
COMMENT ON TABLE token_grant IS 'What the newest access token of a caller allows, for work that continues after its request.';
CREATE INDEX token_grant_identity ON token_grant (tenant_id, issuer, subject);
CREATE INDEX token_grant_expiry ON token_grant (expires_at);

CREATE TABLE signing_key (
    id          text        PRIMARY KEY,
    public_key  bytea       NOT NULL,
    private_key text        NOT NULL,
    created_at  timestamptz NOT NULL
);
COMMENT ON TABLE signing_key IS 'The keys that sign access tokens. The newest one signs; the two newest are accepted and published.';
COMMENT ON COLUMN signing_key.private_key IS 'Encrypted with the master key.';

CREATE TABLE seal_key (
    id         integer     GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    secret     bytea       NOT NULL CHECK (length(secret) = 32),
    created_at timestamptz NOT NULL
);
COMMENT ON TABLE seal_key IS 'The keys that sign session ids and request states. The newest one signs; the two newest are accepted.';

CREATE TABLE vault_check (
    one    boolean PRIMARY KEY DEFAULT true CHECK (one),
    sealed text    NOT NULL
);
COMMENT ON TABLE vault_check IS 'A known text, encrypted with the master key. A replica that cannot decrypt it has another key.';

CREATE TABLE oauth_client (
    id            text        PRIMARY KEY,
    name          text        NOT NULL,
    redirect_uris text[]      NOT NULL,
    secret_hash   bytea,
    created_at    timestamptz NOT NULL,
    used_at       timestamptz,
    address       text,
    network       text,
    proves        boolean     NOT NULL DEFAULT false
);
COMMENT ON TABLE oauth_client IS 'The programs that registered themselves at the authorization server. They belong to no tenant.';
COMMENT ON COLUMN oauth_client.secret_hash IS 'The hash of its secret; null for a public client.';
COMMENT ON COLUMN oauth_client.used_at IS 'When a user last gave it access; null if none ever has.';
COMMENT ON COLUMN oauth_client.address IS 'Where it was registered from: an IPv4 address, or the /64 network of an IPv6 address.';
COMMENT ON COLUMN oauth_client.network IS 'The /24 or /48 network of that address.';
COMMENT ON COLUMN oauth_client.proves IS 'Whether it gets only tokens that are bound to a key of its own (dpop_bound_access_tokens).';
CREATE INDEX oauth_client_unused ON oauth_client (created_at) WHERE used_at IS NULL;

CREATE TABLE oauth_grant (
    tenant_id    bigint      NOT NULL,
    key_id       text        NOT NULL,
    client_id    text        NOT NULL,
    redirect_uri text        NOT NULL,
    challenge    text        NOT NULL,
    ends_at      timestamptz,
    keyed        boolean     NOT NULL DEFAULT false,
    proves       boolean     NOT NULL DEFAULT false,
    PRIMARY KEY (tenant_id, key_id),
    FOREIGN KEY (tenant_id, key_id) REFERENCES api_key ON DELETE CASCADE
);
COMMENT ON TABLE oauth_grant IS 'Programs that a user gave access to. The secret of the key is the current access token.';
COMMENT ON COLUMN oauth_grant.challenge IS 'The SHA-256 of the verifier that the program must present with the code (PKCE).';
COMMENT ON COLUMN oauth_grant.ends_at IS 'When the credential of the user who gave it ends; null for never.';
COMMENT ON COLUMN oauth_grant.keyed IS 'Whether the client must sign with its own key to get tokens (private_key_jwt).';
COMMENT ON COLUMN oauth_grant.proves IS 'Whether the client gets only tokens that are bound to a key of its own (DPoP).';

CREATE TABLE oauth_secret (
    tenant_id   bigint      NOT NULL,
    hash        bytea       NOT NULL,
    key_id      text        NOT NULL,
    kind        text        NOT NULL CHECK (kind IN ('code', 'refresh')),
    used_at     timestamptz,
    expires_at  timestamptz NOT NULL,
    token_hash  bytea,
    token_until timestamptz,
    proof_key   text,
    PRIMARY KEY (tenant_id, hash),
    FOREIGN KEY (tenant_id, key_id) REFERENCES oauth_grant ON DELETE CASCADE
);
COMMENT ON TABLE oauth_secret IS 'Authorization codes and refresh tokens, each for one use. Used ones stay until they expire, so that a second use is noticed.';
COMMENT ON COLUMN oauth_secret.token_hash IS 'The hash of the access token that came with a refresh token. It works until the refresh token is used, or expires.';
COMMENT ON COLUMN oauth_secret.proof_key IS 'The thumbprint of the key that its holder must prove to have (DPoP): with a code, or with the access token of a refresh token; null for none.';
CREATE INDEX oauth_secret_key ON oauth_secret (tenant_id, key_id);
CREATE INDEX oauth_secret_age ON oauth_secret (expires_at);

CREATE TABLE oauth_assertion (
    tenant_id  bigint      NOT NULL,
    hash       bytea       NOT NULL CHECK (length(hash) = 32),
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, hash)
);
COMMENT ON TABLE oauth_assertion IS 'Assertions of users (ID-JAG) that a client used. Each works once.';
COMMENT ON COLUMN oauth_assertion.hash IS 'The hash of its issuer and its id (jti).';
CREATE INDEX oauth_assertion_age ON oauth_assertion (expires_at);

CREATE UNLOGGED TABLE oauth_proof (
    tenant_id  bigint      NOT NULL,
    hash       bytea       NOT NULL CHECK (length(hash) = 32),
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, hash)
);
COMMENT ON TABLE oauth_proof IS 'Proofs of possession (DPoP) that a client used. Each works once. Unlogged: after a crash, those of the last minutes could be repeated.';
COMMENT ON COLUMN oauth_proof.hash IS 'The hash of its key, its id (jti), its method and its address.';
CREATE INDEX oauth_proof_age ON oauth_proof (expires_at);

-- Whom other providers have proved, and who is on the way back from one.

CREATE TABLE sign_in (
    id         text        PRIMARY KEY,
    provider   text        NOT NULL,
    surface    text        NOT NULL,
    return_to  text        NOT NULL,
    expires_at timestamptz NOT NULL
);
COMMENT ON TABLE sign_in IS 'Begun at a provider and not come back yet. Its secret is in the browser; coming back takes the row.';
CREATE INDEX sign_in_expiry ON sign_in (expires_at);

CREATE TABLE external_identity (
    tenant_id  bigint      NOT NULL,
    issuer     text        NOT NULL,
    subject    text        NOT NULL,
    user_id    bigint      NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, issuer, subject),
    FOREIGN KEY (tenant_id, user_id) REFERENCES app_user ON DELETE CASCADE
);
COMMENT ON TABLE external_identity IS 'Who a user is at a provider. That of a user who was removed stays, so that signing in does not bring it back.';
CREATE INDEX external_identity_user ON external_identity (tenant_id, user_id);

-- Who asks at the MCP door with access tokens of another issuer.

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
COMMENT ON TABLE token_grant IS 'What the newest access token of a principal allows, and until when: for work that goes on when its request is over.';
CREATE UNIQUE INDEX token_grant_principal ON token_grant (principal);
CREATE INDEX token_grant_identity ON token_grant (tenant_id, issuer, subject);
CREATE INDEX token_grant_expiry ON token_grant (expires_at);

CREATE TRIGGER external_identity_ended AFTER UPDATE OR DELETE OR TRUNCATE ON external_identity
    FOR EACH STATEMENT EXECUTE FUNCTION tell_callers_changed();

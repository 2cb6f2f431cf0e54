-- How clients of MCP met the service, whichever replica they met: written in the background, the latest few of each key.

CREATE TABLE handshake (
    tenant_id        bigint      NOT NULL,
    id               uuid        NOT NULL,
    place            int         NOT NULL,
    holder           text        NOT NULL,
    user_id          bigint      NOT NULL,
    key_id           text,
    proven           boolean     NOT NULL,
    source           uuid        NOT NULL,
    at               timestamptz NOT NULL,
    times            bigint      NOT NULL,
    era              text        NOT NULL,
    method           text,
    client_name      text,
    client_version   text,
    protocol_version text,
    user_agent       text,
    toolset          text,
    status           int         NOT NULL,
    code             int,
    flaw             text,
    note             text,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, key_id) REFERENCES api_key ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, user_id) REFERENCES app_user ON DELETE CASCADE
);
COMMENT ON COLUMN handshake.place IS 'Of those of one moment the later has the greater.';
COMMENT ON COLUMN handshake.holder IS 'key:<id>, or user:<id> of who came without a key.';
COMMENT ON COLUMN handshake.proven IS 'Whether the whole key came; if not, only its id did, and anybody may have sent it.';
COMMENT ON COLUMN handshake.source IS 'The same for what one client sends: who it says it is, and how it speaks.';
COMMENT ON COLUMN handshake.flaw IS 'What was wrong; null where nothing was.';
CREATE INDEX handshake_latest ON handshake (tenant_id, holder, at DESC, place DESC);
CREATE INDEX handshake_key ON handshake (tenant_id, key_id) WHERE key_id IS NOT NULL;
CREATE INDEX handshake_user ON handshake (tenant_id, user_id);
CREATE INDEX handshake_age ON handshake (at);

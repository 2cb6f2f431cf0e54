-- Other MCP servers that tenants installed, and what they have: tools, resources and prompts.

CREATE TABLE upstream (
    tenant_id     bigint      NOT NULL REFERENCES tenant ON DELETE CASCADE,
    name          text        NOT NULL,
    url           text        NOT NULL,
    credential    jsonb       NOT NULL,
    secret        text,
    timeout_ms    integer     NOT NULL,
    era           text,
    revision      bigint      NOT NULL DEFAULT 1,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    refreshed_at  timestamptz,
    failing_since timestamptz,
    last_error    text,
    last_error_at timestamptz,
    p50_ms        integer,
    p99_ms        integer,
    PRIMARY KEY (tenant_id, name)
);
COMMENT ON TABLE upstream IS 'Other MCP servers that a tenant installed.';
COMMENT ON COLUMN upstream.credential IS 'What may be shown of its credential: the kind, and the fields that are no secrets.';
COMMENT ON COLUMN upstream.secret IS 'The secret of its credential, sealed with the master key.';
COMMENT ON COLUMN upstream.era IS 'The revision of the protocol that it speaks, as it was probed.';
COMMENT ON COLUMN upstream.p50_ms IS 'The median duration of the last calls of the replica that wrote it last.';

-- Signals all replicas to read the upstream servers of a tenant again. Their health does not matter to that.
CREATE FUNCTION tell_upstream_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('changes', 'upstreams:' || COALESCE(NEW.tenant_id, OLD.tenant_id));
    RETURN NULL;
END $$;
CREATE TRIGGER upstream_changed AFTER INSERT OR DELETE OR UPDATE OF revision ON upstream FOR EACH ROW EXECUTE FUNCTION tell_upstream_changed();
COMMENT ON TRIGGER upstream_changed ON upstream IS 'Every replica reads changed upstream servers and their tools within a second.';

CREATE TABLE upstream_tool (
    tenant_id       bigint      NOT NULL,
    upstream        text        NOT NULL,
    tool            text        NOT NULL,
    name            text        NOT NULL,
    definition      jsonb       NOT NULL,
    digest          text        NOT NULL,
    approved        jsonb,
    approved_digest text,
    approved_at     timestamptz,
    state           text        NOT NULL CHECK (state IN ('approved', 'held', 'gone')),
    reason          text,
    PRIMARY KEY (tenant_id, upstream, tool),
    UNIQUE (tenant_id, name),
    FOREIGN KEY (tenant_id, upstream) REFERENCES upstream ON DELETE CASCADE
);
COMMENT ON TABLE upstream_tool IS 'The tools of upstream servers. Only approved ones are listed and called.';
COMMENT ON COLUMN upstream_tool.tool IS 'The name that the server gives it.';
COMMENT ON COLUMN upstream_tool.name IS 'Its name here.';
COMMENT ON COLUMN upstream_tool.definition IS 'What the server said of it last.';
COMMENT ON COLUMN upstream_tool.digest IS 'The SHA-256 of the definition.';
COMMENT ON COLUMN upstream_tool.approved IS 'The definition that was approved; null if none was.';
COMMENT ON COLUMN upstream_tool.reason IS 'Why it is held, in words for an admin.';

CREATE TABLE upstream_content (
    tenant_id       bigint      NOT NULL,
    upstream        text        NOT NULL,
    kind            text        NOT NULL CHECK (kind IN ('resource', 'template', 'prompt')),
    item            text        NOT NULL,
    name            text        NOT NULL,
    definition      jsonb       NOT NULL,
    digest          text        NOT NULL,
    approved        jsonb,
    approved_digest text,
    approved_at     timestamptz,
    state           text        NOT NULL CHECK (state IN ('approved', 'held', 'gone')),
    reason          text,
    PRIMARY KEY (tenant_id, upstream, kind, item),
    UNIQUE (tenant_id, name),
    FOREIGN KEY (tenant_id, upstream) REFERENCES upstream ON DELETE CASCADE
);
COMMENT ON TABLE upstream_content IS 'Resources, templates of resources and prompts of upstream servers. Only approved ones are listed and read.';
COMMENT ON COLUMN upstream_content.item IS 'The URI, template or name that the server gives it.';
COMMENT ON COLUMN upstream_content.name IS 'Its URI, template or name here.';
COMMENT ON COLUMN upstream_content.definition IS 'What the server said of it last.';
COMMENT ON COLUMN upstream_content.digest IS 'The SHA-256 of the definition.';
COMMENT ON COLUMN upstream_content.approved IS 'The definition that was approved; null if none was.';
COMMENT ON COLUMN upstream_content.reason IS 'Why it is held, in words for an admin.';

CREATE TABLE upstream_round (
    tenant_id  bigint      NOT NULL,
    id         uuid        NOT NULL,
    call       text        NOT NULL,
    answers    text        NOT NULL,
    outcome    text,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
COMMENT ON TABLE upstream_round IS 'Answers to a server''s questions that reached another replica than the one whose call waits for them.';
COMMENT ON COLUMN upstream_round.call IS 'The id of the call that waits.';
COMMENT ON COLUMN upstream_round.answers IS 'JSON: the client''s answers, by the keys of the questions.';
COMMENT ON COLUMN upstream_round.outcome IS 'JSON: the result, further questions, or why there is neither; null until the call goes on.';
CREATE INDEX upstream_round_expiry ON upstream_round (expires_at);

CREATE TABLE upstream_account (
    tenant_id      bigint      NOT NULL,
    upstream       text        NOT NULL,
    user_id        bigint      NOT NULL,
    url            text        NOT NULL,
    tokens         text        NOT NULL,
    version        bigint      NOT NULL DEFAULT 1,
    renew_at       timestamptz,
    renewed_at     timestamptz NOT NULL,
    renewing_until timestamptz,
    connected_at   timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, upstream, user_id),
    FOREIGN KEY (tenant_id, upstream) REFERENCES upstream ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, user_id) REFERENCES app_user ON DELETE CASCADE
);
COMMENT ON TABLE upstream_account IS 'The accounts of their own that users have connected at servers. They end when the user is removed.';
COMMENT ON COLUMN upstream_account.url IS 'The address of the server that the tokens are for. At another address they are not used.';
COMMENT ON COLUMN upstream_account.tokens IS 'The tokens, encrypted with the master key for this user.';
COMMENT ON COLUMN upstream_account.version IS 'Changes with the tokens.';
COMMENT ON COLUMN upstream_account.renew_at IS 'When the access token has to be renewed; null if nobody knows how long it is valid.';
COMMENT ON COLUMN upstream_account.renewing_until IS 'A replica renews the tokens, and no other before this time.';
CREATE INDEX upstream_account_user ON upstream_account (tenant_id, user_id);

CREATE TABLE upstream_client (
    tenant_id    bigint      NOT NULL,
    upstream     text        NOT NULL,
    issuer       text        NOT NULL,
    redirect_uri text        NOT NULL,
    client       text        NOT NULL,
    expires_at   timestamptz,
    created_at   timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, upstream, issuer),
    FOREIGN KEY (tenant_id, upstream) REFERENCES upstream ON DELETE CASCADE
);
COMMENT ON TABLE upstream_client IS 'Who the engine is at the authorization servers at which it registered for a server.';
COMMENT ON COLUMN upstream_client.redirect_uri IS 'Where browsers come back. At another address of the engine, it registers again.';
COMMENT ON COLUMN upstream_client.client IS 'The id and the secret, encrypted with the master key.';

CREATE TABLE upstream_connection (
    tenant_id  bigint      NOT NULL,
    id         text        NOT NULL,
    upstream   text        NOT NULL,
    user_id    bigint      NOT NULL,
    session_id text        NOT NULL,
    request    text        NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, upstream) REFERENCES upstream ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, user_id) REFERENCES app_user ON DELETE CASCADE
);
COMMENT ON TABLE upstream_connection IS 'Browsers that were sent to an authorization server to connect an account. The return deletes the row.';
COMMENT ON COLUMN upstream_connection.id IS 'The SHA-256 of the state.';
COMMENT ON COLUMN upstream_connection.session_id IS 'The browser session to which it must return.';
COMMENT ON COLUMN upstream_connection.request IS 'What was sent and what is expected, encrypted with the master key.';
CREATE INDEX upstream_connection_user ON upstream_connection (tenant_id, user_id);
CREATE INDEX upstream_connection_upstream ON upstream_connection (tenant_id, upstream);
CREATE INDEX upstream_connection_expiry ON upstream_connection (expires_at);

-- PostgreSQL expects that each tenant has about as many rows as another. Among a thousand small tenants it would take any index
-- that begins with the tenant for as good as the primary key, and read all rows of a large one. So it is told to expect a third of
-- each table in one tenant. PlansTest checks the plans that follow from that.
DO $$
DECLARE
    one record;
BEGIN
    FOR one IN
        SELECT c.oid::regclass AS name
          FROM pg_class c
          JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped
         WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
    LOOP
        EXECUTE format('ALTER TABLE %s ALTER COLUMN tenant_id SET (n_distinct = 3)', one.name);
    END LOOP;
END $$;

-- Upstream servers: other MCP servers that a tenant installed, and the tools that they have.
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

CREATE TABLE upstream_tool (
    tenant_id   bigint      NOT NULL,
    upstream    text        NOT NULL,
    tool        text        NOT NULL,
    name        text        NOT NULL,
    definition  jsonb       NOT NULL,
    digest      text        NOT NULL,
    approved    jsonb,
    approved_digest text,
    approved_at timestamptz,
    state       text        NOT NULL CHECK (state IN ('approved', 'held', 'gone')),
    reason      text,
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

CREATE FUNCTION tell_upstream_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('callers_changed', 'upstreams:' || COALESCE(NEW.tenant_id, OLD.tenant_id));
    RETURN NULL;
END $$;
CREATE TRIGGER upstream_changed AFTER INSERT OR DELETE OR UPDATE OF revision ON upstream
    FOR EACH ROW EXECUTE FUNCTION tell_upstream_changed();
COMMENT ON TRIGGER upstream_changed ON upstream IS 'Every replica reads changed upstream servers and their tools within a second.';

ALTER TABLE upstream ALTER COLUMN tenant_id SET (n_distinct = 3);
ALTER TABLE upstream_tool ALTER COLUMN tenant_id SET (n_distinct = 3);

-- Keys as people manage them: what each is for and limited to, whose child it is, how it is rotated, what it is used for.

ALTER TABLE api_key
    ADD COLUMN environment         text,
    ADD COLUMN toolset             text[],
    ADD COLUMN confirm_destructive boolean NOT NULL DEFAULT false,
    ADD COLUMN parent_id           text,
    ADD COLUMN ancestors           text[]  NOT NULL DEFAULT '{}',
    ADD COLUMN rotated_at          timestamptz,
    ADD COLUMN previous_hash       bytea,
    ADD COLUMN previous_until      timestamptz,
    ADD COLUMN revision            bigint  NOT NULL DEFAULT 1,
    ADD FOREIGN KEY (tenant_id, parent_id) REFERENCES api_key ON DELETE CASCADE;
COMMENT ON COLUMN api_key.toolset IS 'The toolsets that it is limited to; null for no limit.';
COMMENT ON COLUMN api_key.ancestors IS 'The keys that it depends on, its parent last: what one of them lost it has not.';
COMMENT ON COLUMN api_key.previous_hash IS 'Of the secret from before the rotation, which works until previous_until.';
CREATE INDEX api_key_newest ON api_key (tenant_id, created_at DESC, id DESC);
CREATE INDEX api_key_user ON api_key (tenant_id, user_id);
CREATE INDEX api_key_parent ON api_key (tenant_id, parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX api_key_agent ON api_key (tenant_id, agent_id) WHERE agent_id IS NOT NULL;
CREATE INDEX api_key_child_age ON api_key (expires_at) WHERE parent_id IS NOT NULL;

-- Beside the key, so that using it does not change it: every change of a key makes all replicas forget whom they know.
CREATE TABLE key_seen (
    tenant_id        bigint NOT NULL,
    key_id           text   NOT NULL,
    used_at          timestamptz,
    client           text,
    previous_used_at timestamptz,
    PRIMARY KEY (tenant_id, key_id),
    FOREIGN KEY (tenant_id, key_id) REFERENCES api_key ON DELETE CASCADE
);
COMMENT ON TABLE key_seen IS 'When each key was last used, to the minute, and by which program.';

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
CREATE INDEX key_usage_age ON key_usage (day);

-- A new key changes nothing of what is known about others: only that its own id was unknown.
CREATE FUNCTION tell_key_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('callers_changed', NEW.id);
    RETURN NULL;
END $$;
DROP TRIGGER api_key_changed ON api_key;
CREATE TRIGGER api_key_added AFTER INSERT ON api_key FOR EACH ROW EXECUTE FUNCTION tell_key_added();
CREATE TRIGGER api_key_changed AFTER UPDATE OR DELETE OR TRUNCATE ON api_key
    FOR EACH STATEMENT EXECUTE FUNCTION tell_callers_changed();

CREATE TRIGGER api_key_toolset_changed AFTER UPDATE OF toolset ON api_key
    FOR EACH ROW EXECUTE FUNCTION tell_tools_changed('user_id');

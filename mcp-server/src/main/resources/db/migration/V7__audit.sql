-- Who did what to which thing, from where, with what result. Without foreign keys: entries outlive what they tell of,
-- and writing one waits for nothing.

CREATE TABLE audit (
    tenant_id   bigint      NOT NULL,
    at          timestamptz NOT NULL,
    row_id      uuid        NOT NULL,
    user_name   text        NOT NULL,
    user_key    text        NOT NULL,
    acting_for  text,
    credential  text        NOT NULL,
    key_id      text,
    key_name    text,
    agent       text,
    tool        text        NOT NULL,
    target_kind text        NOT NULL,
    target      text,
    target_id   text,
    target_key  text,
    renamed_to  text,
    member      text,
    door        text,
    address     text,
    client      text,
    result      text        NOT NULL,
    request_id  text        NOT NULL,
    PRIMARY KEY (tenant_id, at, row_id)
);
COMMENT ON TABLE audit IS 'An entry is written in the transaction of what it tells of; one of a refusal in the background.';
COMMENT ON COLUMN audit.target_key IS 'What the target is found by: its id, else its name as names are compared.';

-- One for each filter, so that every page is a walk along one index.
CREATE INDEX audit_user ON audit (tenant_id, user_key, at, row_id);
CREATE INDEX audit_tool ON audit (tenant_id, tool, at, row_id);
CREATE INDEX audit_target ON audit (tenant_id, target_kind, target_key, at, row_id) WHERE target_key IS NOT NULL;
CREATE INDEX audit_refused ON audit (tenant_id, at, row_id) WHERE result <> 'done';
CREATE INDEX audit_result ON audit (tenant_id, result, at, row_id) WHERE result <> 'done';
CREATE INDEX audit_age ON audit (at);

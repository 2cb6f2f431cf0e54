-- The audit, the rules and the skills of a tenant.

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
    times       integer,
    rules       text[],
    before      text,
    after       text,
    details     text,
    dry_run     boolean,
    note        text,
    arguments   text[],
    item        text,
    PRIMARY KEY (tenant_id, at, row_id)
);
COMMENT ON TABLE audit IS 'Who did what to which thing, from where, with what result. Without foreign keys: entries outlive what they describe.';
COMMENT ON COLUMN audit.user_key IS 'The user''s name, as names are compared.';
COMMENT ON COLUMN audit.acting_for IS 'The user that an admin acted for.';
COMMENT ON COLUMN audit.credential IS 'What the caller authenticated with.';
COMMENT ON COLUMN audit.target_key IS 'What the target is found by: its id, or its name as names are compared; for a document always its name.';
COMMENT ON COLUMN audit.door IS 'The endpoint: MCP, REST, A2A or the console.';
COMMENT ON COLUMN audit.times IS 'How many refusals the entry stands for; null if it describes one call.';
COMMENT ON COLUMN audit.rules IS 'The rules that matched the call.';
COMMENT ON COLUMN audit.before IS 'The text of a changed rule before the change.';
COMMENT ON COLUMN audit.after IS 'Its text after the change.';
COMMENT ON COLUMN audit.details IS 'What else the call did, such as with the memories of a deleted document.';
COMMENT ON COLUMN audit.dry_run IS 'Whether the call only showed what it would change; null if it changed it.';
COMMENT ON COLUMN audit.note IS 'Why the call was refused, without what the note quotes of the request.';
COMMENT ON COLUMN audit.arguments IS 'The names of the call''s arguments, without their contents.';
COMMENT ON COLUMN audit.item IS 'The id of the message or memory that the call wrote.';
-- One for each filter, so that every page is a walk along one index.
CREATE INDEX audit_user ON audit (tenant_id, user_key, at, row_id);
CREATE INDEX audit_tool ON audit (tenant_id, tool, at, row_id);
CREATE INDEX audit_target ON audit (tenant_id, target_kind, target_key, at, row_id) WHERE target_key IS NOT NULL;
CREATE INDEX audit_refused ON audit (tenant_id, at, row_id) WHERE result <> 'done';
CREATE INDEX audit_result ON audit (tenant_id, result, at, row_id) WHERE result <> 'done';
-- Entries of a document are found by its name. This finds those of one version.
CREATE INDEX audit_version ON audit (tenant_id, target_id, at, row_id) WHERE target_kind = 'document';

CREATE TABLE rule (
    tenant_id     bigint      NOT NULL REFERENCES tenant ON DELETE CASCADE,
    id            uuid        NOT NULL,
    name          text        NOT NULL,
    name_key      text        COLLATE "C" NOT NULL,
    description   text,
    applies_to    text[]      NOT NULL CHECK (cardinality(applies_to) > 0),
    expression    text        NOT NULL,
    template      text,
    parameters    json,
    effect        text        NOT NULL CHECK (effect IN ('deny', 'audit')),
    message       text        NOT NULL,
    enabled       boolean     NOT NULL,
    priority      integer     NOT NULL,
    mode          text        NOT NULL CHECK (mode IN ('enforce', 'shadow')),
    examples      json        NOT NULL,
    revision      bigint      NOT NULL DEFAULT 1,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    counted_since timestamptz NOT NULL,
    matched       bigint      NOT NULL DEFAULT 0,
    matched_at    timestamptz,
    failed        bigint      NOT NULL DEFAULT 0,
    failed_at     timestamptz,
    failure       text,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, name_key)
);
COMMENT ON TABLE rule IS 'The rules of a tenant: what is refused or noted in the audit.';
COMMENT ON COLUMN rule.expression IS 'In CEL; for a template, with its parameters.';
COMMENT ON COLUMN rule.counted_since IS 'When its effect was last changed. matched and failed count from then on.';

-- Signals all replicas to read the rules of a tenant again. The counts of a rule do not matter to them.
CREATE FUNCTION tell_rule_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('changes', 'rules:' || COALESCE(NEW.tenant_id, OLD.tenant_id));
    RETURN NULL;
END $$;
CREATE TRIGGER rule_changed AFTER INSERT OR DELETE OR UPDATE OF revision ON rule FOR EACH ROW EXECUTE FUNCTION tell_rule_changed();
COMMENT ON TRIGGER rule_changed ON rule IS 'Every replica applies changed rules within a second, whatever changes them.';

CREATE TABLE skill (
    tenant_id  bigint      NOT NULL REFERENCES tenant ON DELETE CASCADE,
    name       text        NOT NULL,
    card       json        NOT NULL,
    size       bigint      NOT NULL,
    revision   bigint      NOT NULL DEFAULT 1,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, name)
);
COMMENT ON TABLE skill IS 'The skills of a tenant. Those that the engine ships have no row.';
COMMENT ON COLUMN skill.card IS 'What lists show: the front matter, and the files with their digests. As json, which preserves the order of fields.';
COMMENT ON COLUMN skill.size IS 'The bytes of all its files.';

CREATE TABLE skill_file (
    tenant_id bigint NOT NULL,
    skill     text   NOT NULL,
    path      text   NOT NULL,
    content   bytea  NOT NULL,
    PRIMARY KEY (tenant_id, skill, path),
    FOREIGN KEY (tenant_id, skill) REFERENCES skill ON DELETE CASCADE
);
COMMENT ON TABLE skill_file IS 'The files of a skill.';

CREATE TABLE skill_install (
    tenant_id    bigint      NOT NULL,
    agent_id     bigint      NOT NULL,
    skill        text        NOT NULL,
    installed_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, agent_id, skill),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agent ON DELETE CASCADE
);
COMMENT ON TABLE skill_install IS 'The skills of each agent.';
CREATE INDEX skill_install_skill ON skill_install (tenant_id, skill);

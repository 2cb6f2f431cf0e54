-- Rules of a tenant: what is denied, or noted in the audit, by expressions over requests and documents.

CREATE TABLE rule (
    tenant_id     bigint      NOT NULL,
    id            uuid        NOT NULL,
    name          text        NOT NULL,
    name_key      text        NOT NULL,
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
    UNIQUE (tenant_id, name_key),
    FOREIGN KEY (tenant_id) REFERENCES tenant ON DELETE CASCADE
);
COMMENT ON COLUMN rule.expression IS 'In CEL; of a template, with its parameters filled in.';
COMMENT ON COLUMN rule.counted_since IS 'When what it does was last changed: matched and failed count from then on.';

-- Every replica reads the tenant''s rules again; counting changes nothing that they would have to know.
CREATE FUNCTION tell_rule_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('callers_changed', 'rules:' || COALESCE(NEW.tenant_id, OLD.tenant_id));
    RETURN NULL;
END $$;
CREATE TRIGGER rule_changed AFTER INSERT OR DELETE OR UPDATE OF revision ON rule
    FOR EACH ROW EXECUTE FUNCTION tell_rule_changed();

ALTER TABLE audit ADD COLUMN rules text[], ADD COLUMN before text, ADD COLUMN after text;
COMMENT ON COLUMN audit.rules IS 'The rules that matched the call.';
COMMENT ON COLUMN audit.before IS 'Of a change of a rule: its text before and after it.';
-- A replay of a rule walks over what was carried out, newest first.
CREATE INDEX audit_done ON audit (tenant_id, at DESC, row_id DESC) WHERE result IN ('done', 'rule_refused');

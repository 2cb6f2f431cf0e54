-- Skills of a tenant's own, and the skills that its agents have.

CREATE TABLE skill (
    tenant_id  bigint      NOT NULL,
    name       text        NOT NULL,
    card       json        NOT NULL,
    size       bigint      NOT NULL,
    revision   bigint      NOT NULL DEFAULT 1,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, name),
    FOREIGN KEY (tenant_id) REFERENCES tenant ON DELETE CASCADE
);
COMMENT ON COLUMN skill.card IS 'What lists show: frontmatter, and the files with their digests. json, which keeps the order of fields.';
COMMENT ON COLUMN skill.size IS 'In bytes, of all its files.';

CREATE TABLE skill_file (
    tenant_id bigint NOT NULL,
    skill     text   NOT NULL,
    path      text   NOT NULL,
    content   bytea  NOT NULL,
    PRIMARY KEY (tenant_id, skill, path),
    FOREIGN KEY (tenant_id, skill) REFERENCES skill ON DELETE CASCADE
);

-- Of skills that the service ships there is no row elsewhere.
CREATE TABLE skill_install (
    tenant_id    bigint      NOT NULL,
    agent_id     bigint      NOT NULL,
    skill        text        NOT NULL,
    installed_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, agent_id, skill),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agent ON DELETE CASCADE
);
CREATE INDEX skill_install_skill ON skill_install (tenant_id, skill);

CREATE FUNCTION tell_skill_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    tenant bigint := COALESCE(NEW.tenant_id, OLD.tenant_id);
BEGIN
    PERFORM tell_changed(tenant, 'skill', ARRAY[COALESCE(NEW.name, OLD.name)], NULL);
    PERFORM tell_changed(tenant, 'resources', '{}', NULL);
    PERFORM tell_changed(tenant, 'prompts', '{}', NULL);
    RETURN NULL;
END $$;
CREATE TRIGGER skill_changed AFTER INSERT OR UPDATE OR DELETE ON skill
    FOR EACH ROW EXECUTE FUNCTION tell_skill_changed();

-- An agent's record names its skills.
CREATE FUNCTION tell_skill_installed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_changed(a.tenant_id, 'agent', ARRAY[a.name_key], concerned(a.access, a.owner_id))
       FROM agent a
      WHERE a.tenant_id = COALESCE(NEW.tenant_id, OLD.tenant_id) AND a.id = COALESCE(NEW.agent_id, OLD.agent_id);
    RETURN NULL;
END $$;
CREATE TRIGGER skill_installed AFTER INSERT OR DELETE ON skill_install
    FOR EACH ROW EXECUTE FUNCTION tell_skill_installed();

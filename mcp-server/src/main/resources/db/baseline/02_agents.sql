-- Agents: who owns them, who has them on a roster, and what they were before.

CREATE TABLE agent (
    tenant_id    bigint      NOT NULL,
    id           bigint      NOT NULL DEFAULT nextval('entity_id'),
    name         text        NOT NULL,
    name_key     text        COLLATE "C" NOT NULL,
    description  text        NOT NULL,
    profile      text,
    access       text        NOT NULL CHECK (access IN ('private', 'agent', 'domain', 'public')),
    owner_id     bigint      NOT NULL,
    revision     bigint      NOT NULL DEFAULT 1,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    destroyed_at timestamptz,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, owner_id) REFERENCES app_user
);
ALTER TABLE agent ALTER COLUMN owner_id SET (n_distinct = 100);
COMMENT ON TABLE agent IS 'The agents. A destroyed one remains as a name on its messages and memories.';
COMMENT ON COLUMN agent.access IS 'Who else may see it.';
COMMENT ON COLUMN agent.destroyed_at IS 'Since then it is visible nowhere else.';
CREATE INDEX agent_owner ON agent (tenant_id, owner_id) WHERE destroyed_at IS NULL;
CREATE UNIQUE INDEX agent_name ON agent (tenant_id, name_key) WHERE destroyed_at IS NULL;
CREATE INDEX agent_any_name ON agent (tenant_id, name_key);

-- Whoever can send or receive a message.
CREATE VIEW party AS
    SELECT tenant_id, id, name, 'user' AS kind FROM app_user
    UNION ALL
    SELECT tenant_id, id, name, 'agent' AS kind FROM agent;

-- The users who may learn of a thing; null for everyone in the tenant.
CREATE FUNCTION concerned(access text, owner bigint) RETURNS bigint[] LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN access = 'private' THEN ARRAY[owner] END;
$$;

CREATE FUNCTION tell_agent_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_changed(NEW.tenant_id, 'agent', ARRAY[NEW.name_key], concerned(NEW.access, NEW.owner_id));
    IF TG_OP = 'INSERT' THEN
        PERFORM tell_changed(NEW.tenant_id, 'resources', '{}', concerned(NEW.access, NEW.owner_id));
    ELSIF NEW.name <> OLD.name OR NEW.access <> OLD.access OR NEW.destroyed_at IS DISTINCT FROM OLD.destroyed_at THEN
        IF NEW.name_key <> OLD.name_key THEN
            PERFORM tell_changed(OLD.tenant_id, 'agent', ARRAY[OLD.name_key], concerned(OLD.access, OLD.owner_id));
        END IF;
        PERFORM tell_changed(
            NEW.tenant_id, 'resources', '{}',
            CASE WHEN OLD.access = 'private' THEN concerned(NEW.access, NEW.owner_id) END);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER agent_changed AFTER INSERT OR UPDATE ON agent FOR EACH ROW EXECUTE FUNCTION tell_agent_changed();
COMMENT ON TRIGGER agent_changed ON agent IS 'Announces the change.';
CREATE TRIGGER zz_owner_is_there AFTER INSERT OR UPDATE OF owner_id ON agent FOR EACH ROW EXECUTE FUNCTION refuse_removed_owner();
COMMENT ON TRIGGER zz_owner_is_there ON agent IS 'Nothing belongs to a user who was removed at the same time.';
CREATE TRIGGER counted_added AFTER INSERT ON agent REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_added('agents');
COMMENT ON TRIGGER counted_added ON agent IS 'A plan limits agents, whatever creates them.';
CREATE TRIGGER counted_ended AFTER UPDATE OF destroyed_at ON agent
    FOR EACH ROW WHEN (OLD.destroyed_at IS NULL AND NEW.destroyed_at IS NOT NULL) EXECUTE FUNCTION count_ended('agents');
COMMENT ON TRIGGER counted_ended ON agent IS 'A destroyed agent no longer counts for the plan.';
CREATE TRIGGER counted_gone AFTER DELETE ON agent FOR EACH ROW WHEN (OLD.destroyed_at IS NULL) EXECUTE FUNCTION count_ended('agents');
COMMENT ON TRIGGER counted_gone ON agent IS 'An agent that goes with its tenant no longer counts for the plan.';
CREATE TRIGGER access_begun AFTER INSERT OR DELETE ON agent FOR EACH ROW EXECUTE FUNCTION tell_access_changed();
COMMENT ON TRIGGER access_begun ON agent IS 'Announces the change.';

CREATE FUNCTION tell_live(tenant bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('mcp', json_build_object('t', tenant, 'k', 'live', 'n', '[]'::json)::text);
END $$;

CREATE FUNCTION log_presence(tenant bigint, agent bigint, action text, domain bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF agent IS NOT NULL AND listened_to(tenant) THEN
        INSERT INTO live_event (tenant_id, topic, action, place, other) VALUES (tenant, 'presence', action, agent, domain);
        PERFORM tell_live(tenant);
    END IF;
END $$;

CREATE FUNCTION live_agent() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM log_presence(NEW.tenant_id, NEW.id,
                         CASE WHEN TG_OP = 'INSERT' THEN 'created'
                              WHEN NEW.destroyed_at IS NOT NULL THEN 'destroyed'
                              ELSE 'updated' END, NULL);
    RETURN NULL;
END $$;
CREATE TRIGGER live_created AFTER INSERT ON agent FOR EACH ROW EXECUTE FUNCTION live_agent();
COMMENT ON TRIGGER live_created ON agent IS 'Announces the change.';
CREATE TRIGGER live_changed AFTER UPDATE ON agent
    FOR EACH ROW WHEN (NEW.revision IS DISTINCT FROM OLD.revision OR NEW.destroyed_at IS DISTINCT FROM OLD.destroyed_at)
    EXECUTE FUNCTION live_agent();
COMMENT ON TRIGGER live_changed ON agent IS 'Announces the change.';
CREATE TRIGGER access_changed AFTER UPDATE ON agent
    FOR EACH ROW
    WHEN (NEW.name_key IS DISTINCT FROM OLD.name_key OR NEW.access IS DISTINCT FROM OLD.access OR NEW.owner_id IS DISTINCT FROM OLD.owner_id OR NEW.destroyed_at IS DISTINCT FROM OLD.destroyed_at)
    EXECUTE FUNCTION tell_access_changed();
COMMENT ON TRIGGER access_changed ON agent IS 'Announces the change.';

CREATE TABLE agent_revision (
    tenant_id   bigint      NOT NULL,
    agent_id    bigint      NOT NULL,
    revision    bigint      NOT NULL,
    name        text        NOT NULL,
    description text        NOT NULL,
    profile     text,
    access      text        NOT NULL,
    editor_id   bigint      NOT NULL,
    stored_at   timestamptz NOT NULL,
    replaced_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, agent_id, revision),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agent ON DELETE CASCADE
);
COMMENT ON TABLE agent_revision IS 'The former revisions of agents, with the names and access of their time.';
COMMENT ON COLUMN agent_revision.editor_id IS 'Who replaced it: the agent that the caller was logged on as, otherwise the user.';
CREATE INDEX agent_revision_age ON agent_revision (replaced_at);

CREATE TABLE roster (
    tenant_id bigint      NOT NULL,
    user_id   bigint      NOT NULL,
    agent_id  bigint      NOT NULL,
    added_at  timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, user_id, agent_id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES app_user ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agent ON DELETE CASCADE
);
COMMENT ON TABLE roster IS 'The agents that each user has put on its list.';
CREATE INDEX roster_agent ON roster (tenant_id, agent_id);

CREATE FUNCTION tell_roster_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_changed(COALESCE(NEW.tenant_id, OLD.tenant_id), 'resources', '{}',
                         ARRAY[COALESCE(NEW.user_id, OLD.user_id)]);
    RETURN NULL;
END $$;
CREATE TRIGGER roster_changed AFTER INSERT OR DELETE ON roster FOR EACH ROW EXECUTE FUNCTION tell_roster_changed();
COMMENT ON TRIGGER roster_changed ON roster IS 'Announces the change.';
CREATE TRIGGER access_changed AFTER INSERT OR DELETE ON roster FOR EACH ROW EXECUTE FUNCTION tell_access_changed();
COMMENT ON TRIGGER access_changed ON roster IS 'Announces the change.';

-- Domains, their zones and members.

CREATE TABLE domain (
    tenant_id   bigint      NOT NULL,
    id          bigint      NOT NULL DEFAULT nextval('entity_id'),
    name        text        NOT NULL,
    name_key    text        COLLATE "C" NOT NULL,
    description text        NOT NULL,
    profile     text,
    access      text        NOT NULL CHECK (access IN ('private', 'domain', 'agent', 'public')),
    owner_id    bigint      NOT NULL,
    host_id     bigint,
    revision    bigint      NOT NULL DEFAULT 1,
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, name_key),
    FOREIGN KEY (tenant_id, owner_id) REFERENCES app_user,
    FOREIGN KEY (tenant_id, host_id) REFERENCES agent
);
COMMENT ON TABLE domain IS 'The domains.';
COMMENT ON COLUMN domain.access IS 'Who else may see it.';
COMMENT ON COLUMN domain.host_id IS 'The agent that receives visitors.';
CREATE INDEX domain_owner ON domain (tenant_id, owner_id);

-- Of domains and banks, which are told alike.
CREATE FUNCTION tell_place_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    kind text := TG_ARGV[0];
BEGIN
    IF TG_OP <> 'INSERT' THEN
        PERFORM tell_changed(OLD.tenant_id, kind, ARRAY[OLD.name_key], concerned(OLD.access, OLD.owner_id));
    END IF;
    IF TG_OP <> 'DELETE' AND (TG_OP = 'INSERT' OR NEW.name_key <> OLD.name_key) THEN
        PERFORM tell_changed(NEW.tenant_id, kind, ARRAY[NEW.name_key], concerned(NEW.access, NEW.owner_id));
    END IF;
    IF TG_OP = 'DELETE' THEN
        PERFORM tell_changed(OLD.tenant_id, 'resources', '{}', concerned(OLD.access, OLD.owner_id));
    ELSIF TG_OP = 'INSERT' OR NEW.name <> OLD.name OR NEW.access <> OLD.access
          OR to_jsonb(NEW) ->> 'deleted_at' IS DISTINCT FROM to_jsonb(OLD) ->> 'deleted_at' THEN
        PERFORM tell_changed(
            NEW.tenant_id, 'resources', '{}',
            CASE WHEN TG_OP = 'INSERT' OR OLD.access = 'private' THEN concerned(NEW.access, NEW.owner_id) END);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER domain_changed AFTER INSERT OR DELETE OR UPDATE ON domain FOR EACH ROW EXECUTE FUNCTION tell_place_changed('domain');
COMMENT ON TRIGGER domain_changed ON domain IS 'Announces the change.';
CREATE TRIGGER zz_owner_is_there AFTER INSERT OR UPDATE OF owner_id ON domain FOR EACH ROW EXECUTE FUNCTION refuse_removed_owner();
COMMENT ON TRIGGER zz_owner_is_there ON domain IS 'Nothing belongs to a user who was removed at the same time.';
CREATE TRIGGER counted_added AFTER INSERT ON domain REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_added('domains');
COMMENT ON TRIGGER counted_added ON domain IS 'A plan limits domains, whatever creates them.';
CREATE TRIGGER counted_gone AFTER DELETE ON domain REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_gone('domains');
COMMENT ON TRIGGER counted_gone ON domain IS 'A deleted domain no longer counts for the plan.';
CREATE TRIGGER access_begun AFTER INSERT OR DELETE ON domain FOR EACH ROW EXECUTE FUNCTION tell_access_changed();
COMMENT ON TRIGGER access_begun ON domain IS 'Announces the change.';
CREATE TRIGGER access_changed AFTER UPDATE ON domain
    FOR EACH ROW
    WHEN (NEW.name_key IS DISTINCT FROM OLD.name_key OR NEW.access IS DISTINCT FROM OLD.access OR NEW.owner_id IS DISTINCT FROM OLD.owner_id)
    EXECUTE FUNCTION tell_access_changed();
COMMENT ON TRIGGER access_changed ON domain IS 'Announces the change.';

CREATE TABLE membership (
    tenant_id bigint      NOT NULL,
    domain_id bigint      NOT NULL,
    agent_id  bigint      NOT NULL,
    owner_id  bigint      NOT NULL,
    state     text        NOT NULL CHECK (state IN ('member', 'invited', 'requested', 'banned')),
    since     timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, domain_id, agent_id),
    FOREIGN KEY (tenant_id, domain_id) REFERENCES domain ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agent ON DELETE CASCADE
);
COMMENT ON TABLE membership IS 'The agents that are members of a domain, are invited, ask to join or are banned.';
COMMENT ON COLUMN membership.owner_id IS 'The owner of the agent, who sees what its agents are members of.';
CREATE INDEX membership_agent ON membership (tenant_id, agent_id);
CREATE INDEX membership_owner ON membership (tenant_id, owner_id, domain_id);

-- The users who take part in a domain; null, for everyone, where they are too many to be listed.
CREATE FUNCTION taking_part(tenant bigint, domain bigint, owner bigint) RETURNS bigint[] LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN count(*) <= 100 THEN array_agg(u.id) END
      FROM (SELECT owner AS id
             UNION
            SELECT m.owner_id FROM membership m
             WHERE m.tenant_id = tenant AND m.domain_id = domain AND m.state = 'member') u;
$$;
CREATE TRIGGER access_changed AFTER INSERT OR DELETE OR UPDATE ON membership FOR EACH ROW EXECUTE FUNCTION tell_access_changed();
COMMENT ON TRIGGER access_changed ON membership IS 'Announces the change.';

CREATE FUNCTION live_membership() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM log_presence(COALESCE(NEW.tenant_id, OLD.tenant_id), COALESCE(NEW.agent_id, OLD.agent_id),
                         CASE WHEN TG_OP <> 'DELETE' AND NEW.state = 'member' THEN 'joined' ELSE 'left' END,
                         COALESCE(NEW.domain_id, OLD.domain_id));
    RETURN NULL;
END $$;
CREATE TRIGGER live_joined AFTER INSERT OR DELETE OR UPDATE ON membership FOR EACH ROW EXECUTE FUNCTION live_membership();
COMMENT ON TRIGGER live_joined ON membership IS 'Announces the change.';

CREATE TABLE zone (
    tenant_id   bigint      NOT NULL,
    id          bigint      NOT NULL DEFAULT nextval('entity_id'),
    domain_id   bigint      NOT NULL,
    name        text        NOT NULL,
    name_key    text        COLLATE "C" NOT NULL,
    description text,
    stream_id   bigint      NOT NULL,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, stream_id),
    UNIQUE (tenant_id, domain_id, name_key),
    FOREIGN KEY (tenant_id, domain_id) REFERENCES domain ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, stream_id) REFERENCES stream
);
COMMENT ON TABLE zone IS 'The zones of a domain. Each has a conversation.';

CREATE FUNCTION tell_zone_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_changed(d.tenant_id, 'resources', '{}', concerned(d.access, d.owner_id))
       FROM domain d
      WHERE d.tenant_id = COALESCE(NEW.tenant_id, OLD.tenant_id) AND d.id = COALESCE(NEW.domain_id, OLD.domain_id);
    RETURN NULL;
END $$;
CREATE TRIGGER zone_changed AFTER INSERT OR DELETE OR UPDATE ON zone FOR EACH ROW EXECUTE FUNCTION tell_zone_changed();
COMMENT ON TRIGGER zone_changed ON zone IS 'Announces the change.';
CREATE TRIGGER access_changed AFTER INSERT OR DELETE OR UPDATE ON zone FOR EACH ROW EXECUTE FUNCTION tell_access_changed();
COMMENT ON TRIGGER access_changed ON zone IS 'Announces the change.';

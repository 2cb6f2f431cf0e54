-- What the MCP door keeps, so that any replica can serve any request, and how the replicas hear of changes.

CREATE TABLE seal_key (
    id         integer     PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    secret     bytea       NOT NULL CHECK (length(secret) = 32),
    created_at timestamptz NOT NULL
);
COMMENT ON TABLE seal_key IS 'What session ids and request states are signed with: the newest signs, the two newest are believed.';

-- A session is in its signed id. Only what was said about it later has a row.
CREATE TABLE mcp_session (
    tenant_id  bigint      NOT NULL,
    id         text        NOT NULL,
    log_level  text,
    ended_at   timestamptz,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX mcp_session_expiry ON mcp_session (expires_at);

CREATE TABLE mcp_subscription (
    tenant_id  bigint      NOT NULL,
    session_id text        NOT NULL,
    uri        text        NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, session_id, uri)
);
CREATE INDEX mcp_subscription_expiry ON mcp_subscription (expires_at);

-- Where nobody listens nothing is told: a transaction that tells waits at its commit for every other one that does.
CREATE TABLE mcp_interest (
    tenant_id bigint      NOT NULL,
    replica   uuid        NOT NULL,
    until     timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, replica)
);
CREATE FUNCTION listened_to(tenant bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (SELECT 1 FROM mcp_interest i WHERE i.tenant_id = tenant AND i.until > now());
END $$;

-- Tells every replica what changed, when the change is committed. t: tenant, k: kind, n: names as they are compared,
-- u: the users whom it concerns (everyone in the tenant when left out).
CREATE FUNCTION tell_changed(tenant bigint, kind text, names text[], users bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF listened_to(tenant) THEN
        PERFORM pg_notify('mcp', json_strip_nulls(json_build_object(
                    't', tenant, 'k', kind, 'n', to_json(names), 'u', to_json(users)))::text);
    END IF;
END $$;

-- Whom the existence of a thing concerns.
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

CREATE FUNCTION tell_roster_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_changed(COALESCE(NEW.tenant_id, OLD.tenant_id), 'resources', '{}',
                         ARRAY[COALESCE(NEW.user_id, OLD.user_id)]);
    RETURN NULL;
END $$;
CREATE TRIGGER roster_changed AFTER INSERT OR DELETE ON roster FOR EACH ROW EXECUTE FUNCTION tell_roster_changed();

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
CREATE TRIGGER domain_changed AFTER INSERT OR UPDATE OR DELETE ON domain
    FOR EACH ROW EXECUTE FUNCTION tell_place_changed('domain');
CREATE TRIGGER bank_changed AFTER INSERT OR UPDATE OR DELETE ON bank
    FOR EACH ROW EXECUTE FUNCTION tell_place_changed('bank');

CREATE FUNCTION tell_zone_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_changed(d.tenant_id, 'resources', '{}', concerned(d.access, d.owner_id))
       FROM domain d
      WHERE d.tenant_id = COALESCE(NEW.tenant_id, OLD.tenant_id) AND d.id = COALESCE(NEW.domain_id, OLD.domain_id);
    RETURN NULL;
END $$;
CREATE TRIGGER zone_changed AFTER INSERT OR UPDATE OR DELETE ON zone
    FOR EACH ROW EXECUTE FUNCTION tell_zone_changed();

-- Who takes part in a domain; null, that is everyone who asked, where it is too many to be told by name.
CREATE FUNCTION taking_part(tenant bigint, domain bigint, owner bigint) RETURNS bigint[] LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN count(*) <= 100 THEN array_agg(u.id) END
      FROM (SELECT owner AS id
             UNION
            SELECT m.owner_id FROM membership m
             WHERE m.tenant_id = tenant AND m.domain_id = domain AND m.state = 'member') u;
$$;

-- What one statement writes is of one tenant, unless it clears away what nobody misses.
-- A message changes its zone; between two parties it changes the agents, but only for those who take part.
CREATE FUNCTION tell_messages_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT listened_to((SELECT tenant_id FROM said LIMIT 1)) THEN
        RETURN NULL;
    END IF;
    PERFORM tell_changed(d.tenant_id, 'zone', ARRAY[d.name_key, z.name_key],
                         taking_part(d.tenant_id, d.id, d.owner_id))
       FROM (SELECT DISTINCT tenant_id, stream_id FROM said) s
       JOIN zone z ON z.tenant_id = s.tenant_id AND z.stream_id = s.stream_id
       JOIN domain d ON d.tenant_id = z.tenant_id AND d.id = z.domain_id;
    PERFORM tell_changed(a.tenant_id, 'agent', ARRAY[a.name_key],
                         ARRAY(SELECT COALESCE(x.owner_id, p.id)
                                 FROM unnest(ARRAY[st.low_id, st.high_id]) p (id)
                                 LEFT JOIN agent x ON x.tenant_id = st.tenant_id AND x.id = p.id))
       FROM (SELECT DISTINCT tenant_id, stream_id FROM said) s
       JOIN stream st ON st.tenant_id = s.tenant_id AND st.id = s.stream_id
       JOIN agent a ON a.tenant_id = st.tenant_id AND a.id IN (st.low_id, st.high_id) AND a.destroyed_at IS NULL;
    RETURN NULL;
END $$;
CREATE TRIGGER message_said AFTER INSERT ON message REFERENCING NEW TABLE AS said
    FOR EACH STATEMENT EXECUTE FUNCTION tell_messages_changed();

CREATE FUNCTION tell_memories_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT listened_to((SELECT tenant_id FROM changed LIMIT 1)) THEN
        RETURN NULL;
    END IF;
    PERFORM tell_changed(b.tenant_id, 'bank', ARRAY[b.name_key], concerned(b.access, b.owner_id))
       FROM (SELECT DISTINCT tenant_id, bank_id FROM changed) c
       JOIN bank b ON b.tenant_id = c.tenant_id AND b.id = c.bank_id;
    RETURN NULL;
END $$;
CREATE TRIGGER memory_added AFTER INSERT ON memory REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION tell_memories_changed();
CREATE TRIGGER memory_changed AFTER UPDATE ON memory REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION tell_memories_changed();
CREATE TRIGGER memory_removed AFTER DELETE ON memory REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION tell_memories_changed();

-- What a key or a role allows decides which tools are listed.
CREATE FUNCTION tell_tools_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_changed(NEW.tenant_id, 'tools', '{}', ARRAY[(to_jsonb(NEW) ->> TG_ARGV[0])::bigint]);
    RETURN NULL;
END $$;
CREATE TRIGGER api_key_tools_changed AFTER UPDATE OF capabilities ON api_key
    FOR EACH ROW EXECUTE FUNCTION tell_tools_changed('user_id');
CREATE TRIGGER app_user_tools_changed AFTER UPDATE OF role ON app_user
    FOR EACH ROW EXECUTE FUNCTION tell_tools_changed('id');

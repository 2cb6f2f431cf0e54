-- What open consoles are told of (GET /api/stream): a short log on every replica's behalf, written in the transaction of the
-- change, and only in tenants where somebody listens. Rows name things; what they say is read when it is sent.

CREATE TABLE live_event (
    tenant_id bigint      NOT NULL,
    xid       xid8        NOT NULL DEFAULT pg_current_xact_id(),
    ordinal   bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
    at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    topic     text        NOT NULL,
    action    text        NOT NULL,
    thing     uuid,
    place     bigint,
    other     bigint,
    moment    timestamptz,
    PRIMARY KEY (tenant_id, xid, ordinal)
);
COMMENT ON COLUMN live_event.xid IS
    'Its transaction. A reader resumes at the oldest transaction that was still open at its last read, so that none is missed.';
COMMENT ON COLUMN live_event.place IS 'The bank of a memory, the agent of a change of presence.';
COMMENT ON COLUMN live_event.other IS 'The domain that an agent joined or left; how many memories, where they are not named.';
COMMENT ON COLUMN live_event.moment IS 'With thing, the key of an audit entry.';
CREATE INDEX live_event_age ON live_event (at);

CREATE FUNCTION tell_live(tenant bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('mcp', json_build_object('t', tenant, 'k', 'live', 'n', '[]'::json)::text);
END $$;

CREATE FUNCTION live_messages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF listened_to((SELECT tenant_id FROM said LIMIT 1)) THEN
        INSERT INTO live_event (tenant_id, topic, action, thing)
        SELECT tenant_id, 'messages', 'said', id FROM said;
        PERFORM tell_live((SELECT tenant_id FROM said LIMIT 1));
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER live_said AFTER INSERT ON message REFERENCING NEW TABLE AS said
    FOR EACH STATEMENT EXECUTE FUNCTION live_messages();

-- Many at once are counted instead of named.
CREATE FUNCTION log_memories(tenant bigint, bank bigint, action text, ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF cardinality(ids) > 50 THEN
        INSERT INTO live_event (tenant_id, topic, action, place, other)
        VALUES (tenant, 'memories', action, bank, cardinality(ids));
    ELSE
        INSERT INTO live_event (tenant_id, topic, action, place, thing)
        SELECT tenant, 'memories', action, bank, id FROM unnest(ids) id;
    END IF;
END $$;

CREATE FUNCTION live_memories_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT listened_to((SELECT tenant_id FROM changed LIMIT 1)) THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'UPDATE' THEN
        PERFORM log_memories(n.tenant_id, n.bank_id,
                             CASE WHEN n.deleted_at IS NULL THEN 'updated' ELSE 'removed' END, array_agg(n.id))
           FROM changed n
           JOIN former o ON o.tenant_id = n.tenant_id AND o.bank_id = n.bank_id AND o.id = n.id
          WHERE (n.revision, n.deleted_at IS NULL) IS DISTINCT FROM (o.revision, o.deleted_at IS NULL)
          GROUP BY n.tenant_id, n.bank_id, n.deleted_at IS NULL;
    ELSE
        PERFORM log_memories(tenant_id, bank_id, 'stored', array_agg(id)) FROM changed GROUP BY tenant_id, bank_id;
    END IF;
    PERFORM tell_live((SELECT tenant_id FROM changed LIMIT 1));
    RETURN NULL;
END $$;
CREATE TRIGGER live_stored AFTER INSERT ON memory REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION live_memories_changed();
CREATE TRIGGER live_updated AFTER UPDATE ON memory REFERENCING OLD TABLE AS former NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION live_memories_changed();

-- What is written in the background may be of many tenants.
CREATE FUNCTION live_rows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM mcp_interest i WHERE i.until > now()) THEN
        RETURN NULL;
    END IF;
    IF TG_ARGV[0] = 'audit' THEN
        INSERT INTO live_event (tenant_id, topic, action, thing, moment)
        SELECT r.tenant_id, 'audit', 'noted', r.row_id, r.at FROM rows r WHERE listened_to(r.tenant_id);
    ELSIF TG_ARGV[0] = 'deliveries' THEN
        INSERT INTO live_event (tenant_id, topic, action, thing)
        SELECT r.tenant_id, 'deliveries', r.state, r.id
          FROM rows r
         WHERE r.state IN ('delivered', 'failed', 'exhausted') AND listened_to(r.tenant_id);
    ELSE
        INSERT INTO live_event (tenant_id, topic, action, thing)
        SELECT r.tenant_id, 'handshakes', 'met', r.id FROM rows r WHERE listened_to(r.tenant_id);
    END IF;
    PERFORM tell_live(t.tenant_id) FROM (SELECT DISTINCT tenant_id FROM rows) t WHERE listened_to(t.tenant_id);
    RETURN NULL;
END $$;
CREATE TRIGGER live_noted AFTER INSERT ON audit REFERENCING NEW TABLE AS rows
    FOR EACH STATEMENT EXECUTE FUNCTION live_rows('audit');
CREATE TRIGGER live_delivered AFTER UPDATE ON webhook_delivery REFERENCING NEW TABLE AS rows
    FOR EACH STATEMENT EXECUTE FUNCTION live_rows('deliveries');
CREATE TRIGGER live_met AFTER INSERT ON handshake REFERENCING NEW TABLE AS rows
    FOR EACH STATEMENT EXECUTE FUNCTION live_rows('handshakes');
CREATE TRIGGER live_met_again AFTER UPDATE ON handshake REFERENCING NEW TABLE AS rows
    FOR EACH STATEMENT EXECUTE FUNCTION live_rows('handshakes');

CREATE FUNCTION log_presence(tenant bigint, agent bigint, action text, domain bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF agent IS NOT NULL AND listened_to(tenant) THEN
        INSERT INTO live_event (tenant_id, topic, action, place, other) VALUES (tenant, 'presence', action, agent, domain);
        PERFORM tell_live(tenant);
    END IF;
END $$;

CREATE FUNCTION live_context() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM log_presence(NEW.tenant_id, NEW.self_id, 'seen', NULL);
    IF TG_OP = 'UPDATE' AND OLD.self_id IS DISTINCT FROM NEW.self_id THEN
        PERFORM log_presence(OLD.tenant_id, OLD.self_id, 'seen', NULL);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER live_logged_on AFTER INSERT ON context FOR EACH ROW
    WHEN (NEW.self_id IS NOT NULL) EXECUTE FUNCTION live_context();
CREATE TRIGGER live_presence AFTER UPDATE ON context FOR EACH ROW
    WHEN (NEW.self_id IS DISTINCT FROM OLD.self_id OR NEW.used_at > OLD.used_at + INTERVAL '15 minutes')
    EXECUTE FUNCTION live_context();

CREATE FUNCTION live_agent() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM log_presence(NEW.tenant_id, NEW.id,
                         CASE WHEN TG_OP = 'INSERT' THEN 'created'
                              WHEN NEW.destroyed_at IS NOT NULL THEN 'destroyed'
                              ELSE 'updated' END, NULL);
    RETURN NULL;
END $$;
CREATE TRIGGER live_created AFTER INSERT ON agent FOR EACH ROW EXECUTE FUNCTION live_agent();
CREATE TRIGGER live_changed AFTER UPDATE ON agent FOR EACH ROW
    WHEN ((NEW.revision, NEW.destroyed_at) IS DISTINCT FROM (OLD.revision, OLD.destroyed_at))
    EXECUTE FUNCTION live_agent();

CREATE FUNCTION live_membership() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM log_presence(COALESCE(NEW.tenant_id, OLD.tenant_id), COALESCE(NEW.agent_id, OLD.agent_id),
                         CASE WHEN TG_OP <> 'DELETE' AND NEW.state = 'member' THEN 'joined' ELSE 'left' END,
                         COALESCE(NEW.domain_id, OLD.domain_id));
    RETURN NULL;
END $$;
CREATE TRIGGER live_joined AFTER INSERT OR UPDATE OR DELETE ON membership FOR EACH ROW EXECUTE FUNCTION live_membership();

-- The demo of a tenant, of which there is one at most. Any replica can take its next step.
CREATE TABLE demo (
    tenant_id  bigint      PRIMARY KEY REFERENCES tenant ON DELETE CASCADE,
    run        uuid        NOT NULL,
    state      text        NOT NULL CHECK (state IN ('running', 'paused', 'waiting', 'finished')),
    step       integer     NOT NULL DEFAULT 0,
    branch     text,
    seconds    integer     NOT NULL,
    due_at     timestamptz NOT NULL,
    held_until timestamptz NOT NULL,
    last       text,
    keys       text        NOT NULL,
    key_ids    text[]      NOT NULL
);
COMMENT ON COLUMN demo.last IS 'The id of the last message that was said, which the next may answer.';
COMMENT ON COLUMN demo.keys IS 'The keys of its agents, sealed in the vault.';

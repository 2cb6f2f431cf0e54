-- The schema of version 54 (commit 9742f53a), from which databases are upgraded. Written once, from the catalogue.

CREATE SEQUENCE entity_id;

CREATE TABLE tenant (
    tenant_id  bigint      PRIMARY KEY DEFAULT nextval('entity_id'),
    name       text        NOT NULL,
    name_key   text        COLLATE "C" NOT NULL UNIQUE,
    plan       text        NOT NULL,
    created_at timestamptz NOT NULL
);

CREATE FUNCTION give_feed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO event_feed (tenant_id) VALUES (NEW.tenant_id);
    RETURN NULL;
END $$;
CREATE TRIGGER tenant_has_feed AFTER INSERT ON tenant FOR EACH ROW EXECUTE FUNCTION give_feed();

CREATE FUNCTION tell_plan_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('callers_changed', 'tenant:' || NEW.tenant_id);
    RETURN NULL;
END $$;
CREATE TRIGGER tenant_plan_changed AFTER UPDATE OF plan ON tenant
    FOR EACH ROW WHEN (OLD.plan <> NEW.plan) EXECUTE FUNCTION tell_plan_changed();

CREATE TABLE app_user (
    tenant_id  bigint      NOT NULL REFERENCES tenant ON DELETE CASCADE,
    id         bigint      NOT NULL DEFAULT nextval('entity_id'),
    name       text        NOT NULL,
    name_key   text        COLLATE "C" NOT NULL,
    role       text        NOT NULL CHECK (role IN ('viewer', 'member', 'admin', 'owner')),
    created_at timestamptz NOT NULL,
    revision   bigint      NOT NULL DEFAULT 1,
    removed_at timestamptz,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX app_user_name ON app_user (tenant_id, name_key) WHERE removed_at IS NULL;

CREATE FUNCTION tell_callers_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('callers_changed', '');
    RETURN NULL;
END $$;
CREATE TRIGGER app_user_changed AFTER DELETE OR UPDATE OR TRUNCATE ON app_user
    FOR EACH STATEMENT EXECUTE FUNCTION tell_callers_changed();

CREATE FUNCTION listened_to(tenant bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (SELECT 1 FROM mcp_interest i WHERE i.tenant_id = tenant AND i.until > now());
END $$;

CREATE FUNCTION tell_changed(tenant bigint, kind text, names text[], users bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF listened_to(tenant) THEN
        PERFORM pg_notify('mcp', json_strip_nulls(json_build_object(
                    't', tenant, 'k', kind, 'n', to_json(names), 'u', to_json(users)))::text);
    END IF;
END $$;

CREATE FUNCTION tell_tools_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_changed(NEW.tenant_id, 'tools', '{}', ARRAY[(to_jsonb(NEW) ->> TG_ARGV[0])::bigint]);
    RETURN NULL;
END $$;
CREATE TRIGGER app_user_tools_changed AFTER UPDATE OF role ON app_user
    FOR EACH ROW EXECUTE FUNCTION tell_tools_changed('id');

CREATE FUNCTION tell_access_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_changed(COALESCE(NEW.tenant_id, OLD.tenant_id), 'access', '{}', NULL);
    RETURN NULL;
END $$;
CREATE TRIGGER access_changed AFTER UPDATE ON app_user
    FOR EACH ROW WHEN (NEW.role IS DISTINCT FROM OLD.role OR NEW.removed_at IS DISTINCT FROM OLD.removed_at)
    EXECUTE FUNCTION tell_access_changed();

CREATE TABLE plan_limit (
    plan  text   NOT NULL,
    scope text   NOT NULL,
    most  bigint NOT NULL,
    PRIMARY KEY (plan, scope)
);

CREATE TABLE usage (
    tenant_id bigint NOT NULL,
    scope     text   NOT NULL,
    day       date   NOT NULL,
    count     bigint NOT NULL,
    PRIMARY KEY (tenant_id, scope, day)
);
COMMENT ON COLUMN usage.day IS 'The UTC day of what is counted by the day; -infinity for what there is.';
CREATE INDEX usage_age ON usage (day) WHERE day > DATE '-infinity';

CREATE TABLE usage_delta (
    tenant_id bigint NOT NULL,
    scope     text   NOT NULL,
    id        bigint GENERATED ALWAYS AS IDENTITY,
    delta     bigint NOT NULL,
    PRIMARY KEY (tenant_id, scope, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
COMMENT ON TABLE usage_delta IS 'What has not been added to usage yet.';

CREATE VIEW usage_now AS
    SELECT tenant_id, scope, day, sum(count)::bigint AS count
      FROM (SELECT tenant_id, scope, day, count FROM usage
             UNION ALL
            SELECT tenant_id, scope, DATE '-infinity', delta FROM usage_delta) parts
     GROUP BY tenant_id, scope, day;

CREATE FUNCTION count_now(for_tenant bigint, of_scope text) RETURNS bigint LANGUAGE sql AS $$
    SELECT COALESCE((SELECT u.count FROM usage_now u WHERE u.tenant_id = for_tenant AND u.scope = of_scope), 0)
$$;

CREATE TABLE quota_told (
    tenant_id bigint      NOT NULL,
    scope     text        NOT NULL,
    what      text        NOT NULL CHECK (what IN ('80', '100', 'rejected')),
    most      bigint      NOT NULL,
    at        timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, scope, what, most),
    CHECK ((what = 'rejected') = (most = 0))
);

CREATE UNLOGGED TABLE rate_spent (
    tenant_id bigint      NOT NULL,
    principal text        NOT NULL,
    full_at   timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, principal)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
COMMENT ON COLUMN rate_spent.full_at IS 'By the clock of the database; what is past is a full bucket.';

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
COMMENT ON COLUMN agent.destroyed_at IS 'A destroyed agent stays as a name on its messages and memories, and nowhere else.';
CREATE INDEX agent_owner ON agent (tenant_id, owner_id) WHERE destroyed_at IS NULL;
CREATE UNIQUE INDEX agent_name ON agent (tenant_id, name_key) WHERE destroyed_at IS NULL;
CREATE INDEX agent_any_name ON agent (tenant_id, name_key);

CREATE VIEW party AS
    SELECT tenant_id, id, name, 'user' AS kind FROM app_user
    UNION ALL
    SELECT tenant_id, id, name, 'agent' AS kind FROM agent;

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
CREATE TRIGGER agent_changed AFTER INSERT OR UPDATE ON agent
    FOR EACH ROW EXECUTE FUNCTION tell_agent_changed();

CREATE FUNCTION refuse_removed_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM app_user u
                WHERE u.tenant_id = NEW.tenant_id AND u.id = NEW.owner_id AND u.removed_at IS NOT NULL) THEN
        RAISE EXCEPTION 'the owner was removed' USING ERRCODE = 'EN001';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER zz_owner_is_there AFTER INSERT OR UPDATE OF owner_id ON agent
    FOR EACH ROW EXECUTE FUNCTION refuse_removed_owner();

CREATE FUNCTION count_usage(for_tenant bigint, of_scope text, difference bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    by_plan text;
    allowed bigint;
    room    bigint;
    close   bigint;
    alone   boolean;
BEGIN
    IF difference > 0 THEN
        SELECT t.plan, l.most INTO by_plan, allowed
          FROM tenant t JOIN plan_limit l ON l.plan = t.plan AND l.scope = of_scope
         WHERE t.tenant_id = for_tenant;
    END IF;
    IF allowed IS NOT NULL THEN
        close := greatest(allowed / 20, 2 * current_setting('max_connections')::bigint);
        alone := difference > 1 OR allowed - count_now(for_tenant, of_scope) < close;
        IF alone THEN
            PERFORM pg_advisory_xact_lock(hashtextextended('quota ' || of_scope, for_tenant));
        ELSE
            PERFORM pg_advisory_xact_lock_shared(hashtextextended('quota ' || of_scope, for_tenant));
        END IF;
        room := allowed - count_now(for_tenant, of_scope);
        IF alone AND room < difference THEN
            RAISE EXCEPTION 'quota % % % %', of_scope, allowed, allowed - room, by_plan USING ERRCODE = 'EN002';
        ELSIF NOT alone AND room < close / 2 THEN
            RAISE EXCEPTION 'the limit has come close' USING ERRCODE = 'serialization_failure';
        END IF;
    END IF;
    INSERT INTO usage_delta (tenant_id, scope, delta) VALUES (for_tenant, of_scope, difference);
END $$;

CREATE FUNCTION count_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM count_usage(c.tenant_id, TG_ARGV[0], c.n)
       FROM (SELECT tenant_id, count(*) AS n FROM changed GROUP BY tenant_id ORDER BY tenant_id) c;
    RETURN NULL;
END $$;
CREATE TRIGGER counted_added AFTER INSERT ON agent
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_added('agents');

CREATE FUNCTION count_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM count_usage(OLD.tenant_id, TG_ARGV[0], -1);
    RETURN NULL;
END $$;
CREATE TRIGGER counted_ended AFTER UPDATE OF destroyed_at ON agent
    FOR EACH ROW WHEN (OLD.destroyed_at IS NULL AND NEW.destroyed_at IS NOT NULL)
    EXECUTE FUNCTION count_ended('agents');
CREATE TRIGGER counted_gone AFTER DELETE ON agent
    FOR EACH ROW WHEN (OLD.destroyed_at IS NULL) EXECUTE FUNCTION count_ended('agents');
CREATE TRIGGER access_begun AFTER INSERT OR DELETE ON agent
    FOR EACH ROW EXECUTE FUNCTION tell_access_changed();

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
CREATE TRIGGER live_changed AFTER UPDATE ON agent
    FOR EACH ROW WHEN (NEW.revision IS DISTINCT FROM OLD.revision OR NEW.destroyed_at IS DISTINCT FROM OLD.destroyed_at)
    EXECUTE FUNCTION live_agent();
CREATE TRIGGER access_changed AFTER UPDATE ON agent
    FOR EACH ROW
    WHEN (NEW.name_key IS DISTINCT FROM OLD.name_key OR NEW.access IS DISTINCT FROM OLD.access OR NEW.owner_id IS DISTINCT FROM OLD.owner_id OR NEW.destroyed_at IS DISTINCT FROM OLD.destroyed_at)
    EXECUTE FUNCTION tell_access_changed();

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
COMMENT ON COLUMN agent_revision.editor_id IS 'Who replaced it: the agent that the caller was logged on as, else the user.';
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
CREATE INDEX roster_agent ON roster (tenant_id, agent_id);

CREATE FUNCTION tell_roster_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_changed(COALESCE(NEW.tenant_id, OLD.tenant_id), 'resources', '{}',
                         ARRAY[COALESCE(NEW.user_id, OLD.user_id)]);
    RETURN NULL;
END $$;
CREATE TRIGGER roster_changed AFTER INSERT OR DELETE ON roster
    FOR EACH ROW EXECUTE FUNCTION tell_roster_changed();
CREATE TRIGGER access_changed AFTER INSERT OR DELETE ON roster
    FOR EACH ROW EXECUTE FUNCTION tell_access_changed();

CREATE TABLE api_key (
    tenant_id           bigint      NOT NULL,
    id                  text        NOT NULL CHECK (length(id) = 12),
    secret_hash         bytea       NOT NULL,
    user_id             bigint      NOT NULL,
    name                text        NOT NULL,
    capabilities        text[]      NOT NULL,
    agent_id            bigint,
    expires_at          timestamptz,
    revoked_at          timestamptz,
    created_at          timestamptz NOT NULL,
    environment         text,
    toolset             text[],
    confirm_destructive boolean     NOT NULL DEFAULT false,
    parent_id           text,
    ancestors           text[]      NOT NULL DEFAULT '{}',
    rotated_at          timestamptz,
    previous_hash       bytea,
    previous_until      timestamptz,
    revision            bigint      NOT NULL DEFAULT 1,
    known_to_others     boolean     NOT NULL DEFAULT false,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES app_user ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agent,
    FOREIGN KEY (tenant_id, parent_id) REFERENCES api_key ON DELETE CASCADE
);
COMMENT ON COLUMN api_key.toolset IS 'The toolsets that it is limited to; null for no limit.';
COMMENT ON COLUMN api_key.ancestors IS 'The keys that it depends on, its parent last: what one of them lost it has not.';
COMMENT ON COLUMN api_key.previous_hash IS 'Of the secret from before the rotation, which works until previous_until.';
COMMENT ON COLUMN api_key.known_to_others IS 'Whether another user was shown its secret, or the secret of the key that made or rotated it.';
CREATE UNIQUE INDEX api_key_id ON api_key (id);
CREATE INDEX api_key_newest ON api_key (tenant_id, created_at DESC, id DESC);
CREATE INDEX api_key_user ON api_key (tenant_id, user_id);
CREATE INDEX api_key_parent ON api_key (tenant_id, parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX api_key_agent ON api_key (tenant_id, agent_id) WHERE agent_id IS NOT NULL;
CREATE INDEX api_key_child_age ON api_key (expires_at) WHERE parent_id IS NOT NULL;
CREATE TRIGGER api_key_tools_changed AFTER UPDATE OF capabilities ON api_key
    FOR EACH ROW EXECUTE FUNCTION tell_tools_changed('user_id');

CREATE FUNCTION tell_key_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('callers_changed', NEW.id);
    RETURN NULL;
END $$;
CREATE TRIGGER api_key_added AFTER INSERT ON api_key FOR EACH ROW EXECUTE FUNCTION tell_key_added();
CREATE TRIGGER api_key_changed AFTER DELETE OR UPDATE OR TRUNCATE ON api_key
    FOR EACH STATEMENT EXECUTE FUNCTION tell_callers_changed();
CREATE TRIGGER api_key_toolset_changed AFTER UPDATE OF toolset ON api_key
    FOR EACH ROW EXECUTE FUNCTION tell_tools_changed('user_id');

CREATE FUNCTION refuse_removed_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM app_user u
                WHERE u.tenant_id = NEW.tenant_id AND u.id = NEW.user_id AND u.removed_at IS NOT NULL) THEN
        RAISE EXCEPTION 'the user was removed' USING ERRCODE = 'EN001';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER zz_user_is_there AFTER INSERT OR UPDATE OF user_id ON api_key
    FOR EACH ROW EXECUTE FUNCTION refuse_removed_user();

CREATE TABLE key_seen (
    tenant_id        bigint      NOT NULL,
    key_id           text        NOT NULL,
    used_at          timestamptz,
    client           text,
    previous_used_at timestamptz,
    previous_client  text,
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

CREATE TABLE idempotency (
    tenant_id    bigint      NOT NULL REFERENCES tenant ON DELETE CASCADE,
    principal    text        NOT NULL,
    key          text        NOT NULL,
    request_hash bytea       NOT NULL,
    answer       text,
    created_at   timestamptz NOT NULL,
    bytes        integer     GENERATED ALWAYS AS (octet_length(answer)) STORED,
    PRIMARY KEY (tenant_id, principal, key)
);
COMMENT ON COLUMN idempotency.bytes IS 'Of the answer; only those longer than 4,096 are counted.';
CREATE INDEX idempotency_age ON idempotency (created_at);
CREATE INDEX idempotency_long ON idempotency (tenant_id, principal) INCLUDE (bytes) WHERE bytes > 4096;

CREATE TABLE browser_session (
    tenant_id    bigint      NOT NULL,
    id           text        NOT NULL,
    secret_hash  bytea       NOT NULL CHECK (length(secret_hash) = 32),
    user_id      bigint      NOT NULL,
    key_id       text,
    created_at   timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    key_hash     bytea,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES app_user ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, key_id) REFERENCES api_key ON DELETE CASCADE
);
COMMENT ON COLUMN browser_session.key_id IS 'The key that began it: its powers are the session''s, and its end is the session''s end.';
COMMENT ON COLUMN browser_session.last_seen_at IS 'To the minute; the replica that serves it knows better.';
COMMENT ON COLUMN browser_session.key_hash IS 'Of the key''s secret that began it: as long as that works, the session does.';
CREATE UNIQUE INDEX browser_session_id ON browser_session (id);
CREATE INDEX browser_session_user ON browser_session (tenant_id, user_id, key_id, created_at);
CREATE INDEX browser_session_key ON browser_session (tenant_id, key_id) WHERE key_id IS NOT NULL;
CREATE INDEX browser_session_expiry ON browser_session (expires_at);

CREATE FUNCTION tell_session_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('callers_changed', 'session:' || OLD.id);
    RETURN NULL;
END $$;
CREATE TRIGGER browser_session_ended AFTER DELETE ON browser_session
    FOR EACH ROW EXECUTE FUNCTION tell_session_ended();

CREATE TABLE sign_in (
    id         text        PRIMARY KEY,
    provider   text        NOT NULL,
    surface    text        NOT NULL,
    return_to  text        NOT NULL,
    expires_at timestamptz NOT NULL
);
COMMENT ON TABLE sign_in IS 'Begun at a provider and not come back yet. Its secret is in the browser; coming back takes the row.';
CREATE INDEX sign_in_expiry ON sign_in (expires_at);

CREATE TABLE external_identity (
    tenant_id  bigint      NOT NULL,
    issuer     text        NOT NULL,
    subject    text        NOT NULL,
    user_id    bigint      NOT NULL,
    created_at timestamptz NOT NULL,
    email      text,
    email_at   timestamptz,
    PRIMARY KEY (tenant_id, issuer, subject),
    FOREIGN KEY (tenant_id, user_id) REFERENCES app_user ON DELETE CASCADE
);
COMMENT ON TABLE external_identity IS 'Who a user is at a provider. That of a user who was removed stays, so that signing in does not bring it back.';
COMMENT ON COLUMN external_identity.email IS 'The address that the provider last reported as verified, with ASCII letters in lower case. It finds users, it never proves who a caller is, and no answer contains it.';
COMMENT ON COLUMN external_identity.email_at IS 'When the provider reported it: an older token does not change it. Infinity once the user is removed.';
CREATE INDEX external_identity_user ON external_identity (tenant_id, user_id);
CREATE INDEX external_identity_email ON external_identity (tenant_id, email) WHERE email IS NOT NULL;

CREATE FUNCTION user_of_email(of_tenant bigint, address text) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT min(e.user_id)
      FROM external_identity e
      JOIN app_user u ON u.tenant_id = e.tenant_id AND u.id = e.user_id AND u.removed_at IS NULL
     WHERE e.tenant_id = of_tenant AND e.email = address
    HAVING min(e.user_id) = max(e.user_id)
$$;
CREATE TRIGGER external_identity_ended AFTER DELETE OR UPDATE OF tenant_id, issuer, subject, user_id OR TRUNCATE ON external_identity
    FOR EACH STATEMENT EXECUTE FUNCTION tell_callers_changed();

CREATE TABLE token_grant (
    tenant_id  bigint      NOT NULL,
    principal  text        NOT NULL,
    issuer     text        NOT NULL,
    subject    text        NOT NULL,
    scopes     text[]      NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, principal),
    FOREIGN KEY (tenant_id, issuer, subject) REFERENCES external_identity ON DELETE CASCADE
);
COMMENT ON TABLE token_grant IS 'What the newest access token of a principal allows, and until when: for work that goes on when its request is over.';
CREATE UNIQUE INDEX token_grant_principal ON token_grant (principal);
CREATE INDEX token_grant_identity ON token_grant (tenant_id, issuer, subject);
CREATE INDEX token_grant_expiry ON token_grant (expires_at);

CREATE TABLE signing_key (
    id          text        PRIMARY KEY,
    public_key  bytea       NOT NULL,
    private_key text        NOT NULL,
    created_at  timestamptz NOT NULL
);
COMMENT ON TABLE signing_key IS 'What access tokens are signed with: the newest signs, the two newest are believed and published.';
COMMENT ON COLUMN signing_key.private_key IS 'Sealed under the master key.';

CREATE TABLE seal_key (
    id         integer     GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    secret     bytea       NOT NULL CHECK (length(secret) = 32),
    created_at timestamptz NOT NULL
);
COMMENT ON TABLE seal_key IS 'What session ids and request states are signed with: the newest signs, the two newest are believed.';

CREATE TABLE vault_check (
    one    boolean PRIMARY KEY DEFAULT true CHECK (one),
    sealed text    NOT NULL
);
COMMENT ON TABLE vault_check IS 'A known text under the master key: who cannot open it has another key.';

CREATE TABLE stream (
    tenant_id   bigint      NOT NULL,
    id          bigint      NOT NULL DEFAULT nextval('entity_id'),
    low_id      bigint,
    high_id     bigint,
    last_seq    bigint      NOT NULL DEFAULT 0,
    last_at     timestamptz,
    agents_said bigint      NOT NULL DEFAULT 0,
    voices      bigint[]    NOT NULL DEFAULT '{}',
    person_at   timestamptz,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, low_id, high_id),
    CHECK ((low_id IS NULL) = (high_id IS NULL) AND low_id < high_id)
);
COMMENT ON COLUMN stream.agents_said IS 'In a zone: the messages of agents since a person last spoke there, or since 15 minutes of silence. One agent alone counts for 15 at most.';
COMMENT ON COLUMN stream.voices IS 'In a zone: the agents that said these messages.';
COMMENT ON COLUMN stream.person_at IS 'In a zone: when a person last spoke there.';

CREATE FUNCTION stream_went() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM message m
     USING old_row
     WHERE m.tenant_id = old_row.tenant_id AND m.stream_id = old_row.id;
    RETURN NULL;
END $$;
CREATE TRIGGER went AFTER DELETE ON stream
    REFERENCING OLD TABLE AS old_row FOR EACH STATEMENT EXECUTE FUNCTION stream_went();

CREATE TABLE message (
    tenant_id  bigint      NOT NULL,
    stream_id  bigint      NOT NULL,
    seq        bigint      NOT NULL,
    id         uuid        NOT NULL,
    speaker_id bigint      NOT NULL,
    content    text        NOT NULL,
    answers    uuid,
    chain      bigint[]    NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, stream_id, seq)
);
COMMENT ON COLUMN message.seq IS 'Without gaps in its stream, in the order of commits: stream.last_seq is raised in the same transaction.';
COMMENT ON COLUMN message.chain IS 'The agents whose messages this one answers, oldest first: the loop guard.';
CREATE UNIQUE INDEX message_id ON message (tenant_id, id);

CREATE FUNCTION tell_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO live_event (tenant_id, topic, action, thing) VALUES (NEW.tenant_id, 'messages', 'said', NEW.id);
    PERFORM tell_live(NEW.tenant_id);
    PERFORM tell_changed(d.tenant_id, 'zone', ARRAY[d.name_key, z.name_key],
                         taking_part(d.tenant_id, d.id, d.owner_id))
       FROM zone z
       JOIN domain d ON d.tenant_id = z.tenant_id AND d.id = z.domain_id
      WHERE z.tenant_id = NEW.tenant_id AND z.stream_id = NEW.stream_id;
    PERFORM tell_changed(a.tenant_id, 'agent', ARRAY[a.name_key],
                         ARRAY(SELECT COALESCE(x.owner_id, p.id)
                                 FROM unnest(ARRAY[st.low_id, st.high_id]) p (id)
                                 LEFT JOIN agent x ON x.tenant_id = st.tenant_id AND x.id = p.id))
       FROM stream st
       JOIN agent a ON a.tenant_id = st.tenant_id AND a.id IN (st.low_id, st.high_id) AND a.destroyed_at IS NULL
      WHERE st.tenant_id = NEW.tenant_id AND st.id = NEW.stream_id;
    RETURN NULL;
END $$;
CREATE TRIGGER said AFTER INSERT ON message
    FOR EACH ROW WHEN (listened_to(NEW.tenant_id)) EXECUTE FUNCTION tell_message();

CREATE TABLE participant (
    tenant_id  bigint NOT NULL,
    party_id   bigint NOT NULL,
    stream_id  bigint NOT NULL,
    owner_id   bigint NOT NULL,
    read_seq   bigint NOT NULL,
    own_unread bigint NOT NULL DEFAULT 0,
    last_seq   bigint,
    PRIMARY KEY (tenant_id, party_id, stream_id),
    FOREIGN KEY (tenant_id, stream_id) REFERENCES stream ON DELETE CASCADE
);
COMMENT ON COLUMN participant.owner_id IS 'The user behind the party: the user itself, or the owner of the agent.';
COMMENT ON COLUMN participant.own_unread IS 'The party''s own messages after read_seq, up to last_seq where that is not null. They do not wait for it.';
COMMENT ON COLUMN participant.last_seq IS 'Where two parties talk directly, the last message of the other one when it was stored; later ones are the party''s own. Null in a zone: a message there would change the rows of all who take part.';
CREATE INDEX participant_stream ON participant (tenant_id, stream_id, owner_id);
CREATE INDEX participant_unread ON participant (tenant_id, party_id, stream_id) INCLUDE (last_seq, read_seq, own_unread)
    WHERE last_seq IS NULL OR last_seq > (read_seq + own_unread);

CREATE TABLE agent_talk (
    tenant_id bigint      NOT NULL,
    agent_id  bigint      NOT NULL,
    said      bigint      NOT NULL,
    partners  bigint[]    NOT NULL,
    person_at timestamptz,
    said_at   timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, agent_id),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agent ON DELETE CASCADE
);
COMMENT ON COLUMN agent_talk.said IS 'The direct messages that the agent sent to agents since a person last spoke.';
COMMENT ON COLUMN agent_talk.partners IS 'The agents that it sent them to.';
COMMENT ON COLUMN agent_talk.person_at IS 'When that person spoke: a later time starts the count again.';

CREATE TABLE agent_heard (
    tenant_id bigint      NOT NULL,
    agent_id  bigint      NOT NULL,
    person_at timestamptz,
    agent_at  timestamptz,
    PRIMARY KEY (tenant_id, agent_id),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agent ON DELETE CASCADE
);
COMMENT ON COLUMN agent_heard.person_at IS 'When a person last spoke to the agent, or to an agent whose message reached it since.';
COMMENT ON COLUMN agent_heard.agent_at IS 'When an agent last sent it a direct message, to the minute.';

CREATE TABLE context (
    tenant_id bigint      NOT NULL REFERENCES tenant ON DELETE CASCADE,
    principal text        NOT NULL,
    name      text        NOT NULL,
    self_id   bigint,
    agent_id  bigint,
    domain_id bigint,
    zone_id   bigint,
    used_at   timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, principal, name)
);
CREATE INDEX context_age ON context (used_at);
CREATE INDEX context_self ON context (tenant_id, self_id) WHERE self_id IS NOT NULL;

CREATE FUNCTION live_context() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM log_presence(NEW.tenant_id, NEW.self_id, 'seen', NULL);
    IF TG_OP = 'UPDATE' AND OLD.self_id IS DISTINCT FROM NEW.self_id THEN
        PERFORM log_presence(OLD.tenant_id, OLD.self_id, 'seen', NULL);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER live_logged_on AFTER INSERT ON context
    FOR EACH ROW WHEN (NEW.self_id IS NOT NULL) EXECUTE FUNCTION live_context();
CREATE TRIGGER live_presence AFTER UPDATE ON context
    FOR EACH ROW WHEN (NEW.self_id IS DISTINCT FROM OLD.self_id OR NEW.used_at > (OLD.used_at + INTERVAL '00:15:00'))
    EXECUTE FUNCTION live_context();

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
CREATE INDEX domain_owner ON domain (tenant_id, owner_id);

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
CREATE TRIGGER domain_changed AFTER INSERT OR DELETE OR UPDATE ON domain
    FOR EACH ROW EXECUTE FUNCTION tell_place_changed('domain');
CREATE TRIGGER zz_owner_is_there AFTER INSERT OR UPDATE OF owner_id ON domain
    FOR EACH ROW EXECUTE FUNCTION refuse_removed_owner();
CREATE TRIGGER counted_added AFTER INSERT ON domain
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_added('domains');

CREATE FUNCTION count_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM count_usage(c.tenant_id, TG_ARGV[0], -c.n)
       FROM (SELECT tenant_id, count(*) AS n FROM changed GROUP BY tenant_id ORDER BY tenant_id) c;
    RETURN NULL;
END $$;
CREATE TRIGGER counted_gone AFTER DELETE ON domain
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_gone('domains');
CREATE TRIGGER access_begun AFTER INSERT OR DELETE ON domain
    FOR EACH ROW EXECUTE FUNCTION tell_access_changed();
CREATE TRIGGER access_changed AFTER UPDATE ON domain
    FOR EACH ROW
    WHEN (NEW.name_key IS DISTINCT FROM OLD.name_key OR NEW.access IS DISTINCT FROM OLD.access OR NEW.owner_id IS DISTINCT FROM OLD.owner_id)
    EXECUTE FUNCTION tell_access_changed();

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
COMMENT ON COLUMN membership.owner_id IS 'The owner of the agent, who sees what its agents are members of.';
CREATE INDEX membership_agent ON membership (tenant_id, agent_id);
CREATE INDEX membership_owner ON membership (tenant_id, owner_id, domain_id);

CREATE FUNCTION taking_part(tenant bigint, domain bigint, owner bigint) RETURNS bigint[] LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN count(*) <= 100 THEN array_agg(u.id) END
      FROM (SELECT owner AS id
             UNION
            SELECT m.owner_id FROM membership m
             WHERE m.tenant_id = tenant AND m.domain_id = domain AND m.state = 'member') u;
$$;
CREATE TRIGGER access_changed AFTER INSERT OR DELETE OR UPDATE ON membership
    FOR EACH ROW EXECUTE FUNCTION tell_access_changed();

CREATE FUNCTION live_membership() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM log_presence(COALESCE(NEW.tenant_id, OLD.tenant_id), COALESCE(NEW.agent_id, OLD.agent_id),
                         CASE WHEN TG_OP <> 'DELETE' AND NEW.state = 'member' THEN 'joined' ELSE 'left' END,
                         COALESCE(NEW.domain_id, OLD.domain_id));
    RETURN NULL;
END $$;
CREATE TRIGGER live_joined AFTER INSERT OR DELETE OR UPDATE ON membership
    FOR EACH ROW EXECUTE FUNCTION live_membership();

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

CREATE FUNCTION tell_zone_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_changed(d.tenant_id, 'resources', '{}', concerned(d.access, d.owner_id))
       FROM domain d
      WHERE d.tenant_id = COALESCE(NEW.tenant_id, OLD.tenant_id) AND d.id = COALESCE(NEW.domain_id, OLD.domain_id);
    RETURN NULL;
END $$;
CREATE TRIGGER zone_changed AFTER INSERT OR DELETE OR UPDATE ON zone
    FOR EACH ROW EXECUTE FUNCTION tell_zone_changed();
CREATE TRIGGER access_changed AFTER INSERT OR DELETE OR UPDATE ON zone
    FOR EACH ROW EXECUTE FUNCTION tell_access_changed();

CREATE TABLE bank (
    tenant_id   bigint      NOT NULL,
    id          bigint      NOT NULL DEFAULT nextval('entity_id'),
    name        text        NOT NULL,
    name_key    text        COLLATE "C" NOT NULL,
    description text,
    access      text        NOT NULL CHECK (access IN ('private', 'bank', 'domain', 'agent', 'public')),
    owner_id    bigint      NOT NULL,
    revision    bigint      NOT NULL DEFAULT 1,
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    censored_at timestamptz,
    deleted_at  timestamptz,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, owner_id) REFERENCES app_user
);
COMMENT ON COLUMN bank.deleted_at IS 'In the trash since; purged after 30 days.';
CREATE INDEX bank_trash ON bank (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX bank_owner ON bank (tenant_id, owner_id);
CREATE UNIQUE INDEX bank_name ON bank (tenant_id, name_key) WHERE deleted_at IS NULL;

CREATE FUNCTION memory_near_table(bank bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT CONCAT('memory_near_', bank) $$;
CREATE TRIGGER bank_changed AFTER INSERT OR DELETE OR UPDATE ON bank
    FOR EACH ROW EXECUTE FUNCTION tell_place_changed('bank');
CREATE TRIGGER zz_owner_is_there AFTER INSERT OR UPDATE OF owner_id ON bank
    FOR EACH ROW EXECUTE FUNCTION refuse_removed_owner();
CREATE TRIGGER counted_added AFTER INSERT ON bank
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_added('banks');
CREATE TRIGGER counted_gone AFTER DELETE ON bank
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_gone('banks');
CREATE TRIGGER access_begun AFTER INSERT OR DELETE ON bank FOR EACH ROW EXECUTE FUNCTION tell_access_changed();
CREATE TRIGGER access_changed AFTER UPDATE ON bank
    FOR EACH ROW
    WHEN (NEW.name_key IS DISTINCT FROM OLD.name_key OR NEW.access IS DISTINCT FROM OLD.access OR NEW.owner_id IS DISTINCT FROM OLD.owner_id OR NEW.deleted_at IS DISTINCT FROM OLD.deleted_at OR NEW.censored_at IS DISTINCT FROM OLD.censored_at)
    EXECUTE FUNCTION tell_access_changed();

CREATE TABLE bank_grant (
    tenant_id  bigint NOT NULL,
    bank_id    bigint NOT NULL,
    agent_id   bigint NOT NULL,
    owner_id   bigint NOT NULL,
    permission text   NOT NULL CHECK (permission IN ('none', 'read', 'append', 'write', 'manage')),
    PRIMARY KEY (tenant_id, bank_id, agent_id),
    FOREIGN KEY (tenant_id, bank_id) REFERENCES bank ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agent ON DELETE CASCADE
);
COMMENT ON COLUMN bank_grant.owner_id IS 'The owner of the agent, who may use the bank through it.';
CREATE INDEX bank_grant_owner ON bank_grant (tenant_id, owner_id, bank_id);
CREATE INDEX bank_grant_agent ON bank_grant (tenant_id, agent_id);
CREATE TRIGGER access_changed AFTER INSERT OR DELETE OR UPDATE ON bank_grant
    FOR EACH ROW EXECUTE FUNCTION tell_access_changed();

CREATE TABLE bank_load (
    tenant_id bigint      NOT NULL,
    agent_id  bigint      NOT NULL,
    bank_id   bigint      NOT NULL,
    loaded_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, agent_id, bank_id),
    FOREIGN KEY (tenant_id, bank_id) REFERENCES bank ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agent ON DELETE CASCADE
);
COMMENT ON TABLE bank_load IS 'The banks that an agent has attached as working memory.';

CREATE TABLE bank_censor (
    tenant_id bigint      NOT NULL,
    bank_id   bigint      NOT NULL,
    agent_id  bigint      NOT NULL,
    since     timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, bank_id, agent_id),
    FOREIGN KEY (tenant_id, bank_id) REFERENCES bank ON DELETE CASCADE
);

CREATE TABLE memory (
    tenant_id     bigint      NOT NULL,
    bank_id       bigint      NOT NULL,
    id            uuid        NOT NULL,
    name          text,
    name_key      text        COLLATE "C",
    text          text        NOT NULL,
    tags          text[]      NOT NULL,
    author_id     bigint      NOT NULL,
    contributors  bigint[]    NOT NULL,
    derived_from  uuid[]      NOT NULL,
    revision      bigint      NOT NULL DEFAULT 1,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    deleted_at    timestamptz,
    editor_id     bigint,
    source        jsonb,
    supersedes    uuid,
    reason        text,
    superseded_by uuid,
    superseded_at timestamptz,
    expires_at    timestamptz,
    pinned        boolean     NOT NULL DEFAULT false,
    change        xid8        NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (tenant_id, bank_id, id),
    FOREIGN KEY (tenant_id, bank_id) REFERENCES bank ON DELETE CASCADE
);
ALTER TABLE memory ALTER COLUMN bank_id SET (n_distinct = 100);
COMMENT ON COLUMN memory.contributors IS 'Whoever wrote a part of it: its author, its editors, and those of what it was derived from. Censoring one of them hides it.';
COMMENT ON COLUMN memory.editor_id IS 'Who stored this revision, if that is not the author.';
COMMENT ON COLUMN memory.source IS 'The document that this revision comes from: kind, name, version, position. Without one it comes from its editor.';
COMMENT ON COLUMN memory.reason IS 'Why it supersedes the other one.';
COMMENT ON COLUMN memory.superseded_by IS 'Counts only while readers are shown that one: a false correction that is censored leaves no trace.';
CREATE INDEX memory_author ON memory (tenant_id, bank_id, author_id);
CREATE INDEX memory_trash ON memory (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX memory_pinned ON memory (tenant_id, bank_id, created_at DESC, id) WHERE pinned AND deleted_at IS NULL;
CREATE INDEX memory_expiry ON memory (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX memory_change ON memory (tenant_id, bank_id, change, id);
CREATE INDEX memory_newest ON memory (tenant_id, bank_id, created_at DESC, id DESC) INCLUDE (expires_at, superseded_by) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX memory_name ON memory (tenant_id, bank_id, name_key) WHERE deleted_at IS NULL AND name_key IS NOT NULL;

CREATE FUNCTION memory_signatures(vectors bytea) RETURNS TABLE(part integer, signature bit varying) LANGUAGE sql IMMUTABLE AS $$
    SELECT p.part, CAST(string_agg(CASE WHEN get_byte(v.bytes, 6 + p.part * (4 + d.dimensions) + i) BETWEEN 1 AND 127 THEN '1' ELSE '0' END,
                                   '' ORDER BY i) AS bit varying)
      FROM (SELECT vectors || '' AS bytes OFFSET 0) v -- In memory: out of line, each byte would be looked up.
     CROSS JOIN LATERAL (SELECT 256 * get_byte(v.bytes, 0) + get_byte(v.bytes, 1) AS dimensions OFFSET 0) d
     CROSS JOIN LATERAL generate_series(0, (length(v.bytes) - 2) / (4 + d.dimensions) - 1) p (part)
     CROSS JOIN LATERAL generate_series(0, d.dimensions - 1) i
     WHERE length(vectors) > 2
     GROUP BY p.part
$$;

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

CREATE FUNCTION memory_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.change := pg_current_xact_id();
    RETURN NEW;
END $$;
CREATE TRIGGER memory_changed AFTER UPDATE ON memory
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_memories_changed();
CREATE TRIGGER memory_removed AFTER DELETE ON memory
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_memories_changed();
CREATE TRIGGER counted_gone AFTER DELETE ON memory
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_gone('memories');

CREATE FUNCTION keep_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO memory_revision (tenant_id, bank_id, memory_id, revision, name, name_key, text, tags, editor_id, contributors,
                                 derived_from, source, supersedes, reason, expires_at, pinned, stored_at, replaced_at)
    VALUES (OLD.tenant_id, OLD.bank_id, OLD.id, OLD.revision, OLD.name, OLD.name_key, OLD.text, OLD.tags, OLD.editor_id,
            OLD.contributors, OLD.derived_from, OLD.source, OLD.supersedes, OLD.reason, OLD.expires_at, OLD.pinned,
            OLD.updated_at, NEW.updated_at);
    RETURN NULL;
END $$;
CREATE TRIGGER memory_replaced AFTER UPDATE OF revision ON memory
    FOR EACH ROW WHEN (NEW.revision <> OLD.revision) EXECUTE FUNCTION keep_revision();
CREATE TRIGGER changed BEFORE UPDATE ON memory FOR EACH ROW EXECUTE FUNCTION memory_changed();

CREATE FUNCTION memory_went() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM memory_vector v
     USING old_row
     WHERE v.tenant_id = old_row.tenant_id AND v.bank_id = old_row.bank_id AND v.memory_id = old_row.id;
    INSERT INTO memory_gone (tenant_id, bank_id, memory_id)
    SELECT old_row.tenant_id, old_row.bank_id, old_row.id
      FROM old_row JOIN bank b ON b.tenant_id = old_row.tenant_id AND b.id = old_row.bank_id;
    RETURN NULL;
END $$;
CREATE TRIGGER went AFTER DELETE ON memory
    REFERENCING OLD TABLE AS old_row FOR EACH STATEMENT EXECUTE FUNCTION memory_went();

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
CREATE TRIGGER live_updated AFTER UPDATE ON memory
    REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT
    EXECUTE FUNCTION live_memories_changed();

CREATE FUNCTION await_other_vectors() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO memory_vector (tenant_id, bank_id, memory_id, revision)
    VALUES (NEW.tenant_id, NEW.bank_id, NEW.id, NEW.revision)
        ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER vectors_await_other AFTER UPDATE OF revision ON memory
    FOR EACH ROW WHEN (NEW.revision <> OLD.revision) EXECUTE FUNCTION await_other_vectors();

CREATE FUNCTION memories_stored() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM count_usage(c.tenant_id, 'memories', c.n)
       FROM (SELECT tenant_id, count(*) AS n FROM stored GROUP BY tenant_id ORDER BY tenant_id) c;
    INSERT INTO memory_vector (tenant_id, bank_id, memory_id, revision)
    SELECT tenant_id, bank_id, id, revision FROM stored
        ON CONFLICT DO NOTHING;
    IF listened_to((SELECT tenant_id FROM stored LIMIT 1)) THEN
        PERFORM log_memories(tenant_id, bank_id, 'stored', array_agg(id)) FROM stored GROUP BY tenant_id, bank_id;
        PERFORM tell_live((SELECT tenant_id FROM stored LIMIT 1));
        PERFORM tell_changed(b.tenant_id, 'bank', ARRAY[b.name_key], concerned(b.access, b.owner_id))
           FROM (SELECT DISTINCT tenant_id, bank_id FROM stored) c
           JOIN bank b ON b.tenant_id = c.tenant_id AND b.id = c.bank_id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER stored AFTER INSERT ON memory
    REFERENCING NEW TABLE AS stored FOR EACH STATEMENT EXECUTE FUNCTION memories_stored();

CREATE TABLE memory_revision (
    tenant_id    bigint      NOT NULL,
    bank_id      bigint      NOT NULL,
    memory_id    uuid        NOT NULL,
    revision     bigint      NOT NULL,
    name         text,
    name_key     text        COLLATE "C",
    text         text        NOT NULL,
    tags         text[]      NOT NULL,
    editor_id    bigint,
    contributors bigint[]    NOT NULL,
    derived_from uuid[]      NOT NULL,
    source       jsonb,
    supersedes   uuid,
    reason       text,
    expires_at   timestamptz,
    pinned       boolean     NOT NULL,
    stored_at    timestamptz NOT NULL,
    replaced_at  timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, bank_id, memory_id, revision),
    FOREIGN KEY (tenant_id, bank_id, memory_id) REFERENCES memory ON DELETE CASCADE
);
CREATE INDEX memory_revision_age ON memory_revision (replaced_at);
CREATE INDEX memory_revision_name ON memory_revision (tenant_id, bank_id, name_key) WHERE name_key IS NOT NULL;

CREATE FUNCTION drop_vectors() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM memory_vector v
     USING gone g
     WHERE v.tenant_id = g.tenant_id AND v.bank_id = g.bank_id AND v.memory_id = g.memory_id AND v.revision = g.revision;
    RETURN NULL;
END $$;
CREATE TRIGGER vectors_drop AFTER DELETE ON memory_revision
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION drop_vectors();

CREATE TABLE memory_vector (
    tenant_id   bigint      NOT NULL,
    bank_id     bigint      NOT NULL,
    memory_id   uuid        NOT NULL,
    revision    bigint      NOT NULL,
    model       text,
    vectors     bytea,
    change      xid8        NOT NULL DEFAULT pg_current_xact_id(),
    queued_at   timestamptz NOT NULL DEFAULT now(),
    lease_until timestamptz,
    attempts    integer     NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, bank_id, memory_id, revision)
);
ALTER TABLE memory_vector ALTER COLUMN vectors SET STORAGE EXTERNAL;
COMMENT ON COLUMN memory_vector.vectors IS 'One for each part of the text: a scale and a byte for each dimension. Empty where none could be made.';
COMMENT ON COLUMN memory_vector.change IS 'The transaction that brought the vectors; see memory.change.';
CREATE INDEX memory_vector_change ON memory_vector (tenant_id, bank_id, change, memory_id) WHERE vectors IS NOT NULL;
CREATE INDEX memory_vector_model ON memory_vector (model) WHERE vectors IS NOT NULL;
CREATE INDEX memory_vector_waiting ON memory_vector (tenant_id, queued_at) WHERE vectors IS NULL;

CREATE TABLE memory_gone (
    tenant_id bigint      NOT NULL,
    bank_id   bigint      NOT NULL,
    change    xid8        NOT NULL DEFAULT pg_current_xact_id(),
    memory_id uuid        NOT NULL,
    gone_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, bank_id, change, memory_id)
);
CREATE INDEX memory_gone_age ON memory_gone (gone_at);

CREATE TABLE memory_near (
    tenant_id  bigint      NOT NULL,
    bank_id    bigint      NOT NULL,
    model      text        NOT NULL,
    dimensions integer     NOT NULL,
    filled_to  uuid        NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    ready_at   timestamptz,
    PRIMARY KEY (tenant_id, bank_id)
);
COMMENT ON COLUMN memory_near.filled_to IS 'The last memory that was copied; triggers add what is stored from the beginning on.';
COMMENT ON COLUMN memory_near.ready_at IS 'When every vector of the bank was in the table. Before, it is not searched.';

CREATE TABLE document_upload (
    tenant_id  bigint      NOT NULL REFERENCES tenant ON DELETE CASCADE,
    id         uuid        NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX document_upload_age ON document_upload (created_at);

CREATE TABLE document_chunk (
    tenant_id bigint  NOT NULL,
    upload_id uuid    NOT NULL,
    n         integer NOT NULL,
    bytes     bytea   NOT NULL,
    PRIMARY KEY (tenant_id, upload_id, n),
    FOREIGN KEY (tenant_id, upload_id) REFERENCES document_upload ON DELETE CASCADE
);
ALTER TABLE document_chunk ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE document (
    tenant_id     bigint      NOT NULL REFERENCES tenant ON DELETE CASCADE,
    id            uuid        NOT NULL,
    name          text        NOT NULL,
    name_key      text        COLLATE "C" NOT NULL,
    version       bigint      NOT NULL,
    upload_id     uuid        CONSTRAINT document_upload_id_not_null1 NOT NULL,
    declared_type text,
    media_type    text,
    size          bigint      NOT NULL,
    sha256        text        NOT NULL,
    owner_id      bigint      NOT NULL,
    state         text        NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'validating', 'accepted', 'rejected')),
    reasons       json        NOT NULL DEFAULT '[]',
    characters    bigint,
    created_at    timestamptz NOT NULL,
    validated_at  timestamptz,
    queued_at     timestamptz NOT NULL,
    attempts      integer     NOT NULL DEFAULT 0,
    claim         uuid,
    lease_until   timestamptz,
    begun_at      timestamptz,
    took_ms       bigint,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, upload_id) REFERENCES document_upload
);
COMMENT ON COLUMN document.claim IS 'Of the worker that validates it; only the newest may write what came of it.';
COMMENT ON COLUMN document.lease_until IS 'Until when its worker need not be heard of, by the clock of the database.';
CREATE INDEX document_newest ON document (tenant_id, created_at DESC, id DESC);
CREATE INDEX document_content ON document (tenant_id, sha256);
CREATE INDEX document_waiting ON document (queued_at) WHERE state IN ('queued', 'validating');
CREATE INDEX document_validated ON document (validated_at) WHERE validated_at IS NOT NULL;
CREATE INDEX document_upload_of ON document (tenant_id, upload_id);
CREATE INDEX document_begun ON document (tenant_id, begun_at);
CREATE UNIQUE INDEX document_name ON document (tenant_id, name_key, version);
CREATE TRIGGER counted_added AFTER INSERT ON document
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_added('documents');
CREATE TRIGGER counted_gone AFTER DELETE ON document
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_gone('documents');

CREATE FUNCTION drop_document_file() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM document_upload WHERE tenant_id = OLD.tenant_id AND id = OLD.upload_id;
    RETURN NULL;
END $$;
CREATE TRIGGER document_gone AFTER DELETE ON document FOR EACH ROW EXECUTE FUNCTION drop_document_file();

CREATE FUNCTION tell_document_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    tenant bigint := COALESCE(NEW.tenant_id, OLD.tenant_id);
BEGIN
    PERFORM tell_changed(tenant, 'document', ARRAY[COALESCE(NEW.name_key, OLD.name_key)], NULL);
    PERFORM tell_changed(tenant, 'resources', '{}', NULL);
    RETURN NULL;
END $$;
CREATE TRIGGER document_changed AFTER INSERT OR DELETE ON document
    FOR EACH ROW EXECUTE FUNCTION tell_document_changed();
CREATE TRIGGER document_validated AFTER UPDATE OF state ON document
    FOR EACH ROW WHEN (NEW.state <> OLD.state AND NEW.state <> 'validating')
    EXECUTE FUNCTION tell_document_changed();

CREATE FUNCTION live_document() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    tenant bigint := COALESCE(NEW.tenant_id, OLD.tenant_id);
BEGIN
    IF listened_to(tenant) THEN
        INSERT INTO live_event (tenant_id, topic, action, thing)
        VALUES (tenant, 'documents', CASE WHEN TG_OP = 'DELETE' THEN 'deleted' ELSE NEW.state END,
                COALESCE(NEW.id, OLD.id));
        PERFORM tell_live(tenant);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER live_handed_in AFTER INSERT OR DELETE ON document FOR EACH ROW EXECUTE FUNCTION live_document();
CREATE TRIGGER live_validated AFTER UPDATE OF state ON document
    FOR EACH ROW WHEN (NEW.state <> OLD.state) EXECUTE FUNCTION live_document();

CREATE TABLE document_part (
    tenant_id   bigint  NOT NULL,
    document_id uuid    NOT NULL,
    n           integer NOT NULL,
    characters  bigint  NOT NULL,
    blocks      text    NOT NULL,
    PRIMARY KEY (tenant_id, document_id, n),
    FOREIGN KEY (tenant_id, document_id) REFERENCES document ON DELETE CASCADE
);

CREATE TABLE document_version (
    tenant_id bigint NOT NULL REFERENCES tenant ON DELETE CASCADE,
    name_key  text   COLLATE "C" NOT NULL,
    last      bigint NOT NULL,
    PRIMARY KEY (tenant_id, name_key)
);

CREATE TABLE document_memory (
    tenant_id   bigint NOT NULL,
    bank_id     bigint NOT NULL,
    memory_id   uuid   NOT NULL,
    name_key    text   COLLATE "C" NOT NULL,
    document_id uuid   NOT NULL,
    version     bigint NOT NULL,
    n           bigint NOT NULL,
    digest      text   NOT NULL,
    PRIMARY KEY (tenant_id, bank_id, memory_id),
    FOREIGN KEY (tenant_id, bank_id, memory_id) REFERENCES memory ON DELETE CASCADE
);
COMMENT ON COLUMN document_memory.digest IS 'SHA-256 of the piece: what is the same in another version keeps its memory.';
CREATE INDEX document_memory_document ON document_memory (tenant_id, document_id);
CREATE INDEX document_memory_name ON document_memory (tenant_id, name_key, bank_id);

CREATE TABLE event (
    tenant_id  bigint      NOT NULL REFERENCES tenant ON DELETE CASCADE,
    id         uuid        NOT NULL,
    type       text        NOT NULL,
    created_at timestamptz NOT NULL,
    data       json        NOT NULL,
    ordinal    bigint      GENERATED ALWAYS AS IDENTITY,
    seq        bigint,
    directed   boolean     NOT NULL DEFAULT false,
    not_to     uuid,
    PRIMARY KEY (tenant_id, id)
);
COMMENT ON COLUMN event.ordinal IS 'The order of writing, with gaps.';
COMMENT ON COLUMN event.seq IS 'Its place in the tenant''s feed, given after its transaction: without gaps.';
COMMENT ON COLUMN event.directed IS 'A test: stands in no feed and goes only where it was sent.';
COMMENT ON COLUMN event.not_to IS 'The endpoint that is not sent it, since it is about its failing.';
CREATE UNIQUE INDEX event_seq ON event (tenant_id, seq);
CREATE INDEX event_unplaced ON event (tenant_id, ordinal) WHERE seq IS NULL AND NOT directed;
CREATE INDEX event_age ON event (created_at);

CREATE TABLE event_feed (
    tenant_id   bigint PRIMARY KEY REFERENCES tenant ON DELETE CASCADE,
    last_seq    bigint NOT NULL DEFAULT 0,
    cleared_seq bigint NOT NULL DEFAULT 0,
    CHECK (cleared_seq BETWEEN 0 AND last_seq)
);
COMMENT ON COLUMN event_feed.cleared_seq IS 'What has this place or one before is in the feed no more, also where it is kept for a delivery that is still to come.';

CREATE FUNCTION tell_feed_grown() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_changed(NEW.tenant_id, 'events', '{}', NULL);
    RETURN NULL;
END $$;
CREATE TRIGGER event_feed_grown AFTER INSERT OR UPDATE OF last_seq ON event_feed
    FOR EACH ROW EXECUTE FUNCTION tell_feed_grown();

CREATE TABLE webhook_endpoint (
    tenant_id       bigint      NOT NULL REFERENCES tenant ON DELETE CASCADE,
    id              uuid        NOT NULL,
    url             text        NOT NULL,
    events          text[]      NOT NULL CHECK (cardinality(events) > 0),
    description     text,
    enabled         boolean     NOT NULL DEFAULT true,
    disabled_reason text        CHECK (disabled_reason IN ('manual', 'gone', 'failing')),
    revision        bigint      NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    deleted_at      timestamptz,
    secret          text        NOT NULL,
    previous_secret text,
    previous_until  timestamptz,
    preflight       json,
    last_sequence   bigint      NOT NULL DEFAULT 0,
    failing_since   timestamptz,
    warned          smallint    NOT NULL DEFAULT 0,
    failures_in_row integer     NOT NULL DEFAULT 0,
    openings        smallint    NOT NULL DEFAULT 0,
    open_until      timestamptz,
    missed_after    bigint,
    missed_until    bigint,
    PRIMARY KEY (tenant_id, id),
    CHECK (enabled = (disabled_reason IS NULL))
);
COMMENT ON COLUMN webhook_endpoint.secret IS 'Sealed in the vault.';
COMMENT ON COLUMN webhook_endpoint.last_sequence IS 'Of the last delivery that was queued for it.';
COMMENT ON COLUMN webhook_endpoint.failing_since IS 'Of the first failure since the last success.';
COMMENT ON COLUMN webhook_endpoint.warned IS 'Percent of the way to being disabled that its tenant was warned at.';
COMMENT ON COLUMN webhook_endpoint.openings IS 'How often the circuit has opened since the last success.';
COMMENT ON COLUMN webhook_endpoint.open_until IS 'The circuit is open: nothing is attempted before.';
COMMENT ON COLUMN webhook_endpoint.missed_after IS 'The last place of the feed when it was last disabled: what came behind was not queued for it.';
COMMENT ON COLUMN webhook_endpoint.missed_until IS 'The last place of the feed when it was enabled again; null while it is not.';
CREATE INDEX webhook_endpoint_listed ON webhook_endpoint (tenant_id, created_at DESC, id DESC);
CREATE INDEX webhook_endpoint_deleted ON webhook_endpoint (tenant_id, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX webhook_endpoint_failing ON webhook_endpoint (failing_since) WHERE failing_since IS NOT NULL;
CREATE TRIGGER counted_added AFTER INSERT ON webhook_endpoint
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_added('webhook_endpoints');
CREATE TRIGGER counted_ended AFTER UPDATE OF deleted_at ON webhook_endpoint
    FOR EACH ROW WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)
    EXECUTE FUNCTION count_ended('webhook_endpoints');
CREATE TRIGGER counted_gone AFTER DELETE ON webhook_endpoint
    FOR EACH ROW WHEN (OLD.deleted_at IS NULL) EXECUTE FUNCTION count_ended('webhook_endpoints');

CREATE TABLE webhook_delivery (
    tenant_id   bigint      NOT NULL,
    id          uuid        NOT NULL,
    endpoint_id uuid        NOT NULL,
    event_id    uuid        NOT NULL,
    event_type  text        NOT NULL,
    sequence    bigint      NOT NULL,
    state       text        NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivering', 'delivered', 'failed', 'exhausted')),
    attempts    jsonb       NOT NULL DEFAULT '[]',
    due_at      timestamptz,
    holder      uuid,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, endpoint_id, sequence),
    FOREIGN KEY (tenant_id, endpoint_id) REFERENCES webhook_endpoint ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, event_id) REFERENCES event ON DELETE CASCADE
);
COMMENT ON COLUMN webhook_delivery.attempts IS 'In their order: {at, duration_ms, status, error}.';
COMMENT ON COLUMN webhook_delivery.due_at IS 'When it is to be attempted; while it is delivering, when its holder has lost it; null once it has come to an end.';
CREATE INDEX webhook_delivery_due ON webhook_delivery (tenant_id, endpoint_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_delivery_held ON webhook_delivery (tenant_id, endpoint_id, due_at) WHERE state = 'delivering';
CREATE INDEX webhook_delivery_listed ON webhook_delivery (tenant_id, created_at DESC, id DESC);
CREATE INDEX webhook_delivery_event ON webhook_delivery (tenant_id, event_id);

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
CREATE TRIGGER live_delivered AFTER UPDATE ON webhook_delivery
    REFERENCING NEW TABLE AS rows FOR EACH STATEMENT EXECUTE FUNCTION live_rows('deliveries');

CREATE TABLE webhook_health (
    tenant_id       bigint      NOT NULL,
    endpoint_id     uuid        NOT NULL,
    hour            timestamptz NOT NULL,
    succeeded       bigint      NOT NULL,
    failed          bigint      NOT NULL,
    durations       bigint[]    NOT NULL,
    last_success_at timestamptz,
    last_failure_at timestamptz,
    PRIMARY KEY (tenant_id, endpoint_id, hour),
    FOREIGN KEY (tenant_id, endpoint_id) REFERENCES webhook_endpoint ON DELETE CASCADE
);
COMMENT ON COLUMN webhook_health.durations IS 'How many attempts took so long: a histogram, its classes are in the code.';
CREATE INDEX webhook_health_age ON webhook_health (hour);

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

CREATE TABLE mcp_task (
    tenant_id    bigint      NOT NULL,
    id           text        NOT NULL,
    server       text        NOT NULL,
    principal    text        NOT NULL,
    user_id      bigint      NOT NULL,
    request      text        NOT NULL,
    status       text        NOT NULL CHECK (status IN ('working', 'input_required', 'completed', 'failed', 'cancelled')),
    message      text,
    memory       text        NOT NULL,
    outcome      text,
    attempt      bigint      NOT NULL DEFAULT 0,
    tries        integer     NOT NULL DEFAULT 0,
    leased_until timestamptz NOT NULL,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
COMMENT ON COLUMN mcp_task.server IS 'The name of the server whose tool it is: others leave it alone.';
COMMENT ON COLUMN mcp_task.memory IS 'JSON: what was asked and answered, and what the tool remembers between its questions.';
COMMENT ON COLUMN mcp_task.attempt IS 'Counts the claims: only the newest may write.';
COMMENT ON COLUMN mcp_task.tries IS 'How many replicas in a row were lost over it.';
COMMENT ON COLUMN mcp_task.leased_until IS 'Until then it belongs to the replica that claimed it last, by the clock of the database.';
CREATE INDEX mcp_task_waiting ON mcp_task (server, leased_until) WHERE status = 'working';
CREATE INDEX mcp_task_open ON mcp_task (tenant_id, principal) WHERE status IN ('working', 'input_required');
CREATE INDEX mcp_task_expiry ON mcp_task (expires_at);

CREATE FUNCTION tell_task_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_changed(NEW.tenant_id, 'task', ARRAY[NEW.id], ARRAY[NEW.user_id]);
    IF NEW.status = 'cancelled' THEN
        PERFORM pg_notify('mcp', json_build_object('t', NEW.tenant_id, 'k', 'task-cancelled', 'n', ARRAY[NEW.id])::text);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER mcp_task_changed AFTER UPDATE ON mcp_task
    FOR EACH ROW WHEN (NEW.status <> OLD.status OR NEW.message IS DISTINCT FROM OLD.message OR NEW.memory <> OLD.memory)
    EXECUTE FUNCTION tell_task_changed();

CREATE TABLE handshake (
    tenant_id        bigint      NOT NULL,
    id               uuid        NOT NULL,
    place            integer     NOT NULL,
    holder           text        NOT NULL,
    user_id          bigint      NOT NULL,
    key_id           text,
    proven           boolean     NOT NULL,
    source           uuid        NOT NULL,
    at               timestamptz NOT NULL,
    times            bigint      NOT NULL,
    era              text        NOT NULL,
    method           text,
    client_name      text,
    client_version   text,
    protocol_version text,
    user_agent       text,
    toolset          text,
    status           integer     NOT NULL,
    code             integer,
    flaw             text,
    note             text,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, key_id) REFERENCES api_key ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, user_id) REFERENCES app_user ON DELETE CASCADE
);
COMMENT ON COLUMN handshake.place IS 'Of those of one moment the later has the greater.';
COMMENT ON COLUMN handshake.holder IS 'key:<id>, or user:<id> of who came without a key.';
COMMENT ON COLUMN handshake.proven IS 'Whether the whole key came; if not, only its id did, and anybody may have sent it.';
COMMENT ON COLUMN handshake.source IS 'The same for what one client sends: who it says it is, and how it speaks.';
COMMENT ON COLUMN handshake.flaw IS 'What was wrong; null where nothing was.';
CREATE INDEX handshake_latest ON handshake (tenant_id, holder, at DESC, place DESC);
CREATE INDEX handshake_key ON handshake (tenant_id, key_id) WHERE key_id IS NOT NULL;
CREATE INDEX handshake_user ON handshake (tenant_id, user_id);
CREATE INDEX handshake_age ON handshake (at);
CREATE TRIGGER live_met AFTER INSERT ON handshake
    REFERENCING NEW TABLE AS rows FOR EACH STATEMENT EXECUTE FUNCTION live_rows('handshakes');
CREATE TRIGGER live_met_again AFTER UPDATE ON handshake
    REFERENCING NEW TABLE AS rows FOR EACH STATEMENT EXECUTE FUNCTION live_rows('handshakes');

CREATE TABLE mcp_interest (
    tenant_id bigint      NOT NULL,
    replica   uuid        NOT NULL,
    until     timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, replica)
);

CREATE TABLE live_event (
    tenant_id bigint      NOT NULL,
    xid       xid8        NOT NULL DEFAULT pg_current_xact_id(),
    ordinal   bigint      GENERATED ALWAYS AS IDENTITY,
    at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    topic     text        NOT NULL,
    action    text        NOT NULL,
    thing     uuid,
    place     bigint,
    other     bigint,
    moment    timestamptz,
    PRIMARY KEY (tenant_id, xid, ordinal)
);
COMMENT ON COLUMN live_event.xid IS 'Its transaction. A reader resumes at the oldest transaction that was still open at its last read, so that none is missed.';
COMMENT ON COLUMN live_event.place IS 'The bank of a memory, the agent of a change of presence.';
COMMENT ON COLUMN live_event.other IS 'The domain that an agent joined or left; how many memories, where they are not named.';
COMMENT ON COLUMN live_event.moment IS 'With thing, the key of an audit entry.';
CREATE INDEX live_event_age ON live_event (at);

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

CREATE FUNCTION memory_near_keep() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    name text := memory_near_table(CAST(TG_ARGV[0] AS bigint));
BEGIN
    IF TG_OP = 'DELETE' THEN
        EXECUTE format('DELETE FROM %I WHERE memory_id = $1 AND revision = $2', name) USING OLD.memory_id, OLD.revision;
    ELSE
        EXECUTE format('DELETE FROM %I WHERE memory_id = $1 AND revision < $2', name) USING NEW.memory_id, NEW.revision;
        EXECUTE format('INSERT INTO %1$I AS n
                        SELECT $1, s.part, $2, s.signature FROM memory_signatures($3) s WHERE length(s.signature) = $4
                            ON CONFLICT (memory_id, part) DO UPDATE
                           SET revision = EXCLUDED.revision, signature = EXCLUDED.signature
                         WHERE n.revision <= EXCLUDED.revision', name)
          USING NEW.memory_id, NEW.revision, NEW.vectors, CAST(TG_ARGV[1] AS integer);
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION memory_near_fill(of_tenant bigint, of_bank bigint, of_model text, of_dimensions integer, most integer)
    RETURNS text LANGUAGE plpgsql SET lock_timeout = '100ms' AS $$
DECLARE
    name    text := memory_near_table(of_bank);
    near    memory_near;
    reached uuid;
BEGIN
    SELECT * INTO near FROM memory_near n WHERE n.tenant_id = of_tenant AND n.bank_id = of_bank;
    IF NOT FOUND THEN
        BEGIN
            CREATE EXTENSION IF NOT EXISTS vector;
            EXECUTE format('CREATE TABLE %I (memory_id uuid, part integer, revision bigint NOT NULL, signature bit(%s) NOT NULL,
                            PRIMARY KEY (memory_id, part))', name, of_dimensions);
            EXECUTE format('CREATE INDEX %I ON %I USING hnsw (signature bit_hamming_ops)', name || '_signature', name);
            -- This waits for those that are writing vectors, so none is missed that is not copied either.
            EXECUTE format('CREATE TRIGGER %I AFTER INSERT OR UPDATE OF vectors ON memory_vector FOR EACH ROW
                              WHEN (NEW.bank_id = %s AND NEW.tenant_id = %s AND NEW.model = %L AND NEW.vectors IS NOT NULL)
                            EXECUTE FUNCTION memory_near_keep(%s, %s)', name, of_bank, of_tenant, of_model, of_bank, of_dimensions);
            -- Not for each row of a bank that is destroyed: its table is dropped soon.
            EXECUTE format('CREATE TRIGGER %I AFTER DELETE ON memory_vector FOR EACH ROW
                              WHEN (OLD.bank_id = %s AND OLD.tenant_id = %s
                                    AND current_setting(''engine.destroyed_bank'', true) IS DISTINCT FROM ''%s'')
                            EXECUTE FUNCTION memory_near_keep(%s)', name || '_gone', of_bank, of_tenant, of_bank, of_bank);
        EXCEPTION
            WHEN lock_not_available OR deadlock_detected THEN
                RETURN 'busy';
            WHEN OTHERS THEN
                RETURN SQLERRM;
        END;
        INSERT INTO memory_near (tenant_id, bank_id, model, dimensions) VALUES (of_tenant, of_bank, of_model, of_dimensions);
        RETURN 'filling'; -- Committed now, so that nobody waits for the lock on memory_vector.
    ELSIF near.model <> of_model OR near.dimensions <> of_dimensions THEN
        RETURN 'busy'; -- Until a replica has dropped what is obsolete.
    ELSIF near.ready_at IS NOT NULL THEN
        RETURN 'ready';
    END IF;
    EXECUTE format('WITH following AS (
                        SELECT DISTINCT ON (v.memory_id) v.memory_id, v.revision, v.vectors
                          FROM memory_vector v
                         WHERE v.tenant_id = $1 AND v.bank_id = $2 AND v.memory_id > $3 AND v.model = $4 AND v.vectors IS NOT NULL
                         ORDER BY v.memory_id, v.revision DESC
                         LIMIT $6),
                    added_up AS (
                        SELECT s.*, sum(length(s.vectors)) OVER (ORDER BY s.memory_id) - length(s.vectors) AS bytes_before
                          FROM following s),
                    next_ones AS (
                        SELECT a.memory_id, a.revision, a.vectors FROM added_up a WHERE a.bytes_before < $6 * (4 + $5)),
                    copied AS (
                        INSERT INTO %I
                        SELECT o.memory_id, s.part, o.revision, s.signature
                          FROM next_ones o CROSS JOIN LATERAL memory_signatures(o.vectors) s
                         WHERE length(s.signature) = $5
                            ON CONFLICT DO NOTHING)
                    SELECT o.memory_id FROM next_ones o ORDER BY o.memory_id DESC LIMIT 1', name)
       INTO reached USING of_tenant, of_bank, near.filled_to, of_model, of_dimensions, most;
    UPDATE memory_near n
       SET filled_to = COALESCE(reached, n.filled_to), ready_at = CASE WHEN reached IS NULL THEN now() END
     WHERE n.tenant_id = of_tenant AND n.bank_id = of_bank;
    RETURN CASE WHEN reached IS NULL THEN 'ready' ELSE 'filling' END;
EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
    RETURN 'busy'; -- Somebody is storing the same vector.
END $$;

CREATE FUNCTION memory_near_drop(of_tenant bigint, of_bank bigint) RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '100ms' AS $$
DECLARE
    name text := memory_near_table(of_bank);
BEGIN
    EXECUTE format('DROP TRIGGER IF EXISTS %I ON memory_vector', name);
    EXECUTE format('DROP TRIGGER IF EXISTS %I ON memory_vector', name || '_gone');
    EXECUTE format('DROP TABLE IF EXISTS %I', name);
    DELETE FROM memory_near n WHERE n.tenant_id = of_tenant AND n.bank_id = of_bank;
    RETURN true;
EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
    RETURN false;
END $$;

CREATE FUNCTION memory_nearest(of_tenant bigint, of_bank bigint, of_model text, wanted bit varying, most integer)
    RETURNS TABLE(memory_id uuid) LANGUAGE plpgsql SET enable_seqscan = off SET enable_sort = off AS $$
BEGIN
    IF EXISTS (SELECT FROM memory_near n
                WHERE n.tenant_id = of_tenant AND n.bank_id = of_bank AND n.model = of_model AND n.dimensions = length(wanted)
                  AND n.ready_at IS NOT NULL) THEN
        PERFORM set_config('hnsw.ef_search', CAST(most AS text), true);
        RETURN QUERY EXECUTE format('SELECT n.memory_id FROM %I n ORDER BY n.signature <~> $1 LIMIT $2', memory_near_table(of_bank))
          USING wanted, most;
    END IF;
END $$;

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
    PRIMARY KEY (tenant_id, at, row_id)
);
COMMENT ON TABLE audit IS 'An entry is written in the transaction of what it tells of; one of a refusal in the background.';
COMMENT ON COLUMN audit.target_key IS 'What the target is found by: its id, else its name as names are compared; of a document its name.';
COMMENT ON COLUMN audit.rules IS 'The rules that matched the call.';
COMMENT ON COLUMN audit.before IS 'Of a change of a rule: its text before and after it.';
CREATE INDEX audit_user ON audit (tenant_id, user_key, at, row_id);
CREATE INDEX audit_tool ON audit (tenant_id, tool, at, row_id);
CREATE INDEX audit_target ON audit (tenant_id, target_kind, target_key, at, row_id) WHERE target_key IS NOT NULL;
CREATE INDEX audit_refused ON audit (tenant_id, at, row_id) WHERE result <> 'done';
CREATE INDEX audit_result ON audit (tenant_id, result, at, row_id) WHERE result <> 'done';
CREATE INDEX audit_done ON audit (tenant_id, at DESC, row_id DESC) WHERE result IN ('done', 'rule_refused');
CREATE INDEX audit_version ON audit (tenant_id, target_id, at, row_id) WHERE target_kind = 'document';

CREATE FUNCTION tell_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO live_event (tenant_id, topic, action, thing, moment)
    VALUES (NEW.tenant_id, 'audit', 'noted', NEW.row_id, NEW.at);
    PERFORM tell_live(NEW.tenant_id);
    RETURN NULL;
END $$;
CREATE TRIGGER live_noted AFTER INSERT ON audit
    FOR EACH ROW WHEN (listened_to(NEW.tenant_id)) EXECUTE FUNCTION tell_audit();

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
COMMENT ON COLUMN rule.expression IS 'In CEL; of a template, with its parameters filled in.';
COMMENT ON COLUMN rule.counted_since IS 'When what it does was last changed: matched and failed count from then on.';

CREATE FUNCTION tell_rule_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('callers_changed', 'rules:' || COALESCE(NEW.tenant_id, OLD.tenant_id));
    RETURN NULL;
END $$;
CREATE TRIGGER rule_changed AFTER INSERT OR DELETE OR UPDATE OF revision ON rule
    FOR EACH ROW EXECUTE FUNCTION tell_rule_changed();

CREATE TABLE skill (
    tenant_id  bigint      NOT NULL REFERENCES tenant ON DELETE CASCADE,
    name       text        NOT NULL,
    card       json        NOT NULL,
    size       bigint      NOT NULL,
    revision   bigint      NOT NULL DEFAULT 1,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, name)
);
COMMENT ON COLUMN skill.card IS 'What lists show: frontmatter, and the files with their digests. json, which keeps the order of fields.';
COMMENT ON COLUMN skill.size IS 'In bytes, of all its files.';

CREATE FUNCTION tell_skill_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    tenant bigint := COALESCE(NEW.tenant_id, OLD.tenant_id);
BEGIN
    PERFORM tell_changed(tenant, 'skill', ARRAY[COALESCE(NEW.name, OLD.name)], NULL);
    PERFORM tell_changed(tenant, 'resources', '{}', NULL);
    PERFORM tell_changed(tenant, 'prompts', '{}', NULL);
    RETURN NULL;
END $$;
CREATE TRIGGER skill_changed AFTER INSERT OR DELETE OR UPDATE ON skill
    FOR EACH ROW EXECUTE FUNCTION tell_skill_changed();

CREATE TABLE skill_file (
    tenant_id bigint NOT NULL,
    skill     text   NOT NULL,
    path      text   NOT NULL,
    content   bytea  NOT NULL,
    PRIMARY KEY (tenant_id, skill, path),
    FOREIGN KEY (tenant_id, skill) REFERENCES skill ON DELETE CASCADE
);

CREATE TABLE skill_install (
    tenant_id    bigint      NOT NULL,
    agent_id     bigint      NOT NULL,
    skill        text        NOT NULL,
    installed_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, agent_id, skill),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agent ON DELETE CASCADE
);
CREATE INDEX skill_install_skill ON skill_install (tenant_id, skill);

CREATE FUNCTION tell_skill_installed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_changed(a.tenant_id, 'agent', ARRAY[a.name_key], concerned(a.access, a.owner_id))
       FROM agent a
      WHERE a.tenant_id = COALESCE(NEW.tenant_id, OLD.tenant_id) AND a.id = COALESCE(NEW.agent_id, OLD.agent_id);
    RETURN NULL;
END $$;
CREATE TRIGGER skill_installed AFTER INSERT OR DELETE ON skill_install
    FOR EACH ROW EXECUTE FUNCTION tell_skill_installed();

-- PostgreSQL expects that each tenant has about as many rows as another. Among a thousand small tenants it would take any index
-- that begins with the tenant for as good as the primary key, and read all rows of a large one. So it is told to expect a third of
-- each table in one tenant. PlansTest checks the plans that follow from that.
DO $$
DECLARE
    one record;
BEGIN
    FOR one IN
        SELECT c.oid::regclass AS name
          FROM pg_class c
          JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped
         WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
    LOOP
        EXECUTE format('ALTER TABLE %s ALTER COLUMN tenant_id SET (n_distinct = 3)', one.name);
    END LOOP;
END $$;

CREATE TABLE flyway_schema_history (
    installed_rank integer                     NOT NULL CONSTRAINT flyway_schema_history_pk PRIMARY KEY,
    version        character varying(50),
    description    character varying(200)      NOT NULL,
    type           character varying(20)       NOT NULL,
    script         character varying(1000)     NOT NULL,
    checksum       integer,
    installed_by   character varying(100)      NOT NULL,
    installed_on   timestamp without time zone NOT NULL DEFAULT now(),
    execution_time integer                     NOT NULL,
    success        boolean                     NOT NULL
);
CREATE INDEX flyway_schema_history_s_idx ON flyway_schema_history (success);
INSERT INTO flyway_schema_history (installed_rank, version, description, type, script, checksum, installed_by, execution_time, success)
VALUES
    (1, '1', 'workspace', 'SQL', 'V1__workspace.sql', 1328451923, 'postgres', 0, true),
    (2, '2', 'mcp', 'SQL', 'V2__mcp.sql', 1574076892, 'postgres', 0, true),
    (3, '3', 'keys', 'SQL', 'V3__keys.sql', -1178910809, 'postgres', 0, true),
    (4, '4', 'tasks', 'SQL', 'V4__tasks.sql', -1509218425, 'postgres', 0, true),
    (5, '5', 'users', 'SQL', 'V5__users.sql', -82170814, 'postgres', 0, true),
    (6, '6', 'sessions', 'SQL', 'V6__sessions.sql', 1721119070, 'postgres', 0, true),
    (7, '7', 'audit', 'SQL', 'V7__audit.sql', 166908558, 'postgres', 0, true),
    (8, '8', 'owners', 'SQL', 'V8__owners.sql', 929909370, 'postgres', 0, true),
    (9, '9', 'sign in', 'SQL', 'V9__sign_in.sql', 1334795816, 'postgres', 0, true),
    (10, '10', 'key owners', 'SQL', 'V10__key_owners.sql', -73747862, 'postgres', 0, true),
    (11, '11', 'session secrets', 'SQL', 'V11__session_secrets.sql', 1705750179, 'postgres', 0, true),
    (12, '12', 'mcp oauth', 'SQL', 'V12__mcp_oauth.sql', -22730788, 'postgres', 0, true),
    (13, '13', 'webhooks', 'SQL', 'V13__webhooks.sql', 216353653, 'postgres', 0, true),
    (14, '14', 'quotas', 'SQL', 'V14__quotas.sql', 1575330940, 'postgres', 0, true),
    (15, '15', 'known keys', 'SQL', 'V15__known_keys.sql', -1909240641, 'postgres', 0, true),
    (16, '16', 'skills', 'SQL', 'V16__skills.sql', -924754621, 'postgres', 0, true),
    (17, '17', 'handshakes', 'SQL', 'V17__handshakes.sql', -1772726987, 'postgres', 0, true),
    (18, '18', 'rates', 'SQL', 'V18__rates.sql', -899101814, 'postgres', 0, true),
    (19, '19', 'feed floors', 'SQL', 'V19__feed_floors.sql', -198412436, 'postgres', 0, true),
    (20, '20', 'loop guard', 'SQL', 'V20__loop_guard.sql', 1064509410, 'postgres', 0, true),
    (21, '21', 'stream access', 'SQL', 'V21__stream_access.sql', -1398228469, 'postgres', 0, true),
    (22, '23', 'kept answers', 'SQL', 'V23__kept_answers.sql', 1485612531, 'postgres', 0, true),
    (23, '24', 'audit times', 'SQL', 'V24__audit_times.sql', -478917300, 'postgres', 0, true),
    (24, '25', 'verified emails', 'SQL', 'V25__verified_emails.sql', 1924811068, 'postgres', 0, true),
    (25, '26', 'memory writes', 'SQL', 'V26__memory_writes.sql', -265519841, 'postgres', 0, true),
    (26, '27', 'memory search', 'SQL', 'V27__memory_search.sql', 1549994876, 'postgres', 0, true),
    (27, '28', 'rules', 'SQL', 'V28__rules.sql', -449124001, 'postgres', 0, true),
    (28, '29', 'documents', 'SQL', 'V29__documents.sql', 2112392559, 'postgres', 0, true),
    (29, '30', 'console', 'SQL', 'V30__console.sql', 222434051, 'postgres', 0, true),
    (30, '31', 'unread', 'SQL', 'V31__unread.sql', 1808080912, 'postgres', 0, true),
    (31, '34', 'memory vectors', 'SQL', 'V34__memory_vectors.sql', 556787632, 'postgres', 0, true),
    (32, '36', 'live documents', 'SQL', 'V36__live_documents.sql', -552773985, 'postgres', 0, true),
    (33, '37', 'loaded memories', 'SQL', 'V37__loaded_memories.sql', 1133534267, 'postgres', 0, true),
    (34, '40', 'queue turns', 'SQL', 'V40__queue_turns.sql', 1790325360, 'postgres', 0, true),
    (35, '41', 'document versions', 'SQL', 'V41__document_versions.sql', 409550856, 'postgres', 0, true),
    (36, '42', 'audit details', 'SQL', 'V42__audit_details.sql', -923653666, 'postgres', 0, true),
    (37, '43', 'fewer triggers', 'SQL', 'V43__fewer_triggers.sql', -1042919907, 'postgres', 0, true),
    (38, '44', 'vectors in turns', 'SQL', 'V44__vectors_in_turns.sql', -435402607, 'postgres', 0, true),
    (39, '45', 'memories counted', 'SQL', 'V45__memories_counted.sql', -272074854, 'postgres', 0, true),
    (40, '46', 'audit dry runs', 'SQL', 'V46__audit_dry_runs.sql', -942104702, 'postgres', 0, true),
    (41, '47', 'old secrets clients', 'SQL', 'V47__old_secrets_clients.sql', -422476346, 'postgres', 0, true),
    (42, '48', 'cheaper writes', 'SQL', 'V48__cheaper_writes.sql', -371554821, 'postgres', 0, true),
    (43, '49', 'pgvector', 'SQL', 'V49__pgvector.sql', 380629975, 'postgres', 0, true),
    (44, '50', 'fewer rows', 'SQL', 'V50__fewer_rows.sql', -1835618565, 'postgres', 0, true),
    (45, '51', 'planning', 'SQL', 'V51__planning.sql', -1030656546, 'postgres', 0, true),
    (46, '53', 'names by bytes', 'SQL', 'V53__names_by_bytes.sql', 487970649, 'postgres', 0, true),
    (47, '54', 'agent revisions', 'SQL', 'V54__agent_revisions.sql', -820472336, 'postgres', 0, true);

-- What the MCP endpoint and the console keep, so that any replica can serve any request.

CREATE TABLE mcp_session (
    tenant_id  bigint      NOT NULL,
    id         text        NOT NULL,
    log_level  text,
    ended_at   timestamptz,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
COMMENT ON TABLE mcp_session IS 'What changed about a session of MCP since its start. Everything else is in its signed id.';
CREATE INDEX mcp_session_expiry ON mcp_session (expires_at);

CREATE TABLE mcp_subscription (
    tenant_id  bigint      NOT NULL,
    session_id text        NOT NULL,
    uri        text        NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, session_id, uri)
);
COMMENT ON TABLE mcp_subscription IS 'The resources that a session of MCP has subscribed to.';
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
COMMENT ON TABLE mcp_task IS 'Calls of long tools, which continue when their request or their replica ends.';
COMMENT ON COLUMN mcp_task.server IS 'The name of the server that has the tool. Other servers leave the task alone.';
COMMENT ON COLUMN mcp_task.principal IS 'The caller: its key, session or token.';
COMMENT ON COLUMN mcp_task.memory IS 'JSON: the questions, the answers, and what the tool stores between them.';
COMMENT ON COLUMN mcp_task.attempt IS 'Counts the claims. Only the newest one may write.';
COMMENT ON COLUMN mcp_task.tries IS 'How many replicas in a row ended while they worked at it.';
COMMENT ON COLUMN mcp_task.leased_until IS 'Until then it belongs to the replica that claimed it last, by the clock of the database.';
CREATE INDEX mcp_task_waiting ON mcp_task (server, leased_until) WHERE status = 'working';
CREATE INDEX mcp_task_open ON mcp_task (tenant_id, principal) WHERE status IN ('working', 'input_required');
CREATE INDEX mcp_task_expiry ON mcp_task (expires_at);

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
COMMENT ON TABLE handshake IS 'How clients of MCP connected: the latest few of each key or user.';
COMMENT ON COLUMN handshake.place IS 'Of two at the same moment, the later one has the higher number.';
COMMENT ON COLUMN handshake.holder IS 'key:<id>, or user:<id> for a caller without a key.';
COMMENT ON COLUMN handshake.proven IS 'Whether the whole key was sent. If only its id was, anybody may have sent it.';
COMMENT ON COLUMN handshake.source IS 'The same for all requests of one client: its name, and the way it connects.';
COMMENT ON COLUMN handshake.era IS 'The generation of the protocol.';
COMMENT ON COLUMN handshake.flaw IS 'What was wrong; null if nothing was.';
CREATE INDEX handshake_latest ON handshake (tenant_id, holder, at DESC, place DESC);
CREATE INDEX handshake_key ON handshake (tenant_id, key_id) WHERE key_id IS NOT NULL;
CREATE INDEX handshake_user ON handshake (tenant_id, user_id);
CREATE INDEX handshake_age ON handshake (at);

CREATE TABLE change_listener (
    tenant_id bigint      NOT NULL,
    replica   uuid        NOT NULL,
    until     timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, replica)
);
COMMENT ON TABLE change_listener IS 'In which tenants a replica has listeners. Elsewhere nothing is logged: a transaction that notifies waits at its commit for every other one that does.';

CREATE SEQUENCE change_ordinal;

CREATE TABLE change_log (
    tenant_id bigint      NOT NULL,
    xid       xid8        NOT NULL,
    ordinal   bigint      NOT NULL DEFAULT nextval('change_ordinal'),
    at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    topic     text        NOT NULL,
    action    text,
    thing     uuid,
    place     bigint,
    other     bigint,
    moment    timestamptz,
    names     text[]      NOT NULL DEFAULT '{}',
    users     bigint[],
    PRIMARY KEY (tenant_id, xid, ordinal)
);
COMMENT ON TABLE change_log IS 'What changed in tenants with listeners, for some minutes.';
COMMENT ON COLUMN change_log.xid IS 'Its transaction. A reader resumes at the oldest transaction that was still open at its last read, so that none is missed.';
COMMENT ON COLUMN change_log.topic IS 'What kind of thing, or which list.';
COMMENT ON COLUMN change_log.place IS 'The bank of memories, the agent of a change of presence, the conversation of a message.';
COMMENT ON COLUMN change_log.other IS 'The domain that an agent joined or left; how many memories, where they are not named.';
COMMENT ON COLUMN change_log.moment IS 'With thing, the key of an audit entry.';
COMMENT ON COLUMN change_log.names IS 'The names of the thing, as they are compared.';
COMMENT ON COLUMN change_log.users IS 'The users who may learn of it, besides the admins; null for everyone in the tenant.';
CREATE INDEX change_log_age ON change_log (at);

CREATE FUNCTION set_xid() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.xid := COALESCE(NEW.xid, pg_current_xact_id());
    RETURN NEW;
END $$;
CREATE TRIGGER added BEFORE INSERT ON change_log FOR EACH ROW EXECUTE FUNCTION set_xid();
COMMENT ON TRIGGER added ON change_log IS 'A reader finds each change by its transaction on the server that has the row, whatever logged it.';

CREATE TABLE demo (
    tenant_id  bigint      PRIMARY KEY REFERENCES tenant ON DELETE CASCADE,
    run        uuid        NOT NULL,
    state      text        NOT NULL CHECK (state IN ('running', 'paused', 'waiting', 'finished')),
    step       integer     NOT NULL DEFAULT 0,
    branch     text,
    seconds    integer     NOT NULL,
    held_until timestamptz NOT NULL,
    key_ids    text[]      NOT NULL
);
COMMENT ON TABLE demo IS 'How far the demo of a tenant is, as its client reports it.';
COMMENT ON COLUMN demo.step IS 'The index of the next step.';
COMMENT ON COLUMN demo.branch IS 'The answer of a person, once there is one.';
COMMENT ON COLUMN demo.held_until IS 'When the client counts as gone unless it reports again; the demo is over then.';
COMMENT ON COLUMN demo.key_ids IS 'The key of the client.';

-- Whether a replica has listeners in a tenant. Where nobody listens, nothing is announced: a transaction that notifies
-- waits at its commit for every other one that does.
CREATE FUNCTION listened_to(tenant bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (SELECT 1 FROM change_listener l WHERE l.tenant_id = tenant AND l.until > now());
END $$;

-- The users who may learn of a thing; null for everyone in the tenant.
CREATE FUNCTION concerned(access text, owner bigint) RETURNS bigint[] LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN access = 'private' THEN ARRAY[owner] END;
$$;

-- Writes the changes of a transaction to the log, and notifies the replicas of them once it is committed. Each change is an
-- object with the columns of the log. Without users and without everyone, nobody but the admins learns of it. A thing that is
-- given by its number in place, without names, is as the transaction leaves it. Nothing is done where nobody listens, except
-- that a worker learns that its task was cancelled.
CREATE FUNCTION announce(of_tenant bigint, changes jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    is_heard boolean := listened_to(of_tenant);
    change   record;
    words    text[] := '{}';
    places   bigint[] := '{}';
    payload  text;
BEGIN
    IF NOT is_heard AND NOT changes @> '[{"topic": "task-cancelled"}]' THEN
        RETURN;
    END IF;
    FOR change IN
        WITH entry AS (
            SELECT *
              FROM ROWS FROM (jsonb_to_recordset(changes)
                              AS (topic text, action text, thing uuid, place bigint, other bigint, moment timestamptz,
                                  names text[], users bigint[], everyone boolean))
                   WITH ORDINALITY c (topic, action, thing, place, other, moment, names, users, everyone, i)
             WHERE is_heard OR topic = 'task-cancelled'),
        found AS (
            SELECT i, 0 AS part, topic, action, thing, place, other, moment, COALESCE(names, '{}') AS names,
                   CASE WHEN everyone IS NOT TRUE THEN COALESCE(users, '{}') END AS users
              FROM entry
             WHERE names IS NOT NULL OR topic NOT IN ('agent', 'domain', 'bank')
             UNION ALL
            SELECT e.i, 0, e.topic, NULL, NULL, NULL, NULL, NULL, ARRAY[a.name_key], concerned(a.access, a.owner_id)
              FROM entry e JOIN agent a ON a.tenant_id = of_tenant AND a.id = e.place
             WHERE e.topic = 'agent' AND e.names IS NULL
             UNION ALL
            SELECT e.i, 0, e.topic, NULL, NULL, NULL, NULL, NULL, ARRAY[d.name_key], concerned(d.access, d.owner_id)
              FROM entry e JOIN domain d ON d.tenant_id = of_tenant AND d.id = e.place
             WHERE e.topic = 'domain' AND e.names IS NULL
             UNION ALL
            SELECT e.i, 1, 'bank', NULL, NULL, NULL, NULL, NULL, ARRAY[b.name_key], concerned(b.access, b.owner_id)
              FROM (SELECT min(i) AS i, place FROM entry
                     WHERE topic = 'memories' OR (topic = 'bank' AND names IS NULL) GROUP BY place) e
              JOIN bank b ON b.tenant_id = of_tenant AND b.id = e.place
             UNION ALL
            -- A message changes its zone; between two parties it changes the agents, but only for those who take part.
            SELECT e.i, 1, 'zone', NULL, NULL, NULL, NULL, NULL, ARRAY[d.name_key, z.name_key],
                   taking_part(d.tenant_id, d.id, d.owner_id)
              FROM entry e
              JOIN zone z ON z.tenant_id = of_tenant AND z.conversation_id = e.place
              JOIN domain d ON d.tenant_id = z.tenant_id AND d.id = z.domain_id
             WHERE e.topic = 'messages'
             UNION ALL
            SELECT e.i, 1, 'agent', NULL, NULL, NULL, NULL, NULL, ARRAY[a.name_key],
                   ARRAY[COALESCE(low.owner_id, st.low_id), COALESCE(high.owner_id, st.high_id)]
              FROM entry e
              JOIN conversation st ON st.tenant_id = of_tenant AND st.id = e.place
              LEFT JOIN agent low ON low.tenant_id = of_tenant AND low.id = st.low_id
              LEFT JOIN agent high ON high.tenant_id = of_tenant AND high.id = st.high_id
              JOIN agent a ON a.tenant_id = of_tenant AND a.id IN (st.low_id, st.high_id) AND a.destroyed_at IS NULL
             WHERE e.topic = 'messages')
        SELECT * FROM found ORDER BY i, part
    LOOP
        IF is_heard THEN -- One at a time: several rows would be committed in two phases by Citus, which refuses notifications.
            INSERT INTO change_log (tenant_id, topic, action, thing, place, other, moment, names, users)
            VALUES (of_tenant, change.topic, change.action, change.thing, change.place, change.other, change.moment, change.names,
                    change.users);
        END IF;
        words := words || json_strip_nulls(json_build_object('k', change.topic, 'n', change.names, 'u', change.users))::text;
        -- Listeners look again at what they may see before they are told what changed.
        places := places || CASE WHEN change.topic = 'access' THEN 0 ELSE 2 * change.i + change.part END;
    END LOOP;
    FOR payload IN
        WITH signal AS (
            SELECT word, min(place) AS place FROM unnest(words, places) w (word, place) GROUP BY word),
        numbered AS (
            SELECT word, place,
                   -- PostgreSQL takes less than 8,000 bytes at a time.
                   sum(octet_length(word) + 1) OVER (ORDER BY place, word) / 4000 AS portion
              FROM signal)
        SELECT '{"t":' || of_tenant || ',"c":[' || string_agg(word, ',' ORDER BY place, word) || ']}'
          FROM numbered
         GROUP BY portion
         ORDER BY portion
    LOOP
        PERFORM pg_notify('changes', payload);
    END LOOP;
END $$;

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

-- Listeners are told of what they can see; whoever works at a task that was cancelled is told in any case.
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
COMMENT ON TRIGGER mcp_task_changed ON mcp_task IS 'Announces the change.';

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
CREATE TRIGGER live_met AFTER INSERT ON handshake REFERENCING NEW TABLE AS rows FOR EACH STATEMENT EXECUTE FUNCTION live_rows('handshakes');
COMMENT ON TRIGGER live_met ON handshake IS 'Announces the change.';
CREATE TRIGGER live_met_again AFTER UPDATE ON handshake REFERENCING NEW TABLE AS rows FOR EACH STATEMENT EXECUTE FUNCTION live_rows('handshakes');
COMMENT ON TRIGGER live_met_again ON handshake IS 'Announces the change.';

CREATE TABLE mcp_interest (
    tenant_id bigint      NOT NULL,
    replica   uuid        NOT NULL,
    until     timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, replica)
);
COMMENT ON TABLE mcp_interest IS 'In which tenants a replica has listeners. Elsewhere nothing is announced.';

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
COMMENT ON TABLE live_event IS 'What open consoles are sent: changes in tenants with listeners, for some minutes.';
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
COMMENT ON TABLE demo IS 'The demo of a tenant. Any replica can take its next step.';
COMMENT ON COLUMN demo.last IS 'The last message, which the next one may answer.';
COMMENT ON COLUMN demo.keys IS 'The keys of its agents, encrypted with the master key.';

-- Keeps the table of a bank as the vectors are. Its arguments are the bank and the number of dimensions.
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

-- Creates the table of a bank, or copies some more vectors into it. Returns 'ready' when all are copied, 'filling' when more are
-- left, 'busy' when it must be tried again later, and otherwise why it is not possible here. One transaction at a time may call it.
-- A portion ends with the memory that has the last of so many parts. Nobody may wait long behind it for the lock on memory_vector.
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

-- Returns whether it was possible without waiting long for others.
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

-- The memories of a bank with the nearest signatures, about the nearest first; none if its table is not ready. A memory may come
-- several times, and may be deleted or hidden.
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

-- Tasks of the MCP door: calls of long tools, which go on when the request, or the replica, that began them is gone.

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

-- Listeners are told of what they can see; whoever works at a task that was cancelled is told in any case.
CREATE FUNCTION tell_task_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_changed(NEW.tenant_id, 'task', ARRAY[NEW.id], ARRAY[NEW.user_id]);
    IF NEW.status = 'cancelled' THEN
        PERFORM pg_notify('mcp', json_build_object('t', NEW.tenant_id, 'k', 'task-cancelled', 'n', ARRAY[NEW.id])::text);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER mcp_task_changed AFTER UPDATE ON mcp_task FOR EACH ROW
    WHEN (NEW.status <> OLD.status OR NEW.message IS DISTINCT FROM OLD.message OR NEW.memory <> OLD.memory)
    EXECUTE FUNCTION tell_task_changed();

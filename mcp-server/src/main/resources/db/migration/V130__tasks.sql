-- The tasks of a domain: what is to be done, who holds it and for how long, and what became of it.
CREATE TABLE task (
    tenant_id   bigint      NOT NULL,
    id          uuid        NOT NULL,
    domain_id   bigint      NOT NULL,
    title       text        NOT NULL,
    description text        NOT NULL,
    state       text        NOT NULL CHECK (state IN ('open', 'doing', 'blocked', 'done', 'cancelled')),
    tags        text[]      NOT NULL DEFAULT '{}',
    assignee_id bigint,
    holder_id   bigint,
    lease_until timestamptz,
    fence       bigint      NOT NULL DEFAULT 0,
    unmet       integer     NOT NULL DEFAULT 0,
    result      text,
    creator_id  bigint      NOT NULL,
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    revision    bigint      NOT NULL DEFAULT 1,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, domain_id) REFERENCES domain ON DELETE CASCADE,
    CHECK ((holder_id IS NULL) = (lease_until IS NULL))
);
COMMENT ON COLUMN task.assignee_id IS 'The agent or user whose task it is; null for anybody''s.';
COMMENT ON COLUMN task.holder_id IS 'The agent or user that claimed it. When lease_until has passed, nobody holds it.';
COMMENT ON COLUMN task.fence IS 'Grows with each claim: a change with an older one is refused.';
COMMENT ON COLUMN task.unmet IS 'How many of the tasks that it comes after are not done.';
CREATE INDEX task_newest ON task (tenant_id, domain_id, created_at DESC, id DESC);
CREATE INDEX task_ready ON task (tenant_id, domain_id, created_at, id) WHERE state = 'open' AND unmet = 0;
CREATE INDEX task_state ON task (tenant_id, domain_id, state, created_at DESC, id DESC);
CREATE INDEX task_holder ON task (tenant_id, holder_id) WHERE holder_id IS NOT NULL;
CREATE INDEX task_assignee ON task (tenant_id, assignee_id, created_at DESC, id DESC) WHERE assignee_id IS NOT NULL;
CREATE INDEX task_lease ON task (lease_until) WHERE holder_id IS NOT NULL;
CREATE INDEX task_age ON task (updated_at) WHERE state IN ('done', 'cancelled');

CREATE TABLE task_order (
    tenant_id bigint NOT NULL,
    task_id   uuid   NOT NULL,
    after_id  uuid   NOT NULL,
    place     bigint NOT NULL,
    PRIMARY KEY (tenant_id, task_id, after_id),
    FOREIGN KEY (tenant_id, task_id) REFERENCES task ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, after_id) REFERENCES task ON DELETE CASCADE
);
CREATE INDEX task_order_after ON task_order (tenant_id, after_id, task_id);

CREATE TABLE task_change (
    tenant_id bigint      NOT NULL,
    task_id   uuid        NOT NULL,
    revision  bigint      NOT NULL,
    at        timestamptz NOT NULL,
    by_id     bigint      NOT NULL,
    what      text        NOT NULL,
    note      text,
    PRIMARY KEY (tenant_id, task_id, revision),
    FOREIGN KEY (tenant_id, task_id) REFERENCES task ON DELETE CASCADE
);

-- A task counts for the plan until it is done or cancelled.
CREATE FUNCTION count_reopened() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM count_usage(NEW.tenant_id, TG_ARGV[0], 1);
    RETURN NULL;
END $$;
CREATE TRIGGER counted_added AFTER INSERT ON task REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_added('tasks');
CREATE TRIGGER counted_finished AFTER UPDATE OF state ON task FOR EACH ROW
    WHEN (OLD.state NOT IN ('done', 'cancelled') AND NEW.state IN ('done', 'cancelled')) EXECUTE FUNCTION count_ended('tasks');
CREATE TRIGGER counted_reopened AFTER UPDATE OF state ON task FOR EACH ROW
    WHEN (OLD.state IN ('done', 'cancelled') AND NEW.state NOT IN ('done', 'cancelled')) EXECUTE FUNCTION count_reopened('tasks');
CREATE TRIGGER counted_gone AFTER DELETE ON task FOR EACH ROW
    WHEN (OLD.state NOT IN ('done', 'cancelled')) EXECUTE FUNCTION count_ended('tasks');
COMMENT ON TABLE task IS 'The tasks of domains: what is to be done, who holds it and for how long, and what became of it.';
COMMENT ON TABLE task_order IS 'The tasks that others wait for: a task is ready when those that it comes after are done.';
COMMENT ON COLUMN task_order.place IS 'The order in which they were given.';
COMMENT ON TABLE task_change IS 'The history of each task: who changed what, when, and their note.';
COMMENT ON COLUMN task_change.by_id IS 'The agent or user that changed it; of a lease that ended, the one that lost it.';
COMMENT ON TRIGGER counted_added ON task IS 'A plan limits unfinished tasks, whatever creates them.';
COMMENT ON TRIGGER counted_finished ON task IS 'A finished task no longer counts for the plan.';
COMMENT ON TRIGGER counted_reopened ON task IS 'A task that is opened again counts for the plan again.';
COMMENT ON TRIGGER counted_gone ON task IS 'An unfinished task that is deleted with its domain no longer counts for the plan.';
ALTER TABLE task ALTER COLUMN tenant_id SET (n_distinct = 3);
ALTER TABLE task_order ALTER COLUMN tenant_id SET (n_distinct = 3);
ALTER TABLE task_change ALTER COLUMN tenant_id SET (n_distinct = 3);

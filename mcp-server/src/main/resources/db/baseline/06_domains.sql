-- Domains, their zones and members, their tasks, and reservations of paths.

CREATE TABLE domain (
    tenant_id        bigint      NOT NULL,
    id               bigint      NOT NULL DEFAULT nextval('entity_id'),
    name             text        NOT NULL,
    name_key         text        COLLATE "C" NOT NULL,
    description      text        NOT NULL,
    profile          text,
    access           text        NOT NULL CHECK (access IN ('private', 'domain', 'agent', 'public')),
    owner_id         bigint      NOT NULL,
    host_id          bigint,
    revision         bigint      NOT NULL DEFAULT 1,
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    guard_hops       integer     NOT NULL DEFAULT 24 CHECK (guard_hops BETWEEN 1 AND 64),
    guard_per_minute integer     NOT NULL DEFAULT 30 CHECK (guard_per_minute BETWEEN 1 AND 600),
    guard_more       integer     NOT NULL DEFAULT 0 CHECK (guard_more >= 0),
    guard_stopped    boolean     NOT NULL DEFAULT false,
    separate_worktrees boolean   NOT NULL DEFAULT false,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, name_key),
    FOREIGN KEY (tenant_id, owner_id) REFERENCES app_user,
    FOREIGN KEY (tenant_id, host_id) REFERENCES agent
);
COMMENT ON TABLE domain IS 'The domains.';
COMMENT ON COLUMN domain.access IS 'Who else may see it.';
COMMENT ON COLUMN domain.host_id IS 'The agent that receives visitors.';
COMMENT ON COLUMN domain.guard_hops IS 'How many answers of agents may follow each other.';
COMMENT ON COLUMN domain.guard_per_minute IS 'The other limits are multiples of it: see LoopGuard.';
COMMENT ON COLUMN domain.guard_more IS 'How many more messages may exceed the limits.';
COMMENT ON COLUMN domain.separate_worktrees IS 'Whether each git worktree of a repository has reservations of its own.';
COMMENT ON COLUMN domain.guard_stopped IS 'Whether agents may say nothing in its zones.';
CREATE INDEX domain_owner ON domain (tenant_id, owner_id);

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
CREATE INDEX membership_waiting ON membership (tenant_id, state, since) WHERE state IN ('invited', 'requested');

-- The users who take part in a domain; null, for everyone, where they are too many to be listed.
CREATE FUNCTION taking_part(tenant bigint, domain bigint, owner bigint) RETURNS bigint[] LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT CASE WHEN count(*) <= 100 THEN array_agg(u.id) END
              FROM (SELECT owner AS id
                     UNION
                    SELECT m.owner_id FROM membership m
                     WHERE m.tenant_id = tenant AND m.domain_id = domain AND m.state = 'member') u);
END $$;

CREATE TABLE zone (
    tenant_id   bigint      NOT NULL,
    id          bigint      NOT NULL DEFAULT nextval('entity_id'),
    domain_id   bigint      NOT NULL,
    name        text        NOT NULL,
    name_key    text        COLLATE "C" NOT NULL,
    description text,
    conversation_id   bigint      NOT NULL,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, conversation_id),
    UNIQUE (tenant_id, domain_id, name_key),
    FOREIGN KEY (tenant_id, domain_id) REFERENCES domain ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversation
);
COMMENT ON TABLE zone IS 'The zones of a domain. Each has a conversation.';

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
    lease       interval    NOT NULL DEFAULT '30 minutes',
    reminded    boolean     NOT NULL DEFAULT false,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, domain_id) REFERENCES domain ON DELETE CASCADE,
    CHECK ((holder_id IS NULL) = (lease_until IS NULL))
);
COMMENT ON TABLE task IS 'The tasks of domains: what is to be done, who holds it and for how long, and what became of it.';
COMMENT ON COLUMN task.assignee_id IS 'The agent or user whose task it is; null for anybody''s.';
COMMENT ON COLUMN task.holder_id IS 'The agent or user that claimed it. When lease_until has passed, nobody holds it.';
COMMENT ON COLUMN task.lease IS 'How long the lease of its last claim is: hooks of the holder renew it.';
COMMENT ON COLUMN task.reminded IS 'Whether the holder was told that this lease ends soon.';
COMMENT ON COLUMN task.fence IS 'Grows with each claim: a change with an older one is refused.';
COMMENT ON COLUMN task.unmet IS 'How many of the tasks that it comes after are not done.';
CREATE INDEX task_newest ON task (tenant_id, domain_id, created_at DESC, id DESC);
CREATE INDEX task_ready ON task (tenant_id, domain_id, created_at, id) WHERE state = 'open' AND unmet = 0;
CREATE INDEX task_state ON task (tenant_id, domain_id, state, created_at DESC, id DESC);
CREATE INDEX task_holder ON task (tenant_id, holder_id) WHERE holder_id IS NOT NULL;
CREATE INDEX task_age ON task (updated_at) WHERE state IN ('done', 'cancelled');
CREATE INDEX task_blocked ON task (tenant_id, creator_id) WHERE state = 'blocked';
CREATE INDEX task_assignee ON task (tenant_id, domain_id, assignee_id, state, created_at DESC, id DESC) WHERE assignee_id IS NOT NULL;
CREATE INDEX task_next ON task (tenant_id, domain_id, assignee_id, created_at, id) WHERE state = 'open' AND unmet = 0;
CREATE INDEX task_lease ON task (lease_until, tenant_id, domain_id) WHERE holder_id IS NOT NULL;

CREATE TABLE task_order (
    tenant_id bigint NOT NULL,
    task_id   uuid   NOT NULL,
    after_id  uuid   NOT NULL,
    place     bigint NOT NULL,
    PRIMARY KEY (tenant_id, task_id, after_id),
    FOREIGN KEY (tenant_id, task_id) REFERENCES task ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, after_id) REFERENCES task ON DELETE CASCADE
);
COMMENT ON TABLE task_order IS 'The tasks that others wait for: a task is ready when those that it comes after are done.';
COMMENT ON COLUMN task_order.place IS 'The order in which they were given.';
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
COMMENT ON TABLE task_change IS 'The history of each task: who changed what, when, and their note.';
COMMENT ON COLUMN task_change.by_id IS 'The agent or user that changed it; of a lease that ended, the one that lost it.';

CREATE TABLE reservation (
    tenant_id   bigint      NOT NULL,
    id          uuid        NOT NULL,
    domain_id   bigint      NOT NULL,
    repository  text        NOT NULL,
    worktree    text        NOT NULL DEFAULT '',
    path        text        NOT NULL,
    holder_id   bigint      NOT NULL,
    reason      text,
    lease_until timestamptz NOT NULL,
    created_at  timestamptz NOT NULL,
    refused     bigint[]    NOT NULL DEFAULT '{}',
    lease       interval    NOT NULL DEFAULT '15 minutes',
    reminded    boolean     NOT NULL DEFAULT false,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, domain_id, holder_id, repository, worktree, path),
    FOREIGN KEY (tenant_id, domain_id) REFERENCES domain ON DELETE CASCADE
);
COMMENT ON TABLE reservation IS 'Paths of repositories that agents and users work on for a while. They are advisory.';
COMMENT ON COLUMN reservation.repository IS 'The name of the repository; empty if the domain has only one.';
COMMENT ON COLUMN reservation.worktree IS 'The git worktree, where the domain has separate ones; empty for all of them.';
COMMENT ON COLUMN reservation.path IS 'A glob, relative to the repository.';
COMMENT ON COLUMN reservation.lease IS 'How long the lease is: hooks of the holder renew it.';
COMMENT ON COLUMN reservation.reminded IS 'Whether the holder was told that this lease ends soon.';
COMMENT ON COLUMN reservation.refused IS 'Whom it kept from an edit or from reserving: they are told directly when it ends, which wakes them.';
CREATE INDEX reservation_age ON reservation (lease_until);
CREATE INDEX reservation_holder ON reservation (tenant_id, holder_id);

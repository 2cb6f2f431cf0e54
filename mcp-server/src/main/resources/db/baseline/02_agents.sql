-- Agents: who owns them, who has them on a roster, and what they were before.

CREATE TABLE agent (
    tenant_id        bigint      NOT NULL,
    id               bigint      NOT NULL DEFAULT nextval('entity_id'),
    name             text        NOT NULL,
    name_key         text        COLLATE "C" NOT NULL,
    description      text        NOT NULL,
    profile          text,
    access           text        NOT NULL CHECK (access IN ('private', 'agent', 'domain', 'public')),
    owner_id         bigint      NOT NULL,
    revision         bigint      NOT NULL DEFAULT 1,
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    destroyed_at     timestamptz,
    guard_hops       smallint    NOT NULL DEFAULT 24 CHECK (guard_hops BETWEEN 1 AND 64),
    guard_per_minute smallint    NOT NULL DEFAULT 30 CHECK (guard_per_minute BETWEEN 1 AND 600),
    guard_more       integer     NOT NULL DEFAULT 0 CHECK (guard_more >= 0),
    guard_stopped    boolean     NOT NULL DEFAULT false,
    guard_incident   bigint,
    parent_id        bigint,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, owner_id) REFERENCES app_user,
    FOREIGN KEY (tenant_id, parent_id) REFERENCES agent
);
ALTER TABLE agent ALTER COLUMN owner_id SET (n_distinct = 100);
COMMENT ON TABLE agent IS 'The agents. A destroyed one remains as a name on its messages and memories.';
COMMENT ON COLUMN agent.access IS 'Who else may see it.';
COMMENT ON COLUMN agent.destroyed_at IS 'Since then it is visible nowhere else.';
COMMENT ON COLUMN agent.guard_hops IS 'How many direct messages of agents may answer each other in a row.';
COMMENT ON COLUMN agent.guard_per_minute IS 'The limit of direct messages; the other limits are multiples of it.';
COMMENT ON COLUMN agent.guard_more IS 'How many more direct messages from and to it may exceed the limits.';
COMMENT ON COLUMN agent.guard_stopped IS 'Whether it may exchange no direct messages with agents.';
COMMENT ON COLUMN agent.guard_incident IS 'The incident of the loop guard whose agents have guard_more in common, or were stopped together; null for the agent''s own.';
COMMENT ON COLUMN agent.parent_id IS 'The agent that it is a sub-agent of, whose name and a slash its own begins with, and with which it ends.';
CREATE INDEX agent_owner ON agent (tenant_id, owner_id) WHERE destroyed_at IS NULL;
CREATE INDEX agent_incident ON agent (tenant_id, guard_incident) WHERE guard_incident IS NOT NULL;
CREATE UNIQUE INDEX agent_name ON agent (tenant_id, name_key) WHERE destroyed_at IS NULL;
CREATE INDEX agent_parent ON agent (tenant_id, parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX agent_any_name ON agent (tenant_id, name_key);

-- Whoever can send or receive a message.
CREATE VIEW party AS
    SELECT tenant_id, id, name, 'user' AS kind FROM app_user
    UNION ALL
    SELECT tenant_id, id, name, 'agent' AS kind FROM agent;

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

CREATE TABLE agent_usage (
    tenant_id      bigint NOT NULL,
    agent_id       bigint NOT NULL,
    day            date   NOT NULL,
    calls          bigint NOT NULL,
    characters_in  bigint NOT NULL,
    characters_out bigint NOT NULL,
    PRIMARY KEY (tenant_id, agent_id, day),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agent ON DELETE CASCADE
);
COMMENT ON TABLE agent_usage IS 'What the calls of each agent amount to on each day.';
COMMENT ON COLUMN agent_usage.characters_in IS 'What it sent, as arguments.';
COMMENT ON COLUMN agent_usage.characters_out IS 'What it received, as responses.';
CREATE INDEX agent_usage_age ON agent_usage (day);

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

CREATE TABLE agent_remote (
    tenant_id     bigint      NOT NULL,
    agent_id      bigint      NOT NULL,
    url           text        NOT NULL,
    header        text,
    secret        text,
    set_at        timestamptz NOT NULL,
    failures      integer     NOT NULL DEFAULT 0,
    failing_since timestamptz,
    open_until    timestamptz,
    last_error    text,
    internal      boolean     NOT NULL DEFAULT false,
    PRIMARY KEY (tenant_id, agent_id),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agent ON DELETE CASCADE
);
COMMENT ON TABLE agent_remote IS 'The agents that live elsewhere: direct messages to them are sent to an address.';
COMMENT ON COLUMN agent_remote.url IS 'The address of the agent or of its card.';
COMMENT ON COLUMN agent_remote.header IS 'The header that carries its credential; null if there is none.';
COMMENT ON COLUMN agent_remote.secret IS 'The value of that header, sealed with the master key for this address.';
COMMENT ON COLUMN agent_remote.internal IS 'Whether an admin set the address, which then may be in a private network that the operator allowed.';
COMMENT ON COLUMN agent_remote.failures IS 'How many requests in a row have failed.';
COMMENT ON COLUMN agent_remote.open_until IS 'Nothing is sent there before.';

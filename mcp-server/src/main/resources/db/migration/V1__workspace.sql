-- The workspace. Every primary key starts with tenant_id and every query carries it: that is the isolation.
-- Users and agents draw their ids from one sequence, so that a party (who speaks, who is spoken to) is one number.

CREATE SEQUENCE entity_id;

CREATE TABLE tenant (
    tenant_id  bigint      PRIMARY KEY DEFAULT nextval('entity_id'),
    name       text        NOT NULL,
    name_key   text        NOT NULL UNIQUE,
    plan       text        NOT NULL,
    created_at timestamptz NOT NULL
);

CREATE TABLE app_user (
    tenant_id  bigint      NOT NULL REFERENCES tenant ON DELETE CASCADE,
    id         bigint      NOT NULL DEFAULT nextval('entity_id'),
    name       text        NOT NULL,
    name_key   text        NOT NULL,
    role       text        NOT NULL CHECK (role IN ('viewer', 'member', 'admin', 'owner')),
    created_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, name_key)
);

CREATE TABLE agent (
    tenant_id    bigint      NOT NULL,
    id           bigint      NOT NULL DEFAULT nextval('entity_id'),
    name         text        NOT NULL,
    name_key     text        NOT NULL,
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
COMMENT ON COLUMN agent.destroyed_at IS 'A destroyed agent stays as a name on its messages and memories, and nowhere else.';
CREATE UNIQUE INDEX agent_name ON agent (tenant_id, name_key) WHERE destroyed_at IS NULL;
CREATE INDEX agent_any_name ON agent (tenant_id, name_key);
CREATE INDEX agent_owner ON agent (tenant_id, owner_id) WHERE destroyed_at IS NULL;

-- Whoever can speak or be spoken to.
CREATE VIEW party AS
    SELECT tenant_id, id, name, 'user' AS kind FROM app_user
    UNION ALL
    SELECT tenant_id, id, name, 'agent' AS kind FROM agent;

CREATE TABLE api_key (
    tenant_id    bigint      NOT NULL,
    id           text        NOT NULL CHECK (length(id) = 12),
    secret_hash  bytea       NOT NULL,
    user_id      bigint      NOT NULL,
    name         text        NOT NULL,
    capabilities text[]      NOT NULL,
    agent_id     bigint,
    expires_at   timestamptz,
    revoked_at   timestamptz,
    created_at   timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES app_user ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agent
);
CREATE UNIQUE INDEX api_key_id ON api_key (id);

-- Tells every replica at once that what it remembers of callers is no longer true.
CREATE FUNCTION tell_callers_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('callers_changed', '');
    RETURN NULL;
END $$;
CREATE TRIGGER api_key_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON api_key
    FOR EACH STATEMENT EXECUTE FUNCTION tell_callers_changed();
CREATE TRIGGER app_user_changed AFTER UPDATE OR DELETE OR TRUNCATE ON app_user
    FOR EACH STATEMENT EXECUTE FUNCTION tell_callers_changed();

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

CREATE TABLE domain (
    tenant_id   bigint      NOT NULL,
    id          bigint      NOT NULL DEFAULT nextval('entity_id'),
    name        text        NOT NULL,
    name_key    text        NOT NULL,
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

CREATE TABLE zone (
    tenant_id   bigint      NOT NULL,
    id          bigint      NOT NULL DEFAULT nextval('entity_id'),
    domain_id   bigint      NOT NULL,
    name        text        NOT NULL,
    name_key    text        NOT NULL,
    description text,
    stream_id   bigint      NOT NULL,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, domain_id, name_key),
    UNIQUE (tenant_id, stream_id),
    FOREIGN KEY (tenant_id, domain_id) REFERENCES domain ON DELETE CASCADE
);

-- An ordered list of messages: of a zone, or of two parties that talk directly (low_id < high_id).
CREATE TABLE stream (
    tenant_id bigint      NOT NULL,
    id        bigint      NOT NULL DEFAULT nextval('entity_id'),
    low_id    bigint,
    high_id   bigint,
    last_seq  bigint      NOT NULL DEFAULT 0,
    last_at   timestamptz,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, low_id, high_id),
    CHECK ((low_id IS NULL) = (high_id IS NULL) AND low_id < high_id)
);
ALTER TABLE zone ADD FOREIGN KEY (tenant_id, stream_id) REFERENCES stream;

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
    PRIMARY KEY (tenant_id, stream_id, seq),
    FOREIGN KEY (tenant_id, stream_id) REFERENCES stream ON DELETE CASCADE
);
COMMENT ON COLUMN message.seq IS 'Without gaps in its stream, in the order of commits: stream.last_seq is raised in the same transaction.';
COMMENT ON COLUMN message.chain IS 'The agents whose messages this one answers, oldest first: the loop guard.';
CREATE UNIQUE INDEX message_id ON message (tenant_id, id);

-- How far a party has read a stream. Unread = stream.last_seq - read_seq - own_unread, without counting rows.
CREATE TABLE participant (
    tenant_id  bigint NOT NULL,
    party_id   bigint NOT NULL,
    stream_id  bigint NOT NULL,
    owner_id   bigint NOT NULL,
    read_seq   bigint NOT NULL,
    own_unread bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, party_id, stream_id),
    FOREIGN KEY (tenant_id, stream_id) REFERENCES stream ON DELETE CASCADE
);
COMMENT ON COLUMN participant.owner_id IS 'The user behind the party: the user itself, or the owner of the agent.';
COMMENT ON COLUMN participant.own_unread IS 'The party''s own messages after read_seq, which do not wait for it.';
CREATE INDEX participant_stream ON participant (tenant_id, stream_id, owner_id);

CREATE TABLE context (
    tenant_id bigint      NOT NULL,
    principal text        NOT NULL,
    name      text        NOT NULL,
    self_id   bigint,
    agent_id  bigint,
    domain_id bigint,
    zone_id   bigint,
    used_at   timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, principal, name),
    FOREIGN KEY (tenant_id) REFERENCES tenant ON DELETE CASCADE
);
CREATE INDEX context_age ON context (used_at);
CREATE INDEX context_self ON context (tenant_id, self_id) WHERE self_id IS NOT NULL;

CREATE TABLE bank (
    tenant_id   bigint      NOT NULL,
    id          bigint      NOT NULL DEFAULT nextval('entity_id'),
    name        text        NOT NULL,
    name_key    text        NOT NULL,
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
CREATE UNIQUE INDEX bank_name ON bank (tenant_id, name_key) WHERE deleted_at IS NULL;
CREATE INDEX bank_trash ON bank (deleted_at) WHERE deleted_at IS NOT NULL;

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
    tenant_id    bigint      NOT NULL,
    bank_id      bigint      NOT NULL,
    id           uuid        NOT NULL,
    name         text,
    name_key     text,
    text         text        NOT NULL,
    tags         text[]      NOT NULL,
    author_id    bigint      NOT NULL,
    contributors bigint[]    NOT NULL,
    derived_from uuid[]      NOT NULL,
    revision     bigint      NOT NULL DEFAULT 1,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    deleted_at   timestamptz,
    PRIMARY KEY (tenant_id, bank_id, id),
    FOREIGN KEY (tenant_id, bank_id) REFERENCES bank ON DELETE CASCADE
);
COMMENT ON COLUMN memory.contributors IS 'Whoever wrote a part of it: its author, its editors, and those of what it was derived from. Censoring one of them hides it.';
CREATE UNIQUE INDEX memory_name ON memory (tenant_id, bank_id, name_key) WHERE deleted_at IS NULL;
CREATE INDEX memory_newest ON memory (tenant_id, bank_id, created_at DESC, id) WHERE deleted_at IS NULL;
CREATE INDEX memory_author ON memory (tenant_id, bank_id, author_id);
CREATE INDEX memory_trash ON memory (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE idempotency (
    tenant_id    bigint      NOT NULL,
    principal    text        NOT NULL,
    key          text        NOT NULL,
    request_hash bytea       NOT NULL,
    answer       text,
    created_at   timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, principal, key),
    FOREIGN KEY (tenant_id) REFERENCES tenant ON DELETE CASCADE
);
CREATE INDEX idempotency_age ON idempotency (created_at);

-- Written in the transaction of the change that it tells of.
CREATE TABLE event (
    tenant_id  bigint      NOT NULL,
    id         uuid        NOT NULL,
    type       text        NOT NULL,
    created_at timestamptz NOT NULL,
    data       jsonb       NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id) REFERENCES tenant ON DELETE CASCADE
);

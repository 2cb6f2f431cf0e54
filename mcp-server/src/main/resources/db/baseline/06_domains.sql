-- Domains, their zones and members.

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
    guard_hops       integer     NOT NULL DEFAULT 8 CHECK (guard_hops BETWEEN 1 AND 64),
    guard_per_minute integer     NOT NULL DEFAULT 10 CHECK (guard_per_minute BETWEEN 1 AND 600),
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
CREATE INDEX domain_owner ON domain (tenant_id, owner_id);
CREATE TRIGGER zz_owner_is_there AFTER INSERT OR UPDATE OF owner_id ON domain FOR EACH ROW EXECUTE FUNCTION refuse_removed_owner();
COMMENT ON TRIGGER zz_owner_is_there ON domain IS 'Nothing belongs to a user who was removed at the same time.';
CREATE TRIGGER counted_added AFTER INSERT ON domain REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_added('domains');
COMMENT ON TRIGGER counted_added ON domain IS 'A plan limits domains, whatever creates them.';
CREATE TRIGGER counted_gone AFTER DELETE ON domain REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_gone('domains');
COMMENT ON TRIGGER counted_gone ON domain IS 'A deleted domain no longer counts for the plan.';

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

-- The users who take part in a domain; null, for everyone, where they are too many to be listed.
CREATE FUNCTION taking_part(tenant bigint, domain bigint, owner bigint) RETURNS bigint[] LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN count(*) <= 100 THEN array_agg(u.id) END
      FROM (SELECT owner AS id
             UNION
            SELECT m.owner_id FROM membership m
             WHERE m.tenant_id = tenant AND m.domain_id = domain AND m.state = 'member') u;
$$;

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
COMMENT ON TABLE zone IS 'The zones of a domain. Each has a conversation.';

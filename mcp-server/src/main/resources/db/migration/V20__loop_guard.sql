-- The loop guard's counts. They are written by the statements that store a message, and so cost no round trip.

ALTER TABLE stream
    ADD COLUMN agents_said bigint NOT NULL DEFAULT 0,
    ADD COLUMN voices bigint[] NOT NULL DEFAULT '{}',
    ADD COLUMN person_at timestamptz;
COMMENT ON COLUMN stream.agents_said IS
    'In a zone: the messages of agents since a person last spoke there, or since 15 minutes of silence. One agent alone counts for 15 at most.';
COMMENT ON COLUMN stream.voices IS 'In a zone: the agents that said these messages.';
COMMENT ON COLUMN stream.person_at IS 'In a zone: when a person last spoke there.';

-- Written only by the agent's own calls, one at a time, so that no two transactions wait for each other.
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

-- Written by those who speak to the agent, and only where it says something new.
CREATE TABLE agent_heard (
    tenant_id bigint NOT NULL,
    agent_id  bigint NOT NULL,
    person_at timestamptz,
    agent_at  timestamptz,
    PRIMARY KEY (tenant_id, agent_id),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agent ON DELETE CASCADE
);
COMMENT ON COLUMN agent_heard.person_at IS
    'When a person last spoke to the agent, or to an agent whose message reached it since.';
COMMENT ON COLUMN agent_heard.agent_at IS 'When an agent last sent it a direct message, to the minute.';

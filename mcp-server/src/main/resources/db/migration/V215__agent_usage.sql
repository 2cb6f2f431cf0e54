-- An agent's page shows what the agent costs.

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
ALTER TABLE agent_usage ALTER COLUMN tenant_id SET (n_distinct = 3);

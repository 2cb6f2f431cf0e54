-- What waits for a user is found by indexes, and stops of the loop guard are recorded.

ALTER TABLE question ADD COLUMN to_id bigint;
COMMENT ON COLUMN question.to_id IS 'The agent or user that is asked directly; null in a zone.';
UPDATE question q
   SET to_id = CASE WHEN s.low_id = q.asker_id THEN s.high_id ELSE s.low_id END
  FROM message m
  JOIN stream s ON s.tenant_id = m.tenant_id AND s.id = m.stream_id
 WHERE m.tenant_id = q.tenant_id AND m.id = q.id;
CREATE INDEX question_waiting ON question (tenant_id, to_id, created_at)
    WHERE to_id IS NOT NULL AND answered_at IS NULL AND withdrawn_at IS NULL;

CREATE INDEX membership_waiting ON membership (tenant_id, state, since) WHERE state IN ('invited', 'requested');

CREATE INDEX task_blocked ON task (tenant_id, creator_id) WHERE state = 'blocked';

CREATE TABLE guard_stop (
    tenant_id bigint      NOT NULL,
    agent_id  bigint      NOT NULL,
    place_id  bigint      NOT NULL,
    is_zone   boolean     NOT NULL,
    seq       bigint      NOT NULL,
    note      text        NOT NULL,
    retry_at  timestamptz NOT NULL,
    at        timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, agent_id, place_id),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agent ON DELETE CASCADE
);
COMMENT ON TABLE guard_stop IS 'The last refusal of the loop guard for each agent, in each place where it was stopped.';
COMMENT ON COLUMN guard_stop.place_id IS 'The conversation of a zone, or the party that the agent wrote to.';
COMMENT ON COLUMN guard_stop.seq IS 'The number that the message would have had in its conversation.';
CREATE INDEX guard_stop_age ON guard_stop (at);
ALTER TABLE guard_stop ALTER COLUMN tenant_id SET (n_distinct = 3);

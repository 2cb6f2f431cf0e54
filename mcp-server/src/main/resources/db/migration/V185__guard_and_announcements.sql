-- The loop guard has new defaults, an allowance and a stop; what it refuses belongs to an incident; a task's progress resets it.
ALTER TABLE agent ALTER COLUMN guard_hops SET DEFAULT 24, ALTER COLUMN guard_per_minute SET DEFAULT 30,
    ADD COLUMN guard_more integer NOT NULL DEFAULT 0 CHECK (guard_more >= 0),
    ADD COLUMN guard_stopped boolean NOT NULL DEFAULT false,
    ADD COLUMN guard_incident bigint;
UPDATE agent SET guard_hops = CASE guard_hops WHEN 8 THEN 24 ELSE guard_hops END,
       guard_per_minute = CASE guard_per_minute WHEN 10 THEN 30 ELSE guard_per_minute END
 WHERE guard_hops = 8 OR guard_per_minute = 10;
COMMENT ON COLUMN agent.guard_more IS 'How many more direct messages from and to it may exceed the limits.';
COMMENT ON COLUMN agent.guard_stopped IS 'Whether it may exchange no direct messages with agents.';
COMMENT ON COLUMN agent.guard_incident IS 'The incident of the loop guard whose agents have guard_more in common; null for the agent''s own.';
CREATE INDEX agent_incident ON agent (tenant_id, guard_incident) WHERE guard_incident IS NOT NULL;

ALTER TABLE domain ALTER COLUMN guard_hops SET DEFAULT 24, ALTER COLUMN guard_per_minute SET DEFAULT 30,
    ADD COLUMN guard_more integer NOT NULL DEFAULT 0 CHECK (guard_more >= 0),
    ADD COLUMN guard_stopped boolean NOT NULL DEFAULT false;
UPDATE domain SET guard_hops = CASE guard_hops WHEN 8 THEN 24 ELSE guard_hops END,
       guard_per_minute = CASE guard_per_minute WHEN 10 THEN 30 ELSE guard_per_minute END
 WHERE guard_hops = 8 OR guard_per_minute = 10;
COMMENT ON COLUMN domain.guard_more IS 'How many more messages may exceed the limits.';
COMMENT ON COLUMN domain.guard_stopped IS 'Whether agents may say nothing in its zones.';

ALTER TABLE stream ADD COLUMN counted_at timestamptz, ADD COLUMN progress_at timestamptz, ADD COLUMN announced bigint;
COMMENT ON COLUMN stream.counted_at IS 'In a zone: since when agents_said counts.';
COMMENT ON COLUMN stream.progress_at IS 'In the zone main: when a task of the domain last changed its state.';
COMMENT ON COLUMN stream.announced IS 'The number of the last announcement: what follows within ten seconds is added to it.';

ALTER TABLE message ADD COLUMN changes integer;
COMMENT ON COLUMN message.changes IS 'How many changes it announces; null if it is no announcement. Announcements do not count as unread.';

ALTER TABLE participant ADD COLUMN announced bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN participant.own_unread IS 'The party''s own messages after read_seq, up to last_seq where that is not null; in a zone, announcements too. They do not count as unread.';
COMMENT ON COLUMN participant.announced IS 'Where two parties talk directly: the announcements to the party after read_seq. They wait for it, but do not count as unread.';
DROP INDEX participant_unread;
CREATE INDEX participant_unread ON participant (tenant_id, party_id, stream_id) INCLUDE (last_seq, read_seq, own_unread, announced)
    WHERE last_seq IS NULL OR last_seq > (read_seq + own_unread);

ALTER TABLE agent_heard ADD COLUMN progress_at timestamptz, ADD COLUMN left_at timestamptz;
COMMENT ON COLUMN agent_heard.left_at IS 'When its last session ended.';
COMMENT ON COLUMN agent_heard.progress_at IS 'When a task that the agent created, has or had last changed its state.';

DELETE FROM guard_stop; -- They are shown for a day at most.
ALTER TABLE guard_stop ADD COLUMN incident bigint NOT NULL DEFAULT nextval('entity_id'), ADD COLUMN refused bigint NOT NULL DEFAULT 1;
COMMENT ON COLUMN guard_stop.incident IS 'The same number for stops in one zone, and for stops of agents that talk with each other.';
COMMENT ON COLUMN guard_stop.refused IS 'How many messages were refused.';

-- The demo is a client now, which keeps the keys of its agents and its last message to itself.

ALTER TABLE demo ALTER COLUMN due_at SET DEFAULT now(), ALTER COLUMN keys SET DEFAULT '';

COMMENT ON TABLE demo IS 'How far the demo of a tenant is, as its client reports it.';
COMMENT ON COLUMN demo.step IS 'The index of the next step.';
COMMENT ON COLUMN demo.branch IS 'The answer of a person, once there is one.';
COMMENT ON COLUMN demo.held_until IS 'When the client counts as gone unless it reports again; the demo is over then.';
COMMENT ON COLUMN demo.key_ids IS 'The key of the client.';
COMMENT ON COLUMN demo.due_at IS 'Unused since version 177.';
COMMENT ON COLUMN demo.last IS 'Unused since version 177.';
COMMENT ON COLUMN demo.keys IS 'Unused since version 177.';

-- Of two listeners of a session, the newest is told, and what a listener did not get is told again.
ALTER TABLE hook_session
    ADD COLUMN listener bigint NOT NULL DEFAULT 0,
    ADD COLUMN unconfirmed jsonb NOT NULL DEFAULT '{}',
    DROP COLUMN undo;
COMMENT ON COLUMN hook_session.listener IS 'The number of its newest listener: the others are told nothing more.';
COMMENT ON COLUMN hook_session.unconfirmed IS 'What each of the last wake-ups changed in announced, in case its listener did not get it.';

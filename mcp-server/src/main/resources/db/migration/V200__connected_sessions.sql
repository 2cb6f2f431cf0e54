-- A client that started while the engine was down has no tools until it is restarted: its session is not woken.
ALTER TABLE hook_session ADD COLUMN connected boolean;
COMMENT ON COLUMN hook_session.connected IS 'Whether its client is connected to the tools: true if it has used them, false if it started while the engine was down, null if nothing is known.';

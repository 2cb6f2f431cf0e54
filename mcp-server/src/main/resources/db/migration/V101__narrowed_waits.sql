-- Which messages a waiting call waits for: a message that it does not wait for does not wake it.
ALTER TABLE wake
    ADD COLUMN from_agent text COLLATE "C",
    ADD COLUMN in_domain text COLLATE "C",
    ADD COLUMN in_zone text COLLATE "C",
    ADD COLUMN answers uuid,
    ADD COLUMN beside uuid;
COMMENT ON COLUMN wake.from_agent IS 'Only direct messages from the agent with this name; each further column narrows in the same way.';
COMMENT ON COLUMN wake.beside IS 'Only messages where this one is.';

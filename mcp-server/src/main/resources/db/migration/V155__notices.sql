ALTER TABLE message ADD COLUMN notice boolean NOT NULL DEFAULT false;

COMMENT ON COLUMN message.notice IS 'Whether the engine wrote it, to tell what the speaker did. In a zone it wakes nobody.';

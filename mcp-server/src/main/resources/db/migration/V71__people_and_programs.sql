-- A message of a user is a person's only if that person was signed in. What a program writes with a user's key is not.
ALTER TABLE message
    ADD COLUMN person boolean NOT NULL DEFAULT false,
    ADD COLUMN by_key text;
COMMENT ON COLUMN message.by_key IS 'The name of the key by which a program wrote it for a user.';

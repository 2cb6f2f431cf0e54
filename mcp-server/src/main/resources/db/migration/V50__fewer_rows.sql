-- Storing a message or an entry of the audit writes less.

COMMENT ON COLUMN participant.last_seq IS 'Where two parties talk directly, the last message of the other one when it was stored; later ones are the party''s own. Null in a zone: a message there would change the rows of all who take part.';
COMMENT ON COLUMN participant.own_unread IS 'The party''s own messages after read_seq, up to last_seq where that is not null. They do not wait for it.';

-- Old entries are found by tenant.
DROP INDEX audit_age;

-- Who stores a message has locked its stream, so the stream exists, and who deletes the stream waits for the message.
ALTER TABLE message DROP CONSTRAINT message_tenant_id_stream_id_fkey;
CREATE FUNCTION stream_went() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM message m
     USING old_row
     WHERE m.tenant_id = old_row.tenant_id AND m.stream_id = old_row.id;
    RETURN NULL;
END $$;
CREATE TRIGGER went AFTER DELETE ON stream REFERENCING OLD TABLE AS old_row
    FOR EACH STATEMENT EXECUTE FUNCTION stream_went();

-- The answers of a message are found by it: threads, and how many answers a message has.
CREATE INDEX message_answers ON message (tenant_id, answers, seq) WHERE answers IS NOT NULL;

-- The documents that are attached to a message.
ALTER TABLE message ADD COLUMN attached uuid[];
COMMENT ON COLUMN message.attached IS 'The versions of documents that are attached; null if there are none.';

-- Whose rights decide which messages and memories a webhook endpoint is told of. The makers of earlier endpoints are not known, so these
-- are told of none until a user changes them.
ALTER TABLE webhook_endpoint ADD COLUMN owner_id bigint;
COMMENT ON COLUMN webhook_endpoint.owner_id IS 'The user who created it. It is sent only those messages and memories that this user may read.';

-- Who hears of a new message at once, and how. An entry ends by itself when its replica or its session does.
CREATE TABLE wake (
    tenant_id bigint      NOT NULL REFERENCES tenant ON DELETE CASCADE,
    party_id  bigint      NOT NULL,
    kind      text        NOT NULL CHECK (kind IN ('wait', 'stream')),
    holder    text        NOT NULL,
    until     timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, party_id, kind, holder)
);
COMMENT ON COLUMN wake.party_id IS 'The agent, or the user, that is woken.';
COMMENT ON COLUMN wake.holder IS 'One waiting call, or one open stream.';
CREATE INDEX wake_age ON wake (until);

-- Receipts of direct messages.
ALTER TABLE message
    ADD COLUMN delivered_at timestamptz,
    ADD COLUMN read_at timestamptz;
COMMENT ON COLUMN message.delivered_at IS 'When a direct message was given to a session of its recipient.';
COMMENT ON COLUMN message.read_at IS 'When the whole text of a direct message was returned to its recipient.';

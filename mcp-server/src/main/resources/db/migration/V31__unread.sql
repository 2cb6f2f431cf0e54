-- What waits for a party is found without looking into each of its conversations.

ALTER TABLE participant ADD COLUMN last_seq bigint;
COMMENT ON COLUMN participant.last_seq IS 'A copy of stream.last_seq where two parties talk directly. Null in a zone: a message there would change the rows of all who take part.';

UPDATE participant p
   SET last_seq = st.last_seq
  FROM stream st
 WHERE st.tenant_id = p.tenant_id AND st.id = p.stream_id AND st.low_id IS NOT NULL;

CREATE INDEX participant_unread ON participant (tenant_id, party_id, stream_id) INCLUDE (last_seq, read_seq, own_unread)
 WHERE last_seq IS NULL OR last_seq > read_seq + own_unread;
